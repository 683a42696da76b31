import { gzip } from 'node:zlib'
import type { CatalogEntity, Snapshot } from '../../domain/catalog/snapshot.ts'
import { createTimeSlice, visitInSlices } from '../../concurrency/time-slice.ts'
import { createCatalogHeaders } from './answer.ts'

/** Lists up to this size are kept ready in one piece; larger ones go out in chunks, so that nobody waits behind them. */
const READY_MAX_BYTES = 1024 * 1024
/** An entity and its comma are two. */
const CHUNK_PIECES = 128
const COMPRESS_MIN_BYTES = 1024
const COMPRESS_MAX_BYTES = 32 * 1024 * 1024
const CACHE_MAX_BYTES = 32 * 1024 * 1024
/** Then all of them are forgotten. */
const ASKED_MAX_QUERIES = 10_000
/** Longer query strings are parsed every time: they are nobody's bookmark. */
const QUERY_MAX_CHARACTERS = 1_000
const REFERENCE_BYTES = 8
const CHARACTER_BYTES = 2
/** What a list takes that finds nothing, and a spelling that says nothing. */
const LIST_BYTES = 1_000
const SPELLING_BYTES = 100

/** What a query selects of a snapshot. */
export interface EntityPage {
  readonly entities: readonly CatalogEntity[]
  /** How many there are without `limit` and `offset`. */
  readonly total: number
  /** Value of the `Link` header, when there is a next page. */
  readonly link: string | null
}

export interface EntityList extends EntityPage {
  readonly etag: string
  readonly headers: ReturnType<typeof createCatalogHeaders>
  /** The JSON array, whole or in chunks. */
  body(): Blob | ReadableStream<Uint8Array>
  /** The same compressed; `undefined` where that gains nothing or costs too much. Made once for a list, off the event loop. */
  gzipped(): Promise<Blob> | undefined
}

/**
 * List answers, kept per snapshot: the entities were serialised when they were loaded, here they are only put together. Kept by
 * what a query means, however it is spelled, and bounded in bytes, all that a list holds included; a new snapshot starts empty.
 * What was asked for only once is not kept: most of that is a word that somebody is still typing.
 */
export function createEntityLists() {
  let entities: Snapshot['entities'] | undefined
  let kept = nothingKept()
  /** Hashes of what was asked for lately, of whatever snapshot. */
  const asked = new Set<number | bigint>()
  const compress = createCompressor()

  /** Remembers that this was asked for, and says whether it was before. */
  function rememberAsked(meaning: string): boolean {
    const hash = Bun.hash(meaning)
    if (asked.has(hash)) return true
    if (asked.size >= ASKED_MAX_QUERIES) asked.clear()
    asked.add(hash)
    return false
  }
  /** What is counted late, since it was being compressed, counts where its list is. */
  const counter = (place: KeptLists) => (bytes: number) => {
    place.bytes += bytes
    if (place === kept && place.bytes > CACHE_MAX_BYTES) kept = nothingKept()
  }
  function keep(meaning: string, page: EntityPage, etag: string): EntityList {
    const count = counter(kept)
    const list = createEntityList(page, etag, compress, count)
    kept.byMeaning.set(meaning, list)
    // A `Link` is kept twice, among the headers too.
    const characters = meaning.length + 2 * (page.link?.length ?? 0)
    count(LIST_BYTES + page.entities.length * REFERENCE_BYTES + characters * CHARACTER_BYTES)
    return list
  }

  return {
    /** The list that this query string got before. */
    find(snapshot: Snapshot, query: string): EntityList | undefined {
      if (entities !== snapshot.entities) {
        entities = snapshot.entities
        kept = nothingKept()
      }
      return kept.byQuery.get(query)
    },

    /** The list for what a query string means: one that is kept, or made of the page, which must be the same for every spelling. */
    make(snapshot: Snapshot, query: string, meaning: string, page: () => EntityPage): EntityList {
      let list = kept.byMeaning.get(meaning)
      if (list === undefined) {
        const etag = etagOf(snapshot, meaning)
        // A request that began with an older snapshot must not leave its list with the newer one.
        const isKept = rememberAsked(meaning) && entities === snapshot.entities
        if (!isKept) return createEntityList(page(), etag, compress, uncounted)
        list = keep(meaning, page(), etag)
      }
      const isStillKept = kept.byMeaning.get(meaning) === list
      if (isStillKept && query.length <= QUERY_MAX_CHARACTERS) {
        kept.byQuery.set(query, list)
        counter(kept)(SPELLING_BYTES + query.length * CHARACTER_BYTES)
      }
      return list
    },
  }
}

interface KeptLists {
  readonly byQuery: Map<string, EntityList>
  readonly byMeaning: Map<string, EntityList>
  bytes: number
}

const uncounted = () => {}

const nothingKept = (): KeptLists => ({ byQuery: new Map(), byMeaning: new Map(), bytes: 0 })

/** Weak, because one tag stands for all content codings. The tree says what the entities are, the query which of them. */
const etagOf = (snapshot: Snapshot, meaning: string): string =>
  `W/"${(snapshot.listing.tree ?? 'empty').slice(0, 16)}-${Bun.hash(meaning).toString(36)}"`

function createEntityList(
  page: EntityPage,
  etag: string,
  compress: ReturnType<typeof createCompressor>,
  count: (bytes: number) => void,
): EntityList {
  const { entities } = page
  const size = entities.reduce((sum, { json }) => sum + json.length + 1, 2)
  let ready: Blob | undefined
  let compressed: Promise<Blob> | undefined

  const keep = (pieces: Uint8Array<ArrayBuffer>[], length: number): Blob => {
    count(length)
    return new Blob(pieces)
  }
  return {
    ...page,
    etag,
    headers: createCatalogHeaders({
      'content-type': 'application/json',
      'cache-control': 'private, no-cache',
      vary: 'accept-encoding',
      etag,
      'x-total-count': String(page.total),
      ...(page.link !== null && { link: page.link }),
    }),
    body() {
      if (size > READY_MAX_BYTES) return chunked(entities)
      ready ??= keep(piecesOf(entities), size)
      return ready
    },
    gzipped() {
      if (size < COMPRESS_MIN_BYTES || size > COMPRESS_MAX_BYTES) return undefined
      compressed ??= compress(entities, size).then((bytes) => keep([bytes], bytes.length))
      return compressed
    },
  }
}

const OPEN = Buffer.from('[')
const CLOSE = Buffer.from(']')
const COMMA = Buffer.from(',')

function piecesOf(entities: readonly CatalogEntity[]): Uint8Array<ArrayBuffer>[] {
  const pieces: Uint8Array<ArrayBuffer>[] = [OPEN]
  for (const [index, { json }] of entities.entries()) {
    if (index > 0) pieces.push(COMMA)
    pieces.push(json)
  }
  pieces.push(CLOSE)
  return pieces
}

/** A turn of the event loop between chunks: even ready bytes hold it for as long as their copy into the socket takes. */
function chunked(entities: readonly CatalogEntity[]): ReadableStream<Uint8Array> {
  const pieces = piecesOf(entities)
  let next = 0
  return new ReadableStream<Uint8Array>({
    async pull(controller) {
      controller.enqueue(Buffer.concat(pieces.slice(next, next + CHUNK_PIECES)))
      next += CHUNK_PIECES
      if (next >= pieces.length) controller.close()
      else await new Promise((resolve) => setImmediate(resolve))
    },
  })
}

/** One list after the other: each needs its whole size at once, for as long as it takes. */
function createCompressor() {
  let last: Promise<unknown> = Promise.resolve()
  return (entities: readonly CatalogEntity[], size: number): Promise<Uint8Array<ArrayBuffer>> => {
    const compressed = last.then(() => compressPieces(piecesOf(entities), size))
    last = compressed.catch(() => undefined)
    return compressed
  }
}

async function compressPieces(
  pieces: readonly Uint8Array[],
  size: number,
): Promise<Uint8Array<ArrayBuffer>> {
  const all = new Uint8Array(size)
  let length = 0
  await visitInSlices(pieces, createTimeSlice(), (piece) => {
    all.set(piece, length)
    length += piece.length
  })
  return new Promise((resolve, reject) => {
    gzip(all.subarray(0, length), (error, bytes) => (error ? reject(error) : resolve(bytes)))
  })
}
