import type { Answer } from '#tests/peers/forge/answer.ts'
import type { Call } from './call.ts'

const PER_PAGE_DEFAULT = 30
const PER_PAGE_MAX = 100

export interface Page {
  readonly number: number
  readonly size: number
}

function pageOf({ query }: Pick<Call, 'query'>): Page {
  const size = Number(query.get('per_page') ?? PER_PAGE_DEFAULT)
  return {
    number: Math.max(1, Number(query.get('page') ?? 1)),
    size: Math.min(PER_PAGE_MAX, Math.max(1, size)),
  }
}

/** `link` to the other pages; none where there is one page. */
function linkHeader(call: Call, { number, size }: Page, total: number) {
  const last = Math.max(1, Math.ceil(total / size))
  const to = (page: number, relation: string) => {
    const url = new URL(`${call.links.api}${call.target}`)
    url.searchParams.set('page', String(page))
    return `<${url.href}>; rel="${relation}"`
  }
  const links = [
    ...(number > 1 ? [to(number - 1, 'prev')] : []),
    ...(number < last ? [to(number + 1, 'next'), to(last, 'last')] : []),
    ...(number > 1 ? [to(1, 'first')] : []),
  ]
  return links.length === 0 ? {} : { link: links.join(', ') }
}

export function paged<Item>(
  call: Call,
  items: readonly Item[],
  show: (item: Item) => unknown,
): Answer {
  const page = pageOf(call)
  const from = (page.number - 1) * page.size
  return {
    status: 200,
    headers: linkHeader(call, page, items.length),
    body: items.slice(from, from + page.size).map(show),
  }
}
