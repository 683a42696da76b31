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
import { gather, type ListFailure, type ListRequest, meant } from './listing.ts'
import type { OpenStreams, TooManyStreams } from './open-streams.ts'

export type FollowFailure = AccessFailure | ListFailure | TooManyStreams

/**
 * Tells until the signal ends, or the person's token or right does. It holds a place among the open streams: who opened it must
 * call it, once.
 */
export type Feed<Shown> = (
  signal: AbortSignal,
) => AsyncGenerator<Followed<Shown>, ClusterFailure | null, void>

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

/** The first page is read before the stream begins, so that who may not see it gets a status and no stream. */
export async function openFeed<Item extends { readonly metadata: { readonly uid: string } }, Shown>(
  {
    withAccess,
    streams,
  }: {
    readonly withAccess: WithAccess
    readonly streams: OpenStreams
  },
  { list, watch }: Listed<Item>,
  asked: Asking,
  labelSelector: string | null,
  show: (item: Item) => Shown,
): Promise<Result<Feed<Shown>, FollowFailure>> {
  const begun = streams.begin(asked)
  if (!begun.ok) return begun
  const { asking, end } = begun.value
  const readIn = (access: ClusterAccess, after: string | null) =>
    list(access, { limit: PAGE_ITEMS, after, labelSelector }, show)

  const opened = await withAccess(asking, async (access) => {
    const page = await readIn(access, null)
    return page.ok ? ok({ access, page: page.value }) : err(meant(page.error, null))
  })
  if (!opened.ok) {
    end()
    return opened
  }
  const { access } = opened.value
  // Not kept once it is told.
  let first: Page<Shown> | undefined = opened.value.page
  return ok((given) => {
    const signal = AbortSignal.any([given, access.signal])
    if (signal.aborted) end()
    signal.addEventListener('abort', end, { once: true })
    const lasting = { ...access, signal }
    const changes = follow({
      labelSelector,
      signal,
      show,
      async page(after) {
        const page = first === undefined ? await readIn(lasting, after) : ok(first)
        first = undefined
        return page
      },
      watch: (from) => watch(lasting, from),
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
