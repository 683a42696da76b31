import { COLLECTION_STYLE } from 'js-yaml'
import { err, ok, type Result } from '../result.ts'
import { after, behind, endOf, type Events, startOf } from './events.ts'
import type { TextChange } from './outline.ts'
import type { YamlFile } from './read.ts'

/** The colon of an empty value, a comma, blanks and a comment up to the end of the line. */
const REST_OF_ENTRY =
  /[ \t]*(?::(?=[ \t\r\n]|$)[ \t]*)?,?[ \t]*(?:(?<=[ \t,])#[^\r\n]*)?(?=[\r\n]|$)/y
const LINE_END = /\r\n|\n|\r/y
const INDENTATION = /[ \t]*/y
const COMMA = /[ \t]*,[ \t]*/y

/**
 * Removes the entry with its key at `key` from the mapping at `node`: whole lines where the entry has lines of its own, with the comment
 * beside it. Comments on lines of their own stay.
 */
export function removeEntry(
  { source, events }: YamlFile,
  node: number,
  key: number,
): Result<TextChange, string> {
  const next = after(events, key + 1)
  const close = after(events, node) - 1
  const isFirst = key === node + 1
  if (isFirst && next === close) return err('the mapping would be empty')
  const read = { at: key, removed: next - key, added: [] }
  const start = startOf(events[key])
  const valueEnd = endOf(events, key, next, source)
  if (start < 0 || valueEnd < 0) return err('an entry is not understood')
  const lineStart = lineStartOf(source, start)
  const isAlone = source.slice(lineStart, start).trim() === ''
  const rest = behind(REST_OF_ENTRY, source, valueEnd)
  if (rest >= 0) {
    const lineEnd = behind(LINE_END, source, rest)
    if (isAlone && lineEnd >= 0) return ok({ start: lineStart, end: lineEnd, text: '', ...read })
    if (isAlone && isBlock(events, node)) {
      const before = lineStart - (source.slice(0, lineStart).endsWith('\r\n') ? 2 : 1)
      return ok({ start: Math.max(before, 0), end: rest, text: '', ...read })
    }
    // The first key beside the dash of an item: the next line takes its place.
    if (isBlock(events, node) && lineEnd >= 0)
      return ok({ start, end: behind(INDENTATION, source, lineEnd), text: '', ...read })
  }
  const comma = behind(COMMA, source, valueEnd)
  if (comma >= 0) return ok({ start, end: comma, text: '', ...read })
  const previous = endOf(events, node + 1, key, source)
  return isFirst || previous < 0
    ? err('an entry is not understood')
    : ok({ start: previous, end: valueEnd, text: '', ...read })
}

function isBlock(events: Events, node: number): boolean {
  const event = events[node]
  return event !== undefined && 'style' in event && event.style === COLLECTION_STYLE.BLOCK
}

const lineStartOf = (source: string, at: number): number =>
  Math.max(source.lastIndexOf('\n', at - 1), source.lastIndexOf('\r', at - 1)) + 1
