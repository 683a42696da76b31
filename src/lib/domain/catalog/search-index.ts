import { type createTimeSlice, visitInSlices } from './time-slice.ts'

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

export function encodeText({ name, title, rest }: SearchText): EncodedText {
  const nameEnd = Buffer.byteLength(name)
  return {
    bytes: new TextEncoder().encode(`${name}\n${title}\n${rest}\n`),
    nameEnd,
    titleEnd: nameEnd + 1 + Buffer.byteLength(title),
  }
}

export async function buildSearchIndex(
  texts: readonly EncodedText[],
  pause: ReturnType<typeof createTimeSlice>,
): Promise<SearchIndex> {
  const index = {
    bytes: Buffer.allocUnsafe(texts.reduce((sum, { bytes }) => sum + bytes.length, 0)),
    starts: new Uint32Array(texts.length + 1),
    nameEnds: new Uint32Array(texts.length),
    titleEnds: new Uint32Array(texts.length),
  }
  let start = 0
  await visitInSlices(texts.entries(), pause, ([entity, { bytes, nameEnd, titleEnd }]) => {
    index.bytes.set(bytes, start)
    index.starts[entity] = start
    index.nameEnds[entity] = start + nameEnd
    index.titleEnds[entity] = start + titleEnd
    start += bytes.length
  })
  index.starts[texts.length] = start
  return index
}

export type MatchPlace = 'name' | 'title' | 'elsewhere'

/**
 * Visits every entity whose text has all terms, in order, with the place of the term that comes last in it.
 *
 * Each term runs ahead through all texts at once, and what one skips nobody looks at: the cost is that of finding the
 * rarest term. Never of more than one pass per term, since a term that is ahead of an entity is not looked for again.
 */
export function eachMatch(
  { bytes, starts, nameEnds, titleEnds }: SearchIndex,
  terms: readonly string[],
  visit: (entity: number, place: MatchPlace) => void,
): void {
  const needles = terms.map((term) => Buffer.from(term))
  const found = needles.map(() => -1)
  const count = nameEnds.length
  let entity = 0
  while (entity < count) {
    const start = at(starts, entity)
    let last = start
    for (const [term, needle] of needles.entries()) {
      let position = found[term] ?? -1
      if (position < start) {
        position = bytes.indexOf(needle, start)
        if (position < 0) return
        found[term] = position
      }
      if (position > last) last = position
    }
    if (last < at(starts, entity + 1)) {
      visit(entity, placeOf(last, at(nameEnds, entity), at(titleEnds, entity)))
      entity++
    } else {
      entity = entityAt(starts, last, entity + 1)
    }
  }
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
