import { gzip } from 'node:zlib'
import type { CatalogEntity, Snapshot } from '../domain/catalog/snapshot.ts'
import { createTimeSlice } from '../domain/catalog/time-slice.ts'

/** Lists up to this size are kept ready in one piece; larger ones go out in chunks, so that nobody waits behind them. */
const READY_MAX_BYTES = 1024 * 1024
/** An entity and its comma are two. */
const CHUNK_PIECES = 128
const COMPRESS_MIN_BYTES = 1024
const CACHE_MAX_BYTES = 32 * 1024 * 1024
const CACHE_MAX_ENTRIES = 2_000

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
  /** The JSON array, whole or in chunks. */
  body(): Blob | ReadableStream<Uint8Array>
  /** The same compressed; `undefined` when it is too small to gain. Made once, off the event loop. */
  gzipped(): Promise<Blob> | Blob | undefined
}

/**
 * List answers, kept per snapshot and query string: the entities were serialised when they were loaded, here they are only
 * put together. Bounded in bytes; a new snapshot starts empty.
 */
export function createEntityLists() {
  let entities: Snapshot['entities'] | undefined
  let lists = new Map<string, EntityList>()
  let bytes = 0

  function forget() {
    lists = new Map()
    bytes = 0
  }

  return {
    /** The list for a query string: the kept one, or made by `select`. */
    find(snapshot: Snapshot, query: string): EntityList | undefined {
      if (entities !== snapshot.entities) {
        entities = snapshot.entities
        forget()
      }
      return lists.get(query)
    },
    keep(snapshot: Snapshot, query: string, page: EntityPage): EntityList {
      const list = createEntityList(page, etagOf(snapshot, query), (size) => {
        bytes += size
        if (bytes > CACHE_MAX_BYTES) forget()
      })
      if (lists.size >= CACHE_MAX_ENTRIES) forget()
      if (entities === snapshot.entities) lists.set(query, list)
      return list
    },
  }
}

/** Weak, because one tag stands for all content codings. The tree says what the entities are, the query which of them. */
const etagOf = (snapshot: Snapshot, query: string): string =>
  `W/"${(snapshot.tree ?? 'empty').slice(0, 16)}-${Bun.hash(query).toString(36)}"`

function createEntityList(
  page: EntityPage,
  etag: string,
  onKept: (bytes: number) => void,
): EntityList {
  const { entities } = page
  const size = entities.reduce((sum, { json }) => sum + json.length + 1, 2)
  let ready: Blob | undefined
  let compressed: Promise<Blob> | Blob | undefined

  const keep = (bytes: Uint8Array): Blob => {
    onKept(bytes.length)
    return new Blob([bytes])
  }
  return {
    ...page,
    etag,
    body() {
      if (size > READY_MAX_BYTES) return chunked(entities)
      ready ??= keep(Buffer.concat(piecesOf(entities)))
      return ready
    },
    gzipped() {
      if (size < COMPRESS_MIN_BYTES) return undefined
      compressed ??= compress(entities, size).then((bytes) => {
        compressed = keep(bytes)
        return compressed
      })
      return compressed
    },
  }
}

const OPEN = Buffer.from('[')
const CLOSE = Buffer.from(']')
const COMMA = Buffer.from(',')

function piecesOf(entities: readonly CatalogEntity[]): readonly Uint8Array[] {
  const pieces: Uint8Array[] = [OPEN]
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

async function compress(entities: readonly CatalogEntity[], size: number): Promise<Uint8Array> {
  const pause = createTimeSlice()
  const all = new Uint8Array(size)
  let length = 0
  for (const piece of piecesOf(entities)) {
    all.set(piece, length)
    length += piece.length
    await pause()
  }
  return new Promise((resolve, reject) => {
    gzip(all.subarray(0, length), (error, bytes) => (error ? reject(error) : resolve(bytes)))
  })
}
