import { COLLECTION_STYLE, dump, EVENT_ID, SCALAR_STYLE } from 'js-yaml'
import { err, ok, type Result } from '../result.ts'
import { after, behind, childOf, documentStarts, endOf, type Event, startOf } from './events.ts'
import { type EventChange, isOnlyChange, outlineOf } from './outline.ts'
import { readYaml, type YamlFile } from './read.ts'
import { isNull } from './scalar-text.ts'

/** Why a file cannot be edited, for people. Quotes nothing of the file. */
export type EditRefusal = string

/** A replacement of characters, and of the events that they are read as. */
interface TextChange extends EventChange {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** Control characters, line ends and characters that YAML does not allow. */
const NOT_ONE_LINE = /[\p{Cc}\p{Cs}\u2028\u2029\uFEFF\uFFFE\uFFFF]/u

/**
 * Sets a text at a path of one document by replacing characters: comments, quotes, line ends and other documents keep every
 * byte. A missing key is added behind the last entry of its mapping, so that no comment above or beside an entry moves to
 * another one. Block style only. The result is read again: it has the text and no other change, or the edit is refused.
 */
export function setText(
  file: YamlFile,
  document: number,
  path: readonly string[],
  value: string,
): Result<YamlFile, EditRefusal> {
  if (path.length === 0) return err('an edit needs a path')
  if ([...path, value].some((text) => NOT_ONE_LINE.test(text)))
    return err('a key or a text must be one line without control characters')
  const change = changeFor(file, documentStarts(file.events)[document] ?? 0, path, value)
  if (!change.ok) return change
  if (valueAt(file.documents[document]?.value, path) === value) return ok(file)

  const { start, end, text } = change.value
  const edited = readYaml(file.source.slice(0, start) + text + file.source.slice(end))
  const isMeant =
    edited.ok &&
    valueAt(edited.value.documents[document]?.value, path) === value &&
    isOnlyChange(change.value, file, edited.value)
  return isMeant ? edited : err('the edit would change more than this text')
}

/** Own properties only: a path may be `__proto__`. */
export const valueAt = (value: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (at, key) =>
      typeof at === 'object' && at !== null
        ? Object.getOwnPropertyDescriptor(at, key)?.value
        : undefined,
    value,
  )

function changeFor(
  file: YamlFile,
  document: number,
  path: readonly string[],
  value: string,
): Result<TextChange, EditRefusal> {
  const { source, events } = file
  let node = document + 1
  for (const [depth, key] of path.entries()) {
    const event = events[node]
    if (isShared(event)) return err('the path leads through an anchor or an alias')
    if (isNull(event, source)) return err('the path leads through an empty value')
    if (event?.type !== EVENT_ID.MAPPING)
      return err('the path leads through a value that is not a mapping')
    if (event.style === COLLECTION_STYLE.FLOW)
      return err('the text is in a flow mapping: write it without braces, one key a line')
    const child = childOf(events, node, key, source)
    if (child === undefined) return addLines(file, document, node, path.slice(depth), value)
    node = child
  }
  return replaceScalar(file, node, value)
}

/** An alias shares the node of its anchor: an edit of one would change the other. */
const isShared = (event: Event | undefined): boolean =>
  event?.type === EVENT_ID.ALIAS ||
  (event !== undefined && 'anchorStart' in event && event.anchorStart >= 0)

const COLON = /[ \t]*:/y

function replaceScalar(
  { source, events }: YamlFile,
  node: number,
  value: string,
): Result<TextChange, EditRefusal> {
  const event = events[node]
  if (isShared(event)) return err('the text has an anchor, or is an alias')
  if (event?.type !== EVENT_ID.SCALAR) return err('the value is not a text')
  if (event.tagStart >= 0) return err('the text has a tag')
  if (event.style === SCALAR_STYLE.LITERAL_BLOCK || event.style === SCALAR_STYLE.FOLDED_BLOCK)
    return err('the text is a block of lines')

  const text = scalar(value, event.style)
  const read = { at: node, removed: 1, added: outlineOf([], value) }
  if (event.valueStart >= 0) {
    const end = endOf(events, node, node + 1, source)
    return ok({ start: startOf(event), end, text, ...read })
  }
  const start = behind(COLON, source, endOf(events, node - 1, node, source))
  if (start < 0) return err('a key has no colon beside it')
  return ok({ start, end: start, text: ` ${text}`, ...read })
}

/** Matches behind the last value of a mapping: its colon, if the value is empty, and a comment. */
const REST_OF_LINE = /[ \t]*(?::(?=[ \t\r\n]|$)[ \t]*)?(?:(?<=[ \t])#[^\r\n]*)?(?=[\r\n]|$)/y
const LINE_END = /\r\n|\n|\r/
const INDENTATION = 2

/** Adds keys, one a line and each inside the one before, and the text behind the last one. */
function addLines(
  { source, events }: YamlFile,
  document: number,
  mapping: number,
  keys: readonly string[],
  value: string,
): Result<TextChange, EditRefusal> {
  const close = after(events, mapping) - 1
  const read = { at: close, removed: 0, added: outlineOf(keys, value).slice(1, -1) }
  const last = endOf(events, mapping + 1, close, source)
  const column = columnOf(events[mapping], source)
  const nested = events.slice(document + 2, after(events, document + 1)).find(isBlockMapping)
  const step = nested === undefined ? INDENTATION : columnOf(nested, source)
  const lineEnd = LINE_END.exec(source)?.[0] ?? '\n'
  const lines = keys
    .map((key, depth) => {
      const text = depth === keys.length - 1 ? ` ${scalar(value, SCALAR_STYLE.PLAIN)}` : ''
      return `${' '.repeat(column + depth * step)}${scalar(key, SCALAR_STYLE.PLAIN)}:${text}`
    })
    .join(lineEnd)
  // Text that keeps its blank lines ends at the start of the next line.
  if (last > 0 && /[\r\n]/.test(source[last - 1] ?? ''))
    return ok({ start: last, end: last, text: lines + lineEnd, ...read })
  const at = last < 0 ? -1 : behind(REST_OF_LINE, source, last)
  if (at < 0) return err('the last line of a mapping is not understood')
  return ok({ start: at, end: at, text: lineEnd + lines, ...read })
}

const isBlockMapping = (event: Event): boolean =>
  event.type === EVENT_ID.MAPPING && event.style === COLLECTION_STYLE.BLOCK

function columnOf(event: Event | undefined, source: string): number {
  const start = Math.max(startOf(event), 0)
  const before = source.slice(0, start)
  const lineStart = Math.max(before.lastIndexOf('\n'), before.lastIndexOf('\r')) + 1
  return start - lineStart - (source[lineStart] === '\uFEFF' ? 1 : 0)
}

type Style = (typeof SCALAR_STYLE)[keyof typeof SCALAR_STYLE]

/** One line. Plain only if js-yaml writes it plain: then no reader of YAML 1.1 or 1.2 takes it for something else. */
function scalar(text: string, style: Style): string {
  if (style === SCALAR_STYLE.DOUBLE_QUOTED) return JSON.stringify(text)
  const isPlain = style === SCALAR_STYLE.PLAIN && dump(text, { lineWidth: -1 }) === `${text}\n`
  return isPlain ? text : `'${text.replaceAll("'", "''")}'`
}
