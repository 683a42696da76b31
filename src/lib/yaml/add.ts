import { COLLECTION_STYLE, EVENT_ID, SCALAR_STYLE } from 'js-yaml'
import { err, ok, type Result } from '../result.ts'
import { after, behind, endOf, type Event, type Events, startOf } from './events.ts'
import { outlineOf, type TextChange, type YamlPath } from './outline.ts'
import type { YamlFile } from './read.ts'
import { type Scalar, scalarIn } from './scalar-style.ts'

/** A scalar at a path whose first step a collection does not have yet. */
export interface Addition {
  /** Index of the collection's event. */
  readonly node: number
  readonly path: YamlPath
  readonly value: Scalar
}

const INDENTATION = 2
const LINE_END = /\r\n|\n|\r/

/** Matches behind the last value of a block collection: its colon, if the value is empty, and a comment. */
const REST_OF_LINE = /[ \t]*(?::(?=[ \t\r\n]|$)[ \t]*)?(?:(?<=[ \t])#[^\r\n]*)?(?=[\r\n]|$)/y

/** Adds keys and items in block style, one a line and each inside the one before, and the scalar behind the last one. */
export function addLines(
  { source, events }: YamlFile,
  document: number,
  { node, path, value }: Addition,
): Result<TextChange, string> {
  const close = after(events, node) - 1
  const read = { at: close, removed: 0, added: outlineOf(path, value).slice(1, -1) }
  const last = endOf(events, node + 1, close, source)
  const nested = events.slice(document + 2, after(events, document + 1)).find(isBlockMapping)
  const step = nested === undefined ? INDENTATION : columnOf(nested, source) || INDENTATION
  const lineEnd = LINE_END.exec(source)?.[0] ?? '\n'
  const lines = linesOf(path, value, columnOf(events[node], source), step).join(lineEnd)
  // Text that keeps its blank lines ends at the start of the next line.
  if (last > 0 && /[\r\n]/.test(source[last - 1] ?? ''))
    return ok({ start: last, end: last, text: lines + lineEnd, ...read })
  const at = last < 0 ? -1 : behind(REST_OF_LINE, source, last)
  if (at < 0) return err('the last line of a mapping is not understood')
  return ok({ start: at, end: at, text: lineEnd + lines, ...read })
}

function linesOf(
  [first, ...rest]: YamlPath,
  value: Scalar,
  column: number,
  step: number,
): readonly string[] {
  const margin = ' '.repeat(column)
  if (typeof first === 'number') {
    const [head = '', ...others] = linesOf(rest, value, column + INDENTATION, step)
    return [`${margin}- ${head.trimStart()}`, ...others]
  }
  if (first === undefined) return [margin + scalarIn(SCALAR_STYLE.PLAIN, value, false)]
  const key = `${margin}${scalarIn(SCALAR_STYLE.PLAIN, first, false)}:`
  return rest.length === 0
    ? [`${key} ${scalarIn(SCALAR_STYLE.PLAIN, value, false)}`]
    : [key, ...linesOf(rest, value, column + step, step)]
}

const isBlockMapping = (event: Event): boolean =>
  event.type === EVENT_ID.MAPPING && event.style === COLLECTION_STYLE.BLOCK

function columnOf(event: Event | undefined, source: string): number {
  const start = Math.max(startOf(event), 0)
  const before = source.slice(0, start)
  const lineStart = Math.max(before.lastIndexOf('\n'), before.lastIndexOf('\r')) + 1
  return start - lineStart - (source[lineStart] === '\uFEFF' ? 1 : 0)
}

/** Matches the colon of an empty last value. */
const EMPTY_VALUE = /(?:[ \t]*:(?=[\s,\]}]))?/y

/** Adds a key or an item inside of braces or brackets, behind the last one. */
export function addInFlow(
  { source, events }: YamlFile,
  { node, path, value }: Addition,
): Result<TextChange, string> {
  const close = after(events, node) - 1
  const read = { at: close, removed: 0, added: outlineOf(path, value).slice(1, -1) }
  const [first, ...rest] = path
  if (first === undefined) return err('an edit needs a path')
  const style = keyStyle(events, node)
  const inner = flowText(rest, value, style)
  const text = typeof first === 'number' ? inner : `${scalarIn(style, first, true)}: ${inner}`
  if (close === node + 1) {
    const start = startOf(events[node]) + 1
    return ok({ start, end: start, text, ...read })
  }
  const last = endOf(events, node + 1, close, source)
  const at = last < 0 ? -1 : behind(EMPTY_VALUE, source, last)
  return at < 0
    ? err('the last entry of a mapping is not understood')
    : ok({ start: at, end: at, text: `, ${text}`, ...read })
}

/** JSON keeps its quotes: those of the first key or, in an empty collection, of its own key. */
function keyStyle(events: Events, node: number) {
  const isKeyJson = (at: number) => {
    const key = events[at]
    return key?.type === EVENT_ID.SCALAR && key.style === SCALAR_STYLE.DOUBLE_QUOTED
  }
  const isJson = isKeyJson(node + 1) || isKeyJson(node - 1)
  return isJson ? SCALAR_STYLE.DOUBLE_QUOTED : SCALAR_STYLE.PLAIN
}

const flowText = (path: YamlPath, value: Scalar, style: ReturnType<typeof keyStyle>): string =>
  path.reduceRight<string>(
    (inner, step) =>
      typeof step === 'number' ? `[${inner}]` : `{${scalarIn(style, step, true)}: ${inner}}`,
    scalarIn(style, value, true),
  )
