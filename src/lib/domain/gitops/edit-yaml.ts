import {
  COLLECTION_STYLE,
  dump,
  EVENT_ID,
  getScalarValue,
  parseEvents,
  SCALAR_STYLE,
} from 'js-yaml'
import { err, ok, type Result } from '../../result.ts'
import { entityRef } from '../catalog/entity.ts'
import { readYaml, type YamlDocument } from '../catalog/read-yaml.ts'
import {
  after,
  behind,
  childOf,
  documentStarts,
  endOf,
  type Event,
  type Events,
  startOf,
} from '../catalog/yaml-events.ts'

export interface EntityEdit {
  readonly path: readonly string[]
  readonly value: string
}

export interface EditFailure {
  readonly kind: 'entity_not_editable'
  /** For people; quotes nothing of the file. */
  readonly reason: string
}

/**
 * Sets texts in the one document of a file that is this entity, by replacing characters: comments, quotes, line ends and other
 * documents stay byte for byte. What is missing is added behind the last entry of its mapping, so that no comment above or
 * beside an entry comes to stand at another. Each result is read again: it says what was meant and nothing else, or is refused.
 */
export function editEntity(
  source: string,
  entity: { readonly kind: string; readonly name: string },
  edits: readonly EntityEdit[],
): Result<string, EditFailure> {
  let file = readFile(source)
  if (file === undefined) return refuse('the file is not readable as YAML')
  const [document, ...others] = documentsOf(file, entity)
  if (document === undefined) return refuse('the file does not have the entity')
  if (others.length > 0) return refuse('the file has the entity more than once')
  for (const edit of edits) {
    const edited = setText(file, document, edit)
    if (!edited.ok) return edited
    file = edited.value
  }
  return ok(file.source)
}

/**
 * The text of a scalar of the first document as it is written, without quotes, whatever a YAML reader would make of it: `1.10`,
 * `0777` and `12345e7` stay what they are. None for an alias and for a key without a value.
 */
export function scalarText(source: string, path: readonly (string | number)[]): string | undefined {
  const events = readFile(source)?.events ?? []
  let node: number | undefined = 1
  for (const step of path) {
    node = childOf(events, node, step, source)
    if (node === undefined) return undefined
  }
  const event = events[node]
  return event?.type === EVENT_ID.SCALAR && event.valueStart >= 0
    ? getScalarValue(source, event)
    : undefined
}

interface File {
  readonly source: string
  readonly events: Events
  readonly documents: readonly YamlDocument[]
}

function readFile(source: string): File | undefined {
  const reading = readYaml(source)
  return reading.kind === 'broken'
    ? undefined
    : { source, events: parseEvents(source, {}), documents: reading.documents }
}

const refuse = (reason: string) => err({ kind: 'entity_not_editable', reason } as const)

function documentsOf(
  { documents }: File,
  { kind, name }: { readonly kind: string; readonly name: string },
): number[] {
  const wanted = entityRef(kind, name)
  return documents.flatMap(({ value }, index) => {
    const [itsKind, itsName] = [valueAt(value, ['kind']), valueAt(value, ['metadata', 'name'])]
    const isText = typeof itsKind === 'string' && typeof itsName === 'string'
    return isText && entityRef(itsKind, itsName) === wanted ? [index] : []
  })
}

/** Own properties only: a path may be `__proto__`. */
const valueAt = (value: unknown, path: readonly string[]): unknown =>
  path.reduce<unknown>(
    (at, key) =>
      typeof at === 'object' && at !== null
        ? Object.getOwnPropertyDescriptor(at, key)?.value
        : undefined,
    value,
  )

/** Line ends, other control characters and what YAML does not have: a text that is set is one line. */
const NOT_ONE_LINE = /[\p{Cc}\p{Cs}\u2028\u2029\uFEFF\uFFFE\uFFFF]/u

function setText(
  file: File,
  document: number,
  { path, value }: EntityEdit,
): Result<File, EditFailure> {
  if (path.length === 0) return refuse('an edit needs a path')
  if ([...path, value].some((text) => NOT_ONE_LINE.test(text)))
    return refuse('what is written must be one line without control characters')
  const found = changeFor(file, documentStarts(file.events)[document] ?? 0, path, value)
  if (!found.ok) return found
  if (valueAt(file.documents[document]?.value, path) === value) return ok(file)

  const { start, end, text } = found.value
  const edited = readFile(file.source.slice(0, start) + text + file.source.slice(end))
  const isMeant =
    edited !== undefined &&
    valueAt(edited.documents[document]?.value, path) === value &&
    isOnlyChange(found.value, file, edited)
  return isMeant ? ok(edited) : refuse('the edit would change more than this text')
}

/** One replacement: of characters, and of the events that they are read as. */
interface Change {
  readonly start: number
  readonly end: number
  readonly text: string
  readonly at: number
  readonly removed: number
  readonly added: readonly string[]
}

function changeFor(
  file: File,
  document: number,
  path: readonly string[],
  value: string,
): Result<Change, EditFailure> {
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

const isNull = (event: Event | undefined, source: string): boolean =>
  event?.type === EVENT_ID.SCALAR &&
  event.style === SCALAR_STYLE.PLAIN &&
  event.tagStart < 0 &&
  /^(?:~|null|Null|NULL)?$/.test(getScalarValue(source, event))

const isFlow = (event: Event | undefined): boolean =>
  event?.type === EVENT_ID.MAPPING && event.style === COLLECTION_STYLE.FLOW

const styleOf = (event: Event | undefined): Style =>
  event?.type === EVENT_ID.SCALAR ? event.style : SCALAR_STYLE.PLAIN

const COLON = /[ \t]*:/y

/** A `rest` of the path leads on from a null, in whose place there will be a flow mapping. */
function replaceScalar(
  { source, events }: File,
  parent: number,
  node: number,
  rest: readonly string[],
  value: string,
): Result<Change, EditFailure> {
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
  { source, events }: File,
  node: number,
  rest: readonly string[],
  value: string,
): Result<Change, EditFailure> {
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
  { source, events }: File,
  document: number,
  node: number,
  rest: readonly string[],
  value: string,
): Result<Change, EditFailure> {
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

/** The events of what `inline` writes. */
const outlineOf = (path: readonly string[], value: string): string[] =>
  path.reduceRight(
    (inner, key) => [`${EVENT_ID.MAPPING}`, outlineOfText(key), ...inner, `${EVENT_ID.POP}`],
    [outlineOfText(value)],
  )

const outlineOfText = (text: string): string => `${EVENT_ID.SCALAR} ${text}`

const outline = (event: Event, source: string): string =>
  event.type === EVENT_ID.SCALAR ? outlineOfText(getScalarValue(source, event)) : `${event.type}`

/** Of events and not of values: it takes no longer when aliases make a small file a large value. */
function isOnlyChange(change: Change, before: File, edited: File): boolean {
  const { at, removed, added } = change
  const shift = added.length - removed
  if (edited.events.length !== before.events.length + shift) return false
  return edited.events.every((event, index) => {
    const isAdded = index >= at && index < at + added.length
    if (isAdded) return outline(event, edited.source) === added[index - at]
    const original = before.events[index < at ? index : index - shift]
    return original !== undefined && isSame(original, before.source, event, edited.source)
  })
}

function isSame(a: Event, source: string, b: Event, edited: string): boolean {
  if (outline(a, source) !== outline(b, edited)) return false
  if (a.type === EVENT_ID.DOCUMENT && b.type === EVENT_ID.DOCUMENT)
    return JSON.stringify(a.directives) === JSON.stringify(b.directives)
  if (!('anchorStart' in a && 'anchorStart' in b)) return true
  const properties = (event: typeof a, text: string) => [
    'style' in event ? event.style : null,
    text.slice(event.anchorStart, event.anchorEnd),
    'tagStart' in event ? text.slice(event.tagStart, event.tagEnd) : null,
  ]
  return properties(a, source).join('\n') === properties(b, edited).join('\n')
}
