import { promisify } from 'node:util'
import { gzip as gzipWithCallback } from 'node:zlib'
import { LRUCache } from 'lru-cache'
import { createFair } from '../concurrency/fair.ts'
import { createSingleFlight } from '../concurrency/single-flight.ts'
import type { CachedValue } from '../concurrency/ttl-cache.ts'
import type { ObjectId } from '../names.ts'
import { isNotModified, preferredCoding } from '../http/negotiation.ts'
import { type Page, pageHeaders } from '../http/page.ts'
import { createDigest, TAG_LENGTH } from '../http/tagged-json.ts'
import { VERSION } from '../../version.ts'
import { keptCatalogHeaders } from './catalog/answer.ts'

const CACHE_MAX_BYTES = 32 * 1024 * 1024
/** Larger lists are sent in chunks, so that other requests do not wait for one copy into a socket. */
const WHOLE_MAX_BYTES = 1024 * 1024
const CHUNK_ITEMS = 64
const COMPRESS_MIN_BYTES = 1024
const COMPRESS_MAX_BYTES = 32 * 1024 * 1024
/** Headers and bookkeeping of a list. */
const LIST_BYTES = 1_000
const REFERENCE_BYTES = 8
/** An object and its text, without the characters. */
const PART_BYTES = 100
const CHARACTER_BYTES = 2

/** An item of a list. */
export interface ItemJson {
  readonly json: string
  /** Size of `json` in UTF-8. */
  readonly jsonBytes: number
}

/** The items that a query selects. */
export interface JsonPage extends Page<ItemJson> {
  /** The same for all spellings of a query, and part of the ETag. */
  readonly query: string
  /** Whether the texts are the page's own, and not those of the state. */
  readonly isPart: boolean
}

type JsonList = ReturnType<typeof createList>

export interface JsonListsOptions<State> {
  /** Changes with every state that has other lists. */
  readonly contentOf: (state: State) => unknown
  /** Differs between states that have other lists, in all processes. */
  readonly tagOf: (state: State) => string
}

/** List answers by query, bounded in bytes. A new state starts empty. */
export function createJsonLists<State>({ contentOf, tagOf }: JsonListsOptions<State>) {
  const lists = new LRUCache<string, JsonList>({ maxSize: CACHE_MAX_BYTES })
  let content: unknown

  let underWay = createSingleFlight<JsonList>()

  function keepOnly(state: State): void {
    const current = contentOf(state)
    if (content === current) return
    lists.clear()
    underWay = createSingleFlight()
    content = current
  }

  function add(state: State, page: JsonPage): JsonList {
    keepOnly(state)
    const { query, link } = page
    const list = createList(page, etagOf(tagOf(state), query), (compressedBytes) => {
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
    find(state: State, query: string): JsonList | undefined {
      keepOnly(state)
      return lists.get(query)
    },
    add,
    /** Adds a page that takes time, made once however many ask for it meanwhile. */
    addLater(state: State, query: string, make: () => Promise<JsonPage>): Promise<JsonList> {
      keepOnly(state)
      return underWay.join(query, async () => add(state, await make()))
    },
  }
}

/** Weak, because one tag stands for all content codings. Another version may answer in another form. */
const etagOf = (tag: string, query: string): string =>
  `W/"${createDigest().update(`${VERSION}\n${tag}\n${query}`).digest('hex').slice(0, TAG_LENGTH)}"`

function createList(
  { items, isPart, total, link }: JsonPage,
  etag: string,
  onCompressed: (bytes: number) => void,
) {
  const size = items.reduce((sum, { jsonBytes }) => sum + jsonBytes + 1, 2)
  const isWhole = size <= WHOLE_MAX_BYTES
  const isCompressed = size >= COMPRESS_MIN_BYTES && size <= COMPRESS_MAX_BYTES
  let whole: Blob | undefined
  let compressed: Promise<Blob> | undefined

  async function compressBody(): Promise<Blob> {
    const body = await compress(items)
    onCompressed(body.size)
    return body
  }

  return {
    etag,
    headers: keptCatalogHeaders(() => ({
      'cache-control': 'private, no-cache',
      vary: 'accept-encoding',
      etag,
      ...pageHeaders({ total, link }),
    })),
    /** Upper bound of the memory of the list with its plain body. */
    plainBytes:
      items.length * (isPart ? PART_BYTES : REFERENCE_BYTES) +
      (isWhole ? size : 0) +
      (isPart ? size : 0),
    body: (): Blob | ReadableStream<Uint8Array> =>
      isWhole ? (whole ??= new Blob([jsonOf(items)])) : streamOf(items),
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

const jsonOf = (items: readonly ItemJson[]): string =>
  `[${items.map(({ json }) => json).join(',')}]`

/** The event loop has a turn after each chunk. */
function streamOf(items: readonly ItemJson[]): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  let start = 0
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      const end = start + CHUNK_ITEMS
      const isLast = end >= items.length
      const chunk = jsonOf(items.slice(start, end)).slice(1, -1)
      controller.enqueue(encoder.encode(`${start === 0 ? '[' : ','}${chunk}${isLast ? ']' : ''}`))
      start = end
      if (isLast) controller.close()
      else await new Promise((resolve) => setImmediate(resolve))
    },
  })
}

const gzip = promisify(gzipWithCallback)
/** Each compression needs its whole list in memory. */
const { inTurn: oneAtATime } = createFair({ queue: 'compression', permits: 1 })

const compress = (items: readonly ItemJson[]): Promise<Blob> =>
  oneAtATime(async () => new Blob([await gzip(await new Response(streamOf(items)).bytes())]))

/** 304 when the client has the list already, compressed when it accepts gzip. */
export async function answerList(
  request: Request,
  list: JsonList,
  cached: CachedValue<{ readonly commit: ObjectId }>,
  now: number,
): Promise<Response> {
  const headers = list.headers(cached, now)
  if (isNotModified(request, list.etag)) return new Response(null, { status: 304, headers })
  const gzipped = preferredCoding(request, ['gzip']) === 'gzip' ? list.gzipped() : undefined
  if (gzipped === undefined) return new Response(list.body(), { headers })
  const response = new Response(await gzipped, { headers })
  response.headers.set('content-encoding', 'gzip')
  return response
}
