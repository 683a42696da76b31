/** What the palette says to people. */
export const WORDS = {
  jump: 'Find a page, a service or an act',
  nothingFound: 'Nothing found. Try “promote ledger”, or the state of a pod.',
} as const
