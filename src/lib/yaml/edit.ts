import { COLLECTION_STYLE, EVENT_ID, SCALAR_STYLE } from 'js-yaml'
import { err, ok, type Result } from '../result.ts'
import { addInFlow, addLines } from './add.ts'
import { behind, childOf, documentStarts, endOf, type Event, startOf } from './events.ts'
import { isOnlyChange, outlineOf, type TextChange, type YamlPath } from './outline.ts'
import { readYaml, type YamlFile } from './read.ts'
import { removeEntry } from './remove.ts'
import { type Scalar, scalarIn } from './scalar-style.ts'
import { isNull } from './scalar-text.ts'
import { valueAt } from './value-at.ts'

/** Why a file cannot be edited, for people. Quotes nothing of the file. */
export type EditRefusal = string

/** Control characters, line ends and characters that YAML does not allow. */
const NOT_ONE_LINE = /[\p{Cc}\p{Cs}\u2028\u2029\uFEFF\uFFFE\uFFFF]/u

/**
 * Sets a scalar at a path of one document by replacing characters: comments, quotes, line ends and other documents keep every byte. A
 * missing key, or the item behind the last one of a list, is added behind the last entry, so that no comment above or beside an entry
 * moves to another one. The result is read again: it has the scalar and no other change, or the edit is refused.
 */
export function setScalar(
  file: YamlFile,
  document: number,
  path: YamlPath,
  value: Scalar,
): Result<YamlFile, EditRefusal> {
  if (path.length === 0) return err('an edit needs a path')
  if ([...path, value].some((text) => typeof text === 'string' && NOT_ONE_LINE.test(text)))
    return err('a key or a text must be one line without control characters')
  const change = changeFor(file, documentStarts(file.events)[document] ?? 0, path, value)
  if (!change.ok) return change
  if (valueAt(file.documents[document]?.value, path) === value) return ok(file)
  const edited = applied(file, change.value)
  return edited.ok && valueAt(edited.value.documents[document]?.value, path) !== value
    ? err(CHANGES_MORE)
    : edited
}

/** Removes the entry at a path of one document, with the comment beside it. Every other byte stays, or the edit is refused. */
export function removeKey(
  file: YamlFile,
  document: number,
  path: YamlPath,
): Result<YamlFile, EditRefusal> {
  const found = walk(file, documentStarts(file.events)[document] ?? 0, path)
  if (!found.ok) return found
  const { node, parent, rest } = found.value
  const mapping = rest.length === 1 ? node : parent
  // A merge has the entry, or would bring it back, for some readers.
  if (mapping !== undefined && childOf(file.events, mapping, '<<', file.source) !== undefined)
    return err('the mapping has a merge key')
  if (rest.length > 0) return ok(file)
  if (parent === undefined || file.events[parent]?.type !== EVENT_ID.MAPPING)
    return err('only an entry of a mapping can be removed')
  const change = removeEntry(file, parent, node - 1)
  return change.ok ? applied(file, change.value) : change
}

const CHANGES_MORE = 'the edit would change more than this text'

function applied(file: YamlFile, change: TextChange): Result<YamlFile, EditRefusal> {
  const { start, end, text } = change
  const edited = readYaml(file.source.slice(0, start) + text + file.source.slice(end))
  return edited.ok && isOnlyChange(change, file, edited.value) ? edited : err(CHANGES_MORE)
}

interface Place {
  /** Event of the last node on the path. */
  readonly node: number
  /** Event of the collection that has it. */
  readonly parent: number | undefined
  /** Steps that the file does not have. */
  readonly rest: YamlPath
  /** Whether the node is inside of braces or brackets. */
  readonly isFlow: boolean
}

/** Follows a path as far as the file has it. */
function walk(
  { source, events }: YamlFile,
  document: number,
  path: YamlPath,
): Result<Place, EditRefusal> {
  let node = document + 1
  let parent: number | undefined
  let isFlow = false
  for (const [depth, step] of path.entries()) {
    const event = events[node]
    if (isShared(event)) return err('the path leads through an anchor or an alias')
    if (isNull(event, source)) return err('the path leads through an empty value')
    const isList = typeof step === 'number'
    if (event?.type !== (isList ? EVENT_ID.SEQUENCE : EVENT_ID.MAPPING))
      return err(`the path leads through a value that is not a ${isList ? 'list' : 'mapping'}`)
    isFlow = 'style' in event && event.style === COLLECTION_STYLE.FLOW
    const child = childOf(events, node, step, source)
    if (child === undefined) return ok({ node, parent, rest: path.slice(depth), isFlow })
    parent = node
    node = child
  }
  return ok({ node, parent, rest: [], isFlow })
}

function changeFor(
  file: YamlFile,
  document: number,
  path: YamlPath,
  value: Scalar,
): Result<TextChange, EditRefusal> {
  const place = walk(file, document, path)
  if (!place.ok) return place
  const { node, rest, isFlow } = place.value
  if (rest.length === 0) return replaceScalar(file, node, value, isFlow)
  const addition = { node, path: rest, value }
  return isFlow ? addInFlow(file, addition) : addLines(file, document, addition)
}

/** An alias shares the node of its anchor: an edit of one would change the other. */
const isShared = (event: Event | undefined): boolean =>
  event?.type === EVENT_ID.ALIAS ||
  (event !== undefined && 'anchorStart' in event && event.anchorStart >= 0)

const COLON = /[ \t]*:/y

function replaceScalar(
  { source, events }: YamlFile,
  node: number,
  value: Scalar,
  isFlow: boolean,
): Result<TextChange, EditRefusal> {
  const event = events[node]
  if (isShared(event)) return err('the text has an anchor, or is an alias')
  if (event?.type !== EVENT_ID.SCALAR) return err('the value is not a text')
  if (event.tagStart >= 0) return err('the text has a tag')
  if (event.style === SCALAR_STYLE.LITERAL_BLOCK || event.style === SCALAR_STYLE.FOLDED_BLOCK)
    return err('the text is a block of lines')

  const text = scalarIn(event.style, value, isFlow)
  const read = { at: node, removed: 1, added: outlineOf([], value) }
  if (event.valueStart >= 0) {
    const end = endOf(events, node, node + 1, source)
    return ok({ start: startOf(event), end, text, ...read })
  }
  const start = behind(COLON, source, endOf(events, node - 1, node, source))
  if (start < 0) return err('a key has no colon beside it')
  return ok({ start, end: start, text: ` ${text}`, ...read })
}
