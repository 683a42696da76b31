import { promisify } from 'node:util'
import { gzip as gzipWithCallback } from 'node:zlib'
import { LRUCache } from 'lru-cache'
import { createSemaphore } from '../../concurrency/semaphore.ts'
import { createSingleFlight } from '../../concurrency/single-flight.ts'
import type { CachedValue } from '../../concurrency/ttl-cache.ts'
import type { EntityJson } from '../../domain/catalog/fields.ts'
import type { Snapshot } from '../../domain/catalog/snapshot.ts'
import { acceptsGzip, isNotModified } from '../../http/negotiation.ts'
import { catalogHeaders } from './answer.ts'

const CACHE_MAX_BYTES = 32 * 1024 * 1024
/** Larger lists are sent in chunks, so that other requests do not wait for one copy into a socket. */
const WHOLE_MAX_BYTES = 1024 * 1024
const CHUNK_ENTITIES = 64
const COMPRESS_MIN_BYTES = 1024
const COMPRESS_MAX_BYTES = 32 * 1024 * 1024
/** Headers and bookkeeping of a list. */
const LIST_BYTES = 1_000
const REFERENCE_BYTES = 8
/** An object and its text, without the characters. */
const PART_BYTES = 100
const CHARACTER_BYTES = 2

/** The entities that a query selects from a snapshot. */
export interface EntityPage {
  /** The same for all spellings of a query, and part of the ETag. */
  readonly query: string
  readonly entities: readonly EntityJson[]
  /** Whether the texts are the page's own, and not those of the snapshot. */
  readonly isPart: boolean
  /** Number of entities on all pages. */
  readonly total: number
  /** Value of the `Link` header; `null` on the last page. */
  readonly link: string | null
}

export type EntityList = ReturnType<typeof createEntityList>

/** List answers by query, bounded in bytes. A new snapshot starts empty. */
export function createEntityLists() {
  const lists = new LRUCache<string, EntityList>({ maxSize: CACHE_MAX_BYTES })
  let entities: Snapshot['entities'] | undefined

  let underWay = createSingleFlight<EntityList>()

  function keepOnly(snapshot: Snapshot): void {
    if (entities === snapshot.entities) return
    lists.clear()
    underWay = createSingleFlight()
    entities = snapshot.entities
  }

  function add(snapshot: Snapshot, page: EntityPage): EntityList {
    keepOnly(snapshot)
    const { query, link } = page
    const list = createEntityList(page, etagOf(snapshot, query), (compressedBytes) => {
      if (lists.peek(query) !== list) return
      // The cache ignores the size of a value that it has already.
      lists.delete(query)
      lists.set(query, list, { size: size + compressedBytes })
    })
    const characters = query.length + 2 * (link?.length ?? 0)
    const size = list.plainBytes + LIST_BYTES + characters * CHARACTER_BYTES
    lists.set(query, list, { size })
    return list
  }

  return {
    find(snapshot: Snapshot, query: string): EntityList | undefined {
      keepOnly(snapshot)
      return lists.get(query)
    },
    add,
    /** Adds a page that takes time, made once however many ask for it meanwhile. */
    addLater(
      snapshot: Snapshot,
      query: string,
      make: () => Promise<EntityPage>,
    ): Promise<EntityList> {
      keepOnly(snapshot)
      return underWay.join(query, async () => add(snapshot, await make()))
    },
  }
}

/** Weak, because one tag stands for all content codings. */
const etagOf = ({ tree, leftOut }: Snapshot, query: string): string =>
  `W/"${(tree ?? 'empty').slice(0, 16)}-${Bun.hash([query, ...leftOut.keys()].join('\n')).toString(36)}"`

function createEntityList(
  { entities, isPart, total, link }: EntityPage,
  etag: string,
  onCompressed: (bytes: number) => void,
) {
  const size = entities.reduce((sum, { jsonBytes }) => sum + jsonBytes + 1, 2)
  const isWhole = size <= WHOLE_MAX_BYTES
  const isCompressed = size >= COMPRESS_MIN_BYTES && size <= COMPRESS_MAX_BYTES
  let whole: Blob | undefined
  let compressed: Promise<Blob> | undefined

  async function compressBody(): Promise<Blob> {
    const body = await compress(entities)
    onCompressed(body.size)
    return body
  }

  return {
    etag,
    headers: {
      'cache-control': 'private, no-cache',
      vary: 'accept-encoding',
      etag,
      'x-total-count': String(total),
      ...(link !== null && { link }),
    },
    /** Upper bound of the memory of the list with its plain body. */
    plainBytes:
      entities.length * (isPart ? PART_BYTES : REFERENCE_BYTES) +
      (isWhole ? size : 0) +
      (isPart ? size : 0),
    body: (): Blob | ReadableStream<Uint8Array> =>
      isWhole ? (whole ??= new Blob([jsonOf(entities)])) : streamOf(entities),
    /** The compressed body, made once; `undefined` for lists that are too small or too large. */
    gzipped(): Promise<Blob> | undefined {
      if (!isCompressed) return undefined
      compressed ??= compressBody().catch((error: unknown) => {
        compressed = undefined
        throw error
      })
      return compressed
    },
  }
}

const jsonOf = (entities: readonly EntityJson[]): string =>
  `[${entities.map(({ json }) => json).join(',')}]`

/** The event loop has a turn after each chunk. */
function streamOf(entities: readonly EntityJson[]): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  let start = 0
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const end = start + CHUNK_ENTITIES
      const isLast = end >= entities.length
      const chunk = jsonOf(entities.slice(start, end)).slice(1, -1)
      controller.enqueue(encoder.encode(`${start === 0 ? '[' : ','}${chunk}${isLast ? ']' : ''}`))
      start = end
      if (isLast) controller.close()
      else await new Promise((resolve) => setImmediate(resolve))
    },
  })
}

const gzip = promisify(gzipWithCallback)
/** Each compression needs its whole list in memory. */
const oneAtATime = createSemaphore(1)

const compress = (entities: readonly EntityJson[]): Promise<Blob> =>
  oneAtATime(async () => new Blob([await gzip(await new Response(streamOf(entities)).bytes())]))

/** 304 when the client has the list already, compressed when it accepts gzip. */
export async function answerList(
  request: Request,
  list: EntityList,
  cached: CachedValue<Snapshot>,
  now: number,
): Promise<Response> {
  const headers = catalogHeaders(cached, now, list.headers)
  if (isNotModified(request, list.etag)) return new Response(null, { status: 304, headers })
  const gzipped = acceptsGzip(request) ? list.gzipped() : undefined
  if (gzipped === undefined) return new Response(list.body(), { headers })
  headers.set('content-encoding', 'gzip')
  return new Response(await gzipped, { headers })
}
