import { LRUCache } from 'lru-cache'
import type { RawAnswer } from '../../../../outbound/exchange.ts'
import { MOVED } from '../../../../outbound/redirect.ts'
import type { GitAnswer } from '../../../../ports/git-host.ts'
import { err, ok } from '../../../../result.ts'
import {
  type HostClient,
  hostError,
  type PagesAnswer,
  type PagesOptions,
  type ReadOptions,
} from './client.ts'
import { createExchange, jsonAnswer } from './exchange.ts'
import { openAssetWith } from './asset.ts'
import { createSender, type SenderOptions } from './sender.ts'

const DEADLINE_MS = 10_000
const JSON_MAX_BYTES = 32 * 1024 * 1024
/** Bound of all remembered answers together. */
const ALL_MAX_BYTES = 16 * 1024 * 1024
/** Larger answers are listings, which their readers keep by object id. */
const ONE_MAX_BYTES = 1024 * 1024
/** Estimate for the headers of an answer and its place in the map. */
const ENTRY_BYTES = 2_048

export interface HostClientOptions
  extends Omit<SenderOptions, 'exchange'>, Partial<Pick<SenderOptions, 'exchange'>> {
  /** PEM of the certificate authorities in place of the system's. */
  readonly authority: string | null
  /** Headers of every request. */
  readonly headers: Readonly<Record<string, string>>
  readonly deadlineMs?: number
}

/** The API of a git host over HTTP. */
export function createHostClient({
  headers,
  authority,
  deadlineMs = DEADLINE_MS,
  exchange = createExchange(authority),
  ...options
}: HostClientOptions): HostClient {
  const { root, credentials } = options
  const send = createSender({ ...options, exchange })
  /**
   * Answers by URL that can be confirmed with `If-None-Match` (RFC 9110 §13.1.2), which GitHub does not count against the primary limit. GitHub's
   * ETags are those of one token: after its rotation the answer comes again in full.
   */
  const remembered = new LRUCache<string, RawAnswer>({
    maxSize: ALL_MAX_BYTES,
    maxEntrySize: ONE_MAX_BYTES,
    sizeCalculation: ({ bytes }, url) => ENTRY_BYTES + url.length + bytes.byteLength,
  })

  function remember(url: string, answer: RawAnswer): void {
    if (answer.status === 200 && answer.headers.has('etag')) remembered.set(url, answer)
    else remembered.delete(url)
  }

  const read: HostClient['read'] = (path, { query, maxBytes = JSON_MAX_BYTES } = {}) => {
    const url = urlOf(root, path, query)
    const earlier = remembered.get(url)
    const etag = earlier?.headers.get('etag')
    const condition = etag && { 'if-none-match': etag }
    return send({
      kind: 'read',
      deadlineMs,
      request: {
        method: 'GET',
        url,
        headers: { ...headers, ...condition },
        maxBytes,
        followsRedirects: true,
      },
      take(answer) {
        if (answer.status === 304 && earlier !== undefined) return jsonAnswer(earlier)
        const taken = jsonAnswer(answer)
        if (taken.ok) remember(url, answer)
        return taken
      },
    })
  }

  return {
    credentials,
    openAsset(place, signal) {
      const url = typeof place === 'string' ? new URL(`${root}${place}`) : place
      return openAssetWith(credentials, { url, headers, authority }, signal)
    },
    read,

    readPages: (path, options) => readPages(read, path, options),

    async write(method, path, body, options = {}) {
      const type = body !== undefined && { 'content-type': 'application/json' }
      const answer = await send({
        kind: options.isQuestion ? 'read' : 'write',
        deadlineMs: options.deadlineMs ?? deadlineMs,
        request: {
          method,
          url: urlOf(root, path),
          headers: { ...headers, ...type },
          ...(body !== undefined && { body: JSON.stringify(body) }),
          maxBytes: JSON_MAX_BYTES,
          followsRedirects: false,
        },
        take: jsonAnswer,
      })
      if (!answer.ok || !MOVED.has(answer.value.status)) return answer
      // A host redirects requests for a repository that has another name now; a write would be repeated there.
      const [, repository = 'what is written to'] = /^\/repos\/([^/]+\/[^/]+)/.exec(path) ?? []
      return err({ kind: 'git_denied', what: `${repository} was renamed` })
    },
  }
}

function urlOf(root: string, path: string, query: ReadOptions['query'] = {}): string {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) parameters.set(name, String(value))
  return parameters.size === 0 ? `${root}${path}` : `${root}${path}?${parameters.toString()}`
}

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
