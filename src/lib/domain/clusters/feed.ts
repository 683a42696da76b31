import type { ClusterFailure, Page, Selection } from '../../ports/clusters.ts'
import { err, ok, type Result } from '../../result.ts'
import type { AccessFailure, ClusterRequest, GrantedAccess } from './access.ts'
import {
  type FeedEvents,
  type FeedPosition,
  follow,
  type Identified,
  newPosition,
} from './follow.ts'
import { type ListFailure, listFailure, type Resource } from './listing.ts'
import type { OpenStreams, TooManyStreams } from './open-streams.ts'

export type FeedFailure = AccessFailure | ListFailure | TooManyStreams

/**
 * Starts the events of a feed. They end when `reader` aborts, or the person's token or right ends. The feed holds a slot among
 * the open streams until then, so the caller of `openFeed` must start it, once.
 */
export type Feed<View, Failure = ClusterFailure> = (
  reader: AbortSignal,
) => FeedEvents<View, Failure>

/** Page size of a snapshot. A page is held for as long as its client does not read. */
const PAGE_ITEMS = 100

/**
 * Reads the first page before the stream starts: a person without the right gets a status, not a stream. A feed that goes on from a position
 * has no first page.
 */
export async function openFeed<View extends Identified>(
  streams: OpenStreams,
  { list, watch, later }: Resource<View>,
  request: ClusterRequest,
  selection: Selection,
  position: FeedPosition = newPosition(),
): Promise<Result<Feed<View>, FeedFailure>> {
  const readPage = (access: GrantedAccess, after: string | null) =>
    list(access, { limit: PAGE_ITEMS, after, ...selection })

  type Opening = Result<Page<View> | undefined, ListFailure>
  const opened = await streams.open(request, async (access): Promise<Opening> => {
    // Versions of another API server mean nothing.
    if (position.cluster !== access.cluster) position.version = null
    position.cluster = access.cluster
    if (position.version !== null) return ok(undefined)
    const page = await readPage(access, null)
    return page.ok ? page : err(listFailure(page.error, { ...selection, cursor: null }))
  })
  if (!opened.ok) return opened
  const { access, close } = opened.value
  // Dropped after it was sent, to free its memory.
  let firstPage = opened.value.value
  return ok((reader) => {
    // The signal of access aborts with that of the request.
    const signal =
      reader === request.signal ? access.signal : AbortSignal.any([reader, access.signal])
    if (signal !== access.signal) reader.addEventListener('abort', close)
    if (reader.aborted) close()
    return follow({
      ...selection,
      signal,
      position,
      ...(later && { later }),
      onEnd: close,
      async list(after) {
        const page =
          firstPage === undefined ? await readPage({ ...access, signal }, after) : ok(firstPage)
        firstPage = undefined
        return page
      },
      watch: (from) => watch({ ...access, signal }, from),
    })
  })
}
