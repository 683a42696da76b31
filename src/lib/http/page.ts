import { Type } from 'typebox'

const LIMIT_MAX = 1_000
const LIMIT_DEFAULT = 100
const OFFSET_MAX = 10_000_000

export const pageOffset = { minimum: 0, maximum: OFFSET_MAX } as const

/** Query parameters of a page. `items`: the word for them, for the documentation. */
export const pageParameters = (items: string) => ({
  limit: Type.Integer({
    minimum: 1,
    maximum: LIMIT_MAX,
    default: LIMIT_DEFAULT,
    description: 'Page size',
  }),
  offset: Type.Integer({
    ...pageOffset,
    default: 0,
    description: `Number of ${items} to skip`,
  }),
})

/** Headers of a page, for the documentation. */
export const pageHeaderDocs = (items: string) => ({
  'X-Total-Count': `Number of ${items} on all pages`,
  Link: '`rel="next"`, when a page follows',
})

export interface Page<Item> {
  readonly items: readonly Item[]
  /** Number of items on all pages. */
  readonly total: number
  /** Value of the `Link` header; `null` on the last page. */
  readonly link: string | null
}

/** A page of a whole list. `query`: the parameters besides those of the page, which the next page has too. */
export function pageOf<Item>(
  request: Request,
  all: readonly Item[],
  { limit, offset }: { readonly limit: number; readonly offset: number },
  query: Readonly<Record<string, unknown>> = {},
): Page<Item> {
  const end = offset + limit
  return {
    items: all.slice(offset, end),
    total: all.length,
    link: end < all.length ? nextLink(request, { ...query, limit }, { offset: end }) : null,
  }
}

export const pageHeaders = ({ total, link }: Omit<Page<unknown>, 'items'>) => ({
  'x-total-count': String(total),
  ...(link !== null && { link }),
})

/** The `Link` to the next page. Built from the parsed query, so that unknown parameters do not get into it. */
export function nextLink(
  request: Request,
  query: Readonly<Record<string, unknown>>,
  from: { readonly offset: number } | { readonly before: string },
): string {
  const next = new URLSearchParams()
  for (const [name, value] of Object.entries({ ...query, ...from })) {
    const text = String(value)
    if (text !== '') next.set(name, text)
  }
  return `<${new URL(request.url).pathname}?${next.toString()}>; rel="next"`
}
