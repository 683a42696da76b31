import { COLLECTION_STYLE, dump, EVENT_ID, SCALAR_STYLE } from 'js-yaml'
import { err, ok, type Result } from '../result.ts'
import { after, behind, childOf, endOf, type Event, startOf } from './events.ts'
import { isNull } from './scalar-text.ts'
import type { YamlFile } from './read.ts'
import { type EventChange, outlineOf } from './outline.ts'

/** One replacement: of characters, and of the events that they are read as. */
export interface YamlChange extends EventChange {
  readonly start: number
  readonly end: number
  readonly text: string
}

export interface EditFailure {
  readonly kind: 'entity_not_editable'
  /** For people; quotes nothing of the file. */
  readonly reason: string
}

export const refuse = (reason: string) => err({ kind: 'entity_not_editable', reason } as const)

/** What to replace in one document of a file, so that there is this text at this path. */
export function changeFor(
  file: YamlFile,
  document: number,
  path: readonly string[],
  value: string,
): Result<YamlChange, EditFailure> {
  const { source, events } = file
  let parent = document
  let node = document + 1
  for (const [depth, step] of path.entries()) {
    const event = events[node]
    const rest = path.slice(depth)
    if (isShared(event)) return refuse('an anchor or an alias is on the way to the text')
    if (isNull(event, source)) return replaceScalar(file, parent, node, rest, value)
    if (event?.type !== EVENT_ID.MAPPING) return refuse('what the text would be in is no mapping')
    const child = childOf(events, node, step, source)
    if (child === undefined) {
      return isFlow(event)
        ? addToFlow(file, node, rest, value)
        : addLines(file, document, node, rest, value)
    }
    parent = node
    node = child
  }
  if (isShared(events[node])) return refuse('the text has an anchor, or is an alias')
  return replaceScalar(file, parent, node, [], value)
}

/** What has an anchor may stand elsewhere too, where nobody asked for a change. */
const isShared = (event: Event | undefined): boolean =>
  event?.type === EVENT_ID.ALIAS ||
  (event !== undefined && 'anchorStart' in event && event.anchorStart >= 0)

const isFlow = (event: Event | undefined): boolean =>
  event?.type === EVENT_ID.MAPPING && event.style === COLLECTION_STYLE.FLOW

const styleOf = (event: Event | undefined): Style =>
  event?.type === EVENT_ID.SCALAR ? event.style : SCALAR_STYLE.PLAIN

const COLON = /[ \t]*:/y

/** A `rest` of the path leads on from a null, in whose place there will be a flow mapping. */
function replaceScalar(
  { source, events }: YamlFile,
  parent: number,
  node: number,
  rest: readonly string[],
  value: string,
): Result<YamlChange, EditFailure> {
  const event = events[node]
  if (event?.type !== EVENT_ID.SCALAR) return refuse('what would be replaced is no text')
  if (event.tagStart >= 0) return refuse('the text has a tag')
  if (event.style === SCALAR_STYLE.LITERAL_BLOCK || event.style === SCALAR_STYLE.FOLDED_BLOCK)
    return refuse('the text is a block of lines')

  const inFlow = isFlow(events[parent])
  const style = inFlow && isNull(event, source) ? styleOf(events[node - 1]) : event.style
  const text = inline(rest, value, style, inFlow)
  const read = { at: node, removed: 1, added: outlineOf(rest, value) }
  if (event.valueStart >= 0) {
    const end = endOf(events, node, node + 1, source)
    return ok({ start: startOf(event), end, text, ...read })
  }
  const keyEnd = endOf(events, node - 1, node, source)
  const start = behind(COLON, source, keyEnd)
  if (start >= 0) return ok({ start, end: start, text: ` ${text}`, ...read })
  if (!inFlow) return refuse('a key has no colon beside it')
  return ok({ start: keyEnd, end: keyEnd, text: `: ${text}`, ...read })
}

/** `{a: 1}` to `{a: 1, b: 2}`, with quotes where the first key has them: JSON stays JSON. */
function addToFlow(
  { source, events }: YamlFile,
  node: number,
  rest: readonly string[],
  value: string,
): Result<YamlChange, EditFailure> {
  const entry = inline(rest, value, styleOf(events[node + 1]), true).slice(1, -1)
  const close = after(events, node) - 1
  const read = { at: close, removed: 0, added: outlineOf(rest, value).slice(1, -1) }
  if (close === node + 1) {
    const at = startOf(events[node]) + 1
    return ok({ start: at, end: at, text: source[at] === ' ' ? ` ${entry}` : entry, ...read })
  }
  const last = endOf(events, node + 1, close, source)
  const at = isEmpty(events[close - 1]) ? Math.max(last, behind(COLON, source, last)) : last
  if (at < 0) return refuse('a flow mapping does not end where it should')
  return ok({ start: at, end: at, text: `, ${entry}`, ...read })
}

const isEmpty = (event: Event | undefined): boolean =>
  event?.type === EVENT_ID.SCALAR &&
  event.valueStart < 0 &&
  event.anchorStart < 0 &&
  event.tagStart < 0

/** What may follow the last value of a mapping on its line: the colon, if it is empty, and a comment. */
const REST_OF_LINE = /[ \t]*(?::(?=[ \t\r\n]|$)[ \t]*)?(?:(?<=[ \t])#[^\r\n]*)?(?=[\r\n]|$)/y
const LINE_END = /\r\n|\n|\r/
const INDENTATION = 2

function addLines(
  { source, events }: YamlFile,
  document: number,
  node: number,
  rest: readonly string[],
  value: string,
): Result<YamlChange, EditFailure> {
  const close = after(events, node) - 1
  const read = { at: close, removed: 0, added: outlineOf(rest, value).slice(1, -1) }
  const last = endOf(events, node + 1, close, source)
  const metadata = events[childOf(events, document + 1, 'metadata', source) ?? -1]
  const column = columnOf(events[node], source)
  const step = isFlow(metadata) ? INDENTATION : columnOf(metadata, source) || INDENTATION
  const lineEnd = LINE_END.exec(source)?.[0] ?? '\n'
  const lines = rest
    .map((key, depth) => {
      const text = depth === rest.length - 1 ? ` ${scalar(value, SCALAR_STYLE.PLAIN, false)}` : ''
      return `${' '.repeat(column + depth * step)}${scalar(key, SCALAR_STYLE.PLAIN, false)}:${text}`
    })
    .join(lineEnd)
  if (last > 0 && /[\r\n]/.test(source[last - 1] ?? ''))
    return ok({ start: last, end: last, text: lines + lineEnd, ...read })
  const at = last < 0 ? -1 : behind(REST_OF_LINE, source, last)
  if (at < 0) return refuse('the last line of a mapping is not understood')
  return ok({ start: at, end: at, text: lineEnd + lines, ...read })
}

function columnOf(event: Event | undefined, source: string): number {
  const start = Math.max(startOf(event), 0)
  const before = source.slice(0, start)
  const lineStart = Math.max(before.lastIndexOf('\n'), before.lastIndexOf('\r')) + 1
  return start - lineStart - (source[lineStart] === '\uFEFF' ? 1 : 0)
}

type Style = (typeof SCALAR_STYLE)[keyof typeof SCALAR_STYLE]

/** A text, or the flow mapping that leads to it. */
const inline = (path: readonly string[], value: string, style: Style, inFlow: boolean): string =>
  path.reduceRight(
    (inner, key) => `{${scalar(key, style, true)}: ${inner}}`,
    scalar(value, style, inFlow || path.length > 0),
  )

/** One line. Plain only if js-yaml writes it plain, and so if no reader of YAML 1.1 or 1.2 takes it for something else. */
function scalar(text: string, style: Style, inFlow: boolean): string {
  if (style === SCALAR_STYLE.DOUBLE_QUOTED) return JSON.stringify(text)
  const isPlain =
    style === SCALAR_STYLE.PLAIN &&
    dump(text, { lineWidth: -1 }) === `${text}\n` &&
    !(inFlow && /[,[\]{}]/.test(text))
  return isPlain ? text : `'${text.replaceAll("'", "''")}'`
}
