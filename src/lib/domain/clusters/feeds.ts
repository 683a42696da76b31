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
import { gather, type ListFailure, type ListRequest } from './listing.ts'
import type { StreamLimit, TooManyStreams } from './stream-limit.ts'

export type FollowFailure = AccessFailure | ListFailure | TooManyStreams

/** Tells until the signal ends, or the person's token does. It holds a place among the open streams: who opened it must call it. */
export type Feed<Shown> = (
  signal: AbortSignal,
) => AsyncGenerator<Followed<Shown>, ListFailure | null, void>

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
const TOO_MANY_TO_FOLLOW = {
  kind: 'validation_failed',
  errors: [{ path: '/query/labelSelector', message: 'must leave no more than a list shows' }],
} as const

export function listIn<Item, Shown>(
  { plural, list }: Listed<Item>,
  access: ClusterAccess,
  request: ListRequest,
  show: (item: Item) => Shown,
): Promise<Result<Page<Shown>, ListFailure>> {
  const { cluster, namespace } = access
  const signal = AbortSignal.any([access.signal, AbortSignal.timeout(LIST_MS)])
  const read = (query: ListQuery) => list({ ...access, signal }, query, show)
  return gather([cluster.id, namespace, plural], request, read)
}

/** The first list is made before the stream begins, so that who may not see it gets a status and no stream. */
export async function openFeed<Item extends { readonly metadata: { readonly uid: string } }, Shown>(
  {
    withAccess,
    streams,
  }: {
    readonly withAccess: WithAccess
    readonly streams: StreamLimit
  },
  kind: Listed<Item>,
  asking: Asking,
  labelSelector: string | null,
  show: (item: Item) => Shown,
): Promise<Result<Feed<Shown>, FollowFailure>> {
  const begun = streams.begin(asking.session.principal)
  if (!begun.ok) return begun
  const end = begun.value
  const request = { labelSelector, cursor: null }
  const opened = await withAccess(asking, async (access) => {
    const listing = await listIn(kind, access, request, show)
    return listing.ok ? ok({ access, listing: listing.value }) : listing
  })
  if (!opened.ok || opened.value.listing.next !== null) {
    end()
    return opened.ok ? err(TOO_MANY_TO_FOLLOW) : opened
  }
  const { access, listing: first } = opened.value
  return ok((given) => {
    const signal = AbortSignal.any([given, access.signal])
    if (signal.aborted) end()
    signal.addEventListener('abort', end, { once: true })
    const changes = follow({
      first,
      labelSelector,
      signal,
      show,
      list: () => listIn(kind, { ...access, signal }, request, show),
      watch: (from) => kind.watch({ ...access, signal }, from),
    })
    return endingWith(end, changes)
  })
}

async function* endingWith<Item, End>(
  end: () => void,
  items: AsyncGenerator<Item, End, void>,
): AsyncGenerator<Item, End, void> {
  try {
    return yield* items
  } finally {
    end()
  }
}
