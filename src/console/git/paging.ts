import { type Html, html } from '../../lib/http/html.ts'

const PAGE = /^[1-9][0-9]{0,3}$/

/** The page that the query asks for; the first one for anything else. */
export function pageIn(url: string): number {
  const text = new URL(url).searchParams.get('page') ?? ''
  return PAGE.test(text) ? Number(text) : 1
}

interface Position {
  readonly url: string
  readonly page: number
  readonly hasNext: boolean
  /** Name of the items, such as `commits`. */
  readonly what: string
}

/** Links to the pages beside this one. Nothing where everything fits on one page. */
export function pager({ url, page, hasNext, what }: Position): Html | null {
  if (page === 1 && !hasNext) return null
  return html`
    <nav class="pager" aria-label="Pages">
      ${page > 1 ? html`<a class="button" rel="prev" href="${linkTo(url, page - 1)}">Newer ${what}</a>` : null}
      <span class="muted">Page ${page}</span>
      ${hasNext ? html`<a class="button" rel="next" href="${linkTo(url, page + 1)}">Older ${what}</a>` : null}
    </nav>
  `
}

function linkTo(address: string, page: number): string {
  const { searchParams } = new URL(address)
  searchParams.set('page', String(page))
  return `?${searchParams.toString()}`
}
