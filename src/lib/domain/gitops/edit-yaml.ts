import { COLLECTION_STYLE, dump, EVENT_ID, getScalarValue, parseEvents, SCALAR_STYLE } from 'js-yaml'
import { err, ok, type Result } from '../../result.ts'
import { entityRef } from '../catalog/entity.ts'
import { readYaml } from '../catalog/read-yaml.ts'
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
  const found = findDocument(source, entity)
  if (!found.ok) return found
  let text = source
  for (const edit of edits) {
    const edited = setText(text, found.value, edit)
    if (!edited.ok) return edited
    text = edited.value
  }
  return ok(text)
}

/**
 * The text of a scalar of the first document as it is written, without quotes, whatever a YAML reader would make of it: `1.10`,
 * `0777` and `12345e7` stay what they are. None for an alias and for a key without a value.
 */
export function scalarText(source: string, path: readonly (string | number)[]): string | undefined {
  if (readYaml(source).kind === 'broken') return undefined
  const events = parseEvents(source, {})
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

const refuse = (reason: string) => err({ kind: 'entity_not_editable', reason } as const)

function findDocument(
  source: string,
  { kind, name }: { readonly kind: string; readonly name: string },
): Result<number, EditFailure> {
  const reading = readYaml(source)
  if (reading.kind === 'broken') return refuse('the file is not readable as YAML')
  const wanted = entityRef(kind, name)
  const [found, ...others] = reading.documents.flatMap(({ value }, index) => {
    const [itsKind, itsName] = [valueAt(value, ['kind']), valueAt(value, ['metadata', 'name'])]
    const isText = typeof itsKind === 'string' && typeof itsName === 'string'
    return isText && entityRef(itsKind, itsName) === wanted ? [index] : []
  })
  if (found === undefined) return refuse('the file does not have the entity')
  return others.length > 0 ? refuse('the file has the entity more than once') : ok(found)
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

/** Line ends, other control characters and what YAML does not have: a text that is edited is one line. */
const NOT_ONE_LINE = /[\p{Cc}\p{Cs}\u2028\u2029\uFEFF\uFFFE\uFFFF]/u

function setText(
  source: string,
  document: number,
  { path, value }: EntityEdit,
): Result<string, EditFailure> {
  if (path.length === 0) return refuse('an edit needs a path')
  if ([...path, value].some((text) => NOT_ONE_LINE.test(text)))
    return refuse('a new text must be one line without control characters')
  const events = parseEvents(source, {})
  const change = changeFor({ source, events }, documentStarts(events)[document] ?? 0, path, value)
  if (!change.ok) return change

  const { start, end, text } = change.value
  const edited = source.slice(0, start) + text + source.slice(end)
  const reading = readYaml(edited)
  const isMeant =
    reading.kind === 'documents' &&
    valueAt(reading.documents[document]?.value, path) === value &&
    isOnlyChange(change.value, { source, events }, edited)
  if (isMeant) return ok(edited)
  // The reader takes what stands there for this text already, in another spelling: nothing is to be done.
  return refuse('the edit would change more than the text')
}

interface Read {
  readonly source: string
  readonly events: Events
}

/** One replacement, of characters and of the events that they are read as. */
interface Change {
  readonly start: number
  readonly end: number
  readonly text: string
  readonly at: number
  readonly removed: number
  readonly added: readonly string[]
}

function changeFor(
  read: Read,
  document: number,
  path: readonly string[],
  value: string,
): Result<Change, EditFailure> {
  const { source, events } = read
  let parent = document
  let node = document + 1
  for (const [depth, step] of path.entries()) {
    const event = events[node]
    if (isShared(event)) return refuse('an anchor or an alias is on the way')
    const rest = path.slice(depth)
    if (isNull(event, source)) return replaceScalar(read, parent, node, rest, value)
    if (event?.type !== EVENT_ID.MAPPING) return refuse('what would be added to is no mapping')
    const child = childOf(events, node, step, source)
    if (child === undefined) return addEntry(read, document, node, rest, value)
    parent = node
    node = child
  }
  if (isShared(events[node])) return refuse('the text has an anchor or is an alias')
  return replaceScalar(read, parent, node, [], value)
}

/** What an anchor names may also stand elsewhere, where nobody asked for a change. */
const isShared = (event: Event | undefined): boolean =>
  event?.type === EVENT_ID.ALIAS ||
  (event !== undefined && 'anchorStart' in event && event.anchorStart >= 0)

const isNull = (event: Event | undefined, source: string): boolean =>
  event?.type === EVENT_ID.SCALAR &&
  event.style === SCALAR_STYLE.PLAIN &&
  event.tagStart < 0 &&
  /^(?:~|null|Null|NULL)?$/.test(getScalarValue(source, event))

const COLON = /[ \t]*:/y

/** `rest` leads on from a scalar that is null: in its place there will be a flow mapping. */
function replaceScalar(
  { source, events }: Read,
  parent: number,
  node: number,
  rest: readonly string[],
  value: string,
): Result<Change, EditFailure> {
  const event = events[node]
  if (event?.type !== EVENT_ID.SCALAR) return refuse('what would be changed is no text')
  if (event.tagStart >= 0) return refuse('the text has a tag')
  if (event.style === SCALAR_STYLE.LITERAL_BLOCK || event.style === SCALAR_STYLE.FOLDED_BLOCK)
    return refuse('the text is a block of lines')

  const inFlow = isFlow(events[parent])
  const written = node_(rest, value, event.style, inFlow)
  const replaced = { at: node, removed: 1, added: outlineOf(rest, value) }
  if (event.valueStart >= 0) {
    const start = startOf(event)
    const end = endOf(events, node, node + 1, source)
    return ok({ start, end, text: written, ...replaced })
  }
  const keyEnd = endOf(events, node - 1, node, source)
  const start = behind(COLON, source, keyEnd)
  if (start >= 0) return ok({ start, end: start, text: ` ${written}`, ...replaced })
  if (!inFlow) return refuse('a key has no colon beside it')
  return ok({ start: keyEnd, end: keyEnd, text: `: ${written}`, ...replaced })
}
