import type { GitAnswer } from '../../../../ports/git-host.ts'
import { err, ok } from '../../../../result.ts'
import { type HostClient, hostError, type PagesAnswer, type PagesOptions } from './client.ts'

type Query = Readonly<Record<string, string | number>>

/** For all pages together; the last one has the deadline of a read besides. */
const PAGES_DEADLINE_MS = 30_000
/** Ten times the longest list of a caller: a hundred pages of a hundred items. */
const ITEMS_MAX = 100_000

/**
 * Reads the pages of a list one after another. Of the link to the next page (RFC 8288) only the query is taken: a Gitea behind a proxy
 * links to its public URL, and credentials go nowhere else than to the configured one.
 */
export async function readPages(
  read: HostClient['read'],
  path: string,
  { pagesMax, enough, ...options }: PagesOptions,
  deadlineMs = PAGES_DEADLINE_MS,
): GitAnswer<PagesAnswer> {
  const endsAt = performance.now() + deadlineMs
  const items: unknown[] = []
  let query: Query = options.query ?? {}
  for (let page = 1; ; page += 1) {
    const answer = await read(path, { ...options, query })
    if (!answer.ok) return answer
    const { status, headers, json } = answer.value
    if (status !== 200) return ok({ kind: 'refused', answer: answer.value })
    // Gitea's list of the branches of an empty repository is `null`.
    const list: unknown = json ?? []
    if (!isList(list)) return hostError('a list that is no list')
    if (items.length + list.length > ITEMS_MAX) return hostError('a list that is too long')
    items.push(...list)
    const next = nextQuery(headers.get('link'))
    if (next === null) return ok({ kind: 'list', items, truncated: false })
    if (page >= pagesMax || enough?.(items) === true) {
      return ok({ kind: 'list', items, truncated: true })
    }
    if (performance.now() >= endsAt) return err({ kind: 'git_host_timeout' })
    query = { ...query, ...next }
  }
}

function nextQuery(link: string | null): Query | null {
  const [, target] = /<([^<>]*)>\s*;[^,<]*\brel="?next\b/i.exec(link ?? '') ?? []
  const url = target === undefined ? null : URL.parse(target, 'https://host.invalid')
  return url === null ? null : Object.fromEntries(url.searchParams)
}

const isList = (value: unknown): value is readonly unknown[] => Array.isArray(value)
