/** The part of a representation that a request asks for. */
export type ByteRange =
  | { readonly kind: 'whole' }
  /** `end` is exclusive. */
  | { readonly kind: 'part'; readonly start: number; readonly end: number }
  | { readonly kind: 'unsatisfiable' }

const RANGE = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i
const WHOLE = { kind: 'whole' } as const

/**
 * Evaluates `Range` and its condition `If-Range` (RFC 9110 §14.2, §13.1.5). Ignores other units and several ranges, as the RFC
 * allows. A date in `If-Range` never matches, because answers have no `Last-Modified`.
 */
export function rangeOf({ method, headers }: Request, size: number, etag: string): ByteRange {
  const range = headers.get('range')
  if (range === null || method !== 'GET') return WHOLE
  const condition = headers.get('if-range')
  if (condition !== null && condition.trim() !== etag) return WHOLE
  const [, first = '', last = ''] = RANGE.exec(range.trim()) ?? []
  if (first === '' && last === '') return WHOLE
  return first === '' ? lastBytes(Number(last), size) : fromTo(Number(first), last, size)
}

const lastBytes = (count: number, size: number): ByteRange =>
  count === 0 || size === 0
    ? { kind: 'unsatisfiable' }
    : { kind: 'part', start: Math.max(0, size - count), end: size }

function fromTo(start: number, last: string, size: number): ByteRange {
  const end = last === '' ? size : Math.min(Number(last) + 1, size)
  if (last !== '' && Number(last) < start) return WHOLE
  return start < size ? { kind: 'part', start, end } : { kind: 'unsatisfiable' }
}
