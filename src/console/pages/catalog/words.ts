/** What the catalog says to people. */
export const WORDS = {
  search: 'Search name, tag, owner…',
  empty: 'The catalog is empty',
  nothing: 'Nothing matches',
  narrowed: 'No entity has all of this.',
  noValue: 'No match.',
} as const
