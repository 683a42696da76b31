import { createParts } from './parts.ts'

const [QUOTE, BACKSLASH] = [0x22, 0x5c]
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_ARRAY, CLOSE_ARRAY] = [0x7b, 0x7d, 0x5b, 0x5d]
const BETWEEN_ITEMS: ReadonlySet<number> = new Set(Buffer.from(' \t\r\n,'))
const ITEMS_KEY = /[{,]\s*"items"\s*:\s*$/
const KEY_BYTES = 64

/** A list that is no list, or has something in it that is longer than it may be. */
export class ListBroken extends Error {
  readonly reason: 'too_long' | 'not_json'
  constructor(reason: ListBroken['reason']) {
    super(reason)
    this.reason = reason
  }
}

export interface ListScannerOptions {
  /** Of one item, and of everything around the items. */
  readonly maxBytes: number
  /** One item, as JSON. */
  readonly onItem: (json: string) => void
}

/**
 * Cuts a Kubernetes list into its items while it arrives, so that neither its text nor its parsed whole is ever held: a page
 * of 500 pods is 4.5 MB of text and several times that when parsed. Knows as much of JSON as it takes to find where an item ends.
 * @throws ListBroken
 */
export function createListScanner({ maxBytes, onItem }: ListScannerOptions) {
  /** What was read of the item, and of the list around its items, that is not complete yet. */
  const begun = createParts()
  const around = createParts()
  let depth = 0
  let isString = false
  let isEscaped = false
  let place: 'before' | 'between' | 'item' | 'after' = 'before'

  function keep(chunk: Uint8Array, start: number, end: number): void {
    if (place === 'between' || start >= end) return
    const parts = place === 'item' ? begun : around
    // A copy: the chunk is its caller's again.
    parts.add(new Uint8Array(chunk.subarray(start, end)))
    if (parts.byteLength() > maxBytes) throw new ListBroken('too_long')
  }

  /** Most items lie in one chunk, and are read where they lie: copies would be most of what a list costs in memory. */
  function itemUpTo(chunk: Uint8Array, start: number, end: number): string {
    const isWhole = begun.byteLength() === 0 && end - start <= maxBytes
    if (isWhole) return Buffer.from(chunk.buffer, chunk.byteOffset + start, end - start).toString()
    keep(chunk, start, end)
    return begun.take().toString()
  }

  const isItemsNext = (chunk: Uint8Array, start: number, end: number): boolean => {
    const here = chunk.subarray(Math.max(start, end - KEY_BYTES), end)
    const before = here.byteLength < KEY_BYTES ? around.last(KEY_BYTES) : new Uint8Array()
    return ITEMS_KEY.test(Buffer.concat([before, here]).toString('latin1'))
  }

  return {
    feed(chunk: Uint8Array): void {
      let start = 0
      for (let index = 0; index < chunk.byteLength; index++) {
        const sign = chunk[index] ?? 0
        if (isString) {
          if (isEscaped) isEscaped = false
          else if (sign === BACKSLASH) isEscaped = true
          else if (sign === QUOTE) isString = false
          continue
        }
        if (place === 'between') {
          if (sign === CLOSE_ARRAY) {
            place = 'after'
            depth--
            start = index
          } else if (sign === OPEN_OBJECT) {
            place = 'item'
            depth++
            start = index
          } else if (!BETWEEN_ITEMS.has(sign)) throw new ListBroken('not_json')
          continue
        }
        if (sign === QUOTE) isString = true
        else if (sign === OPEN_OBJECT || sign === OPEN_ARRAY) {
          depth++
          const isItems = sign === OPEN_ARRAY && depth === 2 && place === 'before'
          if (isItems && isItemsNext(chunk, start, index)) {
            keep(chunk, start, index + 1)
            place = 'between'
          }
        } else if (sign === CLOSE_OBJECT || sign === CLOSE_ARRAY) {
          depth--
          if (place === 'item' && depth === 2) {
            onItem(itemUpTo(chunk, start, index + 1))
            place = 'between'
          }
        }
      }
      keep(chunk, start, chunk.byteLength)
    },

    /** The list without its items, as JSON. */
    end(): string {
      if (place === 'between' || place === 'item') throw new ListBroken('not_json')
      return around.take().toString('utf8')
    },
  }
}
