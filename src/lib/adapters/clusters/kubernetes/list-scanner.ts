import { createParts } from './parts.ts'

const [QUOTE, BACKSLASH] = [0x22, 0x5c]
const [OPEN_OBJECT, CLOSE_OBJECT, OPEN_ARRAY, CLOSE_ARRAY] = [0x7b, 0x7d, 0x5b, 0x5d]
const BETWEEN_ITEMS: ReadonlySet<number> = new Set(Buffer.from(' \t\r\n,'))
const ITEMS_KEY = /[{,]\s*"items"\s*:\s*\[$/
const KEY_BYTES = 64

/** The text is not a JSON list, or an item or the envelope is longer than `maxBytes`. */
export class ListBroken extends Error {
  readonly reason: 'too_long' | 'not_json'
  constructor(reason: ListBroken['reason']) {
    super(reason)
    this.reason = reason
  }
}

export interface ListScannerOptions {
  /** Limit for each item, and for the envelope. */
  readonly maxBytes: number
  /** Receives each item as JSON. */
  readonly onItem: (json: string) => void
}

/**
 * Cuts a Kubernetes list into its items while it arrives, so that neither its text nor its parsed form is ever held whole: a
 * page of 500 pods is 4.5 MB of text and several times that when parsed. Tracks only the JSON syntax that ends an item.
 * @throws ListBroken
 */
export function createListScanner({ maxBytes, onItem }: ListScannerOptions) {
  const item = createParts()
  const envelope = createParts()
  let depth = 0
  let isString = false
  let isEscaped = false
  let place: 'before' | 'between' | 'item' | 'after' = 'before'

  function keep(chunk: Uint8Array, start: number, end: number): void {
    if (place === 'between' || start >= end) return
    const parts = place === 'item' ? item : envelope
    // Copied: the caller reuses the chunk.
    parts.add(new Uint8Array(chunk.subarray(start, end)))
    if (parts.byteLength() > maxBytes) throw new ListBroken('too_long')
  }

  /** Most items lie within one chunk and are decoded in place: copies would be most of the memory that a list costs. */
  function itemUpTo(chunk: Uint8Array, start: number, end: number): string {
    const isWhole = item.byteLength() === 0 && end - start <= maxBytes
    if (isWhole) return Buffer.from(chunk.buffer, chunk.byteOffset + start, end - start).toString()
    keep(chunk, start, end)
    return item.take().toString()
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
          if (sign === OPEN_ARRAY && depth === 2 && place === 'before') {
            keep(chunk, start, index + 1)
            start = index + 1
            if (ITEMS_KEY.test(envelope.last(KEY_BYTES).toString('latin1'))) place = 'between'
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

    /** The envelope, the list without its items, as JSON. */
    end(): string {
      if (place === 'between' || place === 'item') throw new ListBroken('not_json')
      return envelope.take().toString('utf8')
    },
  }
}
