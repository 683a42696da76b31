import { type Pause, visitInSlices } from '../../concurrency/time-slice.ts'

/** What full text looks at of an entity, folded. */
export interface SearchText {
  readonly name: string
  readonly title: string
  /** All other fields, one a line. */
  readonly rest: string
}

/** The same as UTF-8, one field a line, ending with a line end: no term, which has none, reaches over a border. */
export interface EncodedText {
  readonly bytes: Uint8Array
  readonly nameEnd: number
  readonly titleEnd: number
}

/** The texts of all entities, one behind the other in their order. */
export interface SearchIndex {
  readonly bytes: Buffer
  /** Where each text starts, and last where the last one ends. */
  readonly starts: Uint32Array
  readonly nameEnds: Uint32Array
  readonly titleEnds: Uint32Array
}

const encoder = new TextEncoder()

export function encodeText({ name, title, rest }: SearchText): EncodedText {
  const nameEnd = Buffer.byteLength(name)
  return {
    bytes: encoder.encode(`${name}\n${title}\n${rest}\n`),
    nameEnd,
    titleEnd: nameEnd + 1 + Buffer.byteLength(title),
  }
}

/** What an index is built from. */
interface Indexed {
  readonly text: EncodedText
}

/** Entities with the index over them. */
interface IndexedBefore<Entity extends Indexed> {
  readonly entities: readonly Entity[]
  readonly search: SearchIndex
  /** The order of these entities and of those to be indexed. */
  readonly compare: (a: Entity, b: Entity) => number
}

const NOTHING = {
  entities: [],
  search: {
    bytes: Buffer.alloc(0),
    starts: new Uint32Array(1),
    nameEnds: new Uint32Array(),
    titleEnds: new Uint32Array(),
  },
  compare: () => 0,
}

/** Runs of entities that follow each other in `previous` too are taken over from its index in one piece. */
export async function buildSearchIndex<Entity extends Indexed>(
  entities: readonly Entity[],
  pause: Pause,
  previous: IndexedBefore<Entity> = NOTHING,
): Promise<SearchIndex> {
  let size = 0
  await visitInSlices(entities, pause, ({ text }) => {
    size += text.bytes.length
  })
  const index: SearchIndex = {
    bytes: Buffer.allocUnsafe(size),
    starts: new Uint32Array(entities.length + 1),
    nameEnds: new Uint32Array(entities.length),
    titleEnds: new Uint32Array(entities.length),
  }
  const end = { entity: 0, byte: 0 }
  await visitInSlices(runsOf(entities, previous), pause, (run) => {
    if (run.kind === 'new') appendText(index, end, run.entity.text)
    else appendRun(index, end, previous.search, run.from, run.count)
  })
  index.starts[entities.length] = end.byte
  return index
}

type Run<Entity> =
  | { readonly kind: 'new'; readonly entity: Entity }
  | { readonly kind: 'kept'; readonly from: number; readonly count: number }

/** One walk along both lists. Where they are not in order, what is kept may be taken for new. */
function* runsOf<Entity extends Indexed>(
  entities: readonly Entity[],
  { entities: previous, compare }: IndexedBefore<Entity>,
): Generator<Run<Entity>, void, void> {
  let from = 0
  let at = 0
  for (const entity of entities) {
    if (previous[at] === entity) {
      at++
      continue
    }
    if (at > from) yield { kind: 'kept', from, count: at - from }
    for (let old = previous[at]; old !== undefined && old !== entity; old = previous[++at]) {
      if (compare(old, entity) > 0) break
    }
    from = at
    if (previous[at] === entity) at++
    else yield { kind: 'new', entity }
  }
  if (at > from) yield { kind: 'kept', from, count: at - from }
}

interface End {
  entity: number
  byte: number
}

function appendText(index: SearchIndex, end: End, { bytes, nameEnd, titleEnd }: EncodedText) {
  index.bytes.set(bytes, end.byte)
  index.starts[end.entity] = end.byte
  index.nameEnds[end.entity] = end.byte + nameEnd
  index.titleEnds[end.entity] = end.byte + titleEnd
  end.entity++
  end.byte += bytes.length
}

function appendRun(
  index: SearchIndex,
  end: End,
  previous: SearchIndex,
  from: number,
  count: number,
) {
  const first = at(previous.starts, from)
  const last = at(previous.starts, from + count)
  const moved = end.byte - first
  index.bytes.set(previous.bytes.subarray(first, last), end.byte)
  for (let run = 0; run < count; run++) {
    index.starts[end.entity + run] = at(previous.starts, from + run) + moved
    index.nameEnds[end.entity + run] = at(previous.nameEnds, from + run) + moved
    index.titleEnds[end.entity + run] = at(previous.titleEnds, from + run) + moved
  }
  end.entity += count
  end.byte += last - first
}

export type MatchPlace = 'name' | 'title' | 'elsewhere'

/**
 * Visits every entity whose text has all terms, in order, with the place of the term that comes last in it.
 *
 * Each term runs ahead through all texts at once, and what one skips nobody looks at: the cost is that of finding the
 * rarest term, and at most one pass per term, since a term that is ahead of an entity is not looked for again, plus one pass
 * that reads ahead.
 */
export function eachMatch(
  { bytes, starts, nameEnds, titleEnds }: SearchIndex,
  terms: readonly string[],
  visit: (entity: number, place: MatchPlace) => void,
): void {
  const searches = terms.map((term) => ({ needle: Buffer.from(term), found: -1 }))
  const count = nameEnds.length
  let entity = 0
  let readTo = 0
  while (entity < count) {
    const start = at(starts, entity)
    let last = start
    // No iterator: one for each entity is a fifth of a search for what nearly all have.
    for (let index = 0; index < searches.length; index++) {
      const search = searches[index]
      if (search === undefined) return
      if (search.found < start) {
        search.found = bytes.indexOf(search.needle, start)
        if (search.found < 0) return
      }
      if (search.found > last) last = search.found
    }
    if (last < at(starts, entity + 1)) {
      visit(entity, placeOf(last, at(nameEnds, entity), at(titleEnds, entity)))
      entity++
      const next = at(starts, entity)
      const isJump = last < start + NEAR_BYTES && next < start + SHORT_BYTES
      if (isJump && next >= readTo) readTo = readThrough(bytes, next)
    } else {
      entity = entityAt(starts, last, entity + 1)
    }
  }
}

/** A cache line. A match as near as this to the beginning of its text is followed by a jump over the rest. */
const NEAR_BYTES = 64
/** A text that is longer costs more to read than to jump over. */
const SHORT_BYTES = 1024
/** Little for a processor's second-level cache, many texts of ordinary length. */
const READ_AHEAD_BYTES = 32 * 1024
const NEVER_IN_UTF8 = 0xff

/**
 * Brings the texts from `from` on into the processor's cache, and says how far. A search that finds its terms at the beginning
 * of each text jumps from text to text and waits for the memory of each; read in one piece, memory comes ahead of the reader.
 * Looking for a byte that no UTF-8 has is the fastest way to read every byte.
 */
function readThrough(bytes: Buffer, from: number): number {
  const to = from + READ_AHEAD_BYTES
  bytes.subarray(from, to).indexOf(NEVER_IN_UTF8)
  return to
}

const at = (positions: Uint32Array, index: number): number => positions[index] ?? 0

const placeOf = (position: number, nameEnd: number, titleEnd: number): MatchPlace => {
  if (position < nameEnd) return 'name'
  return position < titleEnd ? 'title' : 'elsewhere'
}

/** Which entity a position belongs to; none before `first`. */
function entityAt(starts: Uint32Array, position: number, first: number): number {
  let low = first
  let high = starts.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if (at(starts, middle) <= position) low = middle
    else high = middle - 1
  }
  return low
}
