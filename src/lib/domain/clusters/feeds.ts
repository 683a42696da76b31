import type {
  ClusterAccess,
  ClusterFailure,
  ListQuery,
  Page,
  Watch,
  WatchStart,
} from '../../ports/clusters.ts'
import { err, ok, type Result } from '../../result.ts'
import type { AccessFailure, Asking, WithAccess } from './access.ts'
import { type Followed, follow } from './follow.ts'
import type { Watched } from './latest-changes.ts'
import { gather, type ListFailure, listFailure, type ListRequest } from './listing.ts'
import type { OpenStreams, TooManyStreams } from './open-streams.ts'

export type FollowFailure = AccessFailure | ListFailure | TooManyStreams

/**
 * Tells until the signal ends, or the person's token or right does. It holds a place among the open streams until the signal
 * ends: who opened it must call it, once, with a signal that does.
 */
export type Feed = (signal: AbortSignal) => AsyncGenerator<Followed, ClusterFailure | null, void>

/** A kind of object: how it is listed and watched. */
export interface Listed<Item> {
  readonly plural: 'pods' | 'deployments'
  readonly list: <Shown>(
    access: ClusterAccess,
    query: ListQuery,
    show: (item: Item) => Shown,
  ) => Promise<Result<Page<Shown>, ClusterFailure>>
  readonly watch: (access: ClusterAccess, from: WatchStart) => Watch<Item>
}

const LIST_MS = 10_000
/** Of a part of a snapshot, which is held for as long as its client does not read. */
const PAGE_ITEMS = 100

export function listIn<Item>(
  { plural, list }: Listed<Item>,
  access: ClusterAccess,
  request: ListRequest,
  show: (item: Item) => string,
): Promise<Result<Page<string>, ListFailure>> {
  const { cluster, namespace } = access
  const signal = AbortSignal.any([access.signal, AbortSignal.timeout(LIST_MS)])
  const read = (query: ListQuery) => list({ ...access, signal }, query, show)
  return gather([cluster.id, namespace, plural], request, read)
}

export interface FeedDeps {
  readonly withAccess: WithAccess
  readonly streams: OpenStreams
}

/** The first page is read before the stream begins, so that who may not see it gets a status and no stream. */
export async function openFeed<Item extends Watched>(
  { withAccess, streams }: FeedDeps,
  { list, watch }: Listed<Item>,
  asked: Asking,
  labelSelector: string | null,
  show: (item: Item) => string,
): Promise<Result<Feed, FollowFailure>> {
  const read = (access: ClusterAccess, after: string | null) =>
    list(access, { limit: PAGE_ITEMS, after, labelSelector }, show)

  const opened = await streams.open(asked, (asking) =>
    withAccess(asking, async (access) => {
      const page = await read(access, null)
      if (!page.ok) return err(listFailure(page.error, { labelSelector, cursor: null }))
      const { cluster, signal } = access
      return ok({ cluster, signal, value: { access, page: page.value } })
    }),
  )
  if (!opened.ok) return opened
  const { end, value } = opened.value
  const { access } = value
  // Not kept once it is told.
  let first: Page<string> | undefined = value.page
  return ok((given) => {
    const signal = AbortSignal.any([given, access.signal])
    const lasting = { ...access, signal }
    const changes = follow({
      labelSelector,
      signal,
      show,
      async page(after) {
        const page = first === undefined ? await read(lasting, after) : ok(first)
        first = undefined
        return page
      },
      watch: (from) => watch(lasting, from),
    })
    given.addEventListener('abort', end)
    if (given.aborted) end()
    return changes
  })
}
