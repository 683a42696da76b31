import { constructFromEvents, parseEvents, YAMLException } from 'js-yaml'
import { err, ok, type Result } from '../result.ts'
import { lazily } from '../concurrency/lazily.ts'
import { childOf, documentStarts, type Events, itemsOf, startOf } from './events.ts'

/**
 * Untrusted YAML 1.2 (core schema: no merge keys, timestamps or binary) to plain values. Strict where loose readers hide
 * mistakes: duplicate keys, unknown tags and tabs are errors. Linear in the size of the source, at most `MAX_DEPTH` deep.
 * Aliases share their value, so a value may be huge, or cyclic, when walked: walk it with a budget.
 */
const MAX_DEPTH = 64
const MAX_ALIASES = 1_000
/** Marks of structure cost about a microsecond each, text next to nothing. 1 MiB of the smallest entities has as many marks. */
const MAX_MARKS = 200_000
/** js-yaml matches tags letter by letter. No known tag is nearly as long. */
const MAX_TAG_LENGTH = 1_000

/** A source, its js-yaml events and its values. */
export interface YamlFile {
  readonly source: string
  readonly events: Events
  readonly documents: readonly YamlDocument[]
}

export interface YamlDocument {
  readonly value: unknown
  /** Position of the node at this path, or of its nearest ancestor when there is no such node. */
  locate(path: NodePath): Position
  /** Positions of the items of a list, in one walk. None for a node that is no list in the source, such as an alias. */
  locateItems(path: NodePath): readonly Position[]
}

type NodePath = readonly (string | number)[]

/** Both count from 1. */
export interface Position {
  readonly line: number
  readonly column: number
}

/** Why a source cannot be read. The message quotes nothing of it. */
export interface YamlFault {
  readonly code: 'yaml_too_large' | 'yaml_syntax' | 'yaml_duplicate_key' | 'yaml_too_deep'
  readonly position: Position | null
  readonly message: string
}

export function readYaml(source: string): Result<YamlFile, YamlFault> {
  if (source.length > MAX_MARKS && countMarks(source) > MAX_MARKS) {
    const message = `a YAML file may have at most ${MAX_MARKS} line ends and characters of -?:,[{`
    return err({ code: 'yaml_too_large', position: null, message })
  }
  if (hasLongTag(source)) return syntaxFault('a tag is too long')
  try {
    const events = parseEvents(source, { maxDepth: MAX_DEPTH })
    const values = constructFromEvents(events, { source, maxAliases: MAX_ALIASES })
    const starts = documentStarts(events)
    const positionAt = createPositions(source)
    const documents = values.map((value, index) => {
      const root = (starts[index] ?? 0) + 1
      return {
        value,
        locate: (path: NodePath) => positionAt(offsetOf(source, events, root, path)),
        locateItems: (path: NodePath) => itemOffsets(source, events, root, path).map(positionAt),
      }
    })
    return ok({ source, events, documents })
  } catch (error) {
    return error instanceof YAMLException
      ? err(faultOf(error))
      : syntaxFault('not readable as YAML')
  }
}

function countMarks(source: string): number {
  let count = 0
  for (let at = 0; at < source.length; at++) if (IS_MARK[source.charCodeAt(at)] === 1) count++
  return count
}

const IS_MARK = new Uint8Array(128)
for (const mark of '-?:,[{\n\r') IS_MARK[mark.charCodeAt(0)] = 1

const hasLongTag = (source: string): boolean =>
  source.length > MAX_TAG_LENGTH &&
  source.includes('!') &&
  source.matchAll(/^%TAG.*|(?<![^\s,[{])!\S*/gm).some(([tag]) => tag.length > MAX_TAG_LENGTH)

const syntaxFault = (message: string) =>
  err({ code: 'yaml_syntax', position: null, message } as const)

function faultOf({ reason, mark }: YAMLException): YamlFault {
  const message = reason.replace(QUOTATION, '')
  const position = mark ? { line: mark.line + 1, column: mark.column + 1 } : null
  return { code: codeOf(message), position, message }
}

/** The part of a reason that quotes the file: a password that begins with `*` or `!` must not get into a message. */
const QUOTATION = /(?: "| !<|: ).*$/s

function codeOf(reason: string): YamlFault['code'] {
  if (reason.startsWith('duplicated mapping key')) return 'yaml_duplicate_key'
  if (reason.startsWith('nesting exceeded')) return 'yaml_too_deep'
  return 'yaml_syntax'
}

/** Walks the events below a root down a path, without building anything. */
function offsetOf(source: string, events: Events, root: number, path: NodePath): number {
  let node = root
  let offset = startOf(events[node])
  for (const step of path) {
    const child = childOf(events, node, step, source)
    if (child === undefined) break
    node = child
    const start = startOf(events[node])
    if (start >= 0) offset = start
  }
  return Math.max(offset, 0)
}

function itemOffsets(
  source: string,
  events: Events,
  root: number,
  path: NodePath,
): readonly number[] {
  let node: number | undefined = root
  for (const step of path) {
    if (node !== undefined) node = childOf(events, node, step, source)
  }
  return node === undefined
    ? []
    : itemsOf(events, node).map((item) => {
        const start = startOf(events[item])
        return start >= 0 ? start : offsetOf(source, events, root, path)
      })
}

/** Turns offsets into lines and columns. The starts of the lines are found at the first use. */
function createPositions(source: string): (offset: number) => Position {
  const starts = lazily(() => lineStarts(source))
  return (offset) => {
    const line = countUpTo(starts(), offset)
    return { line, column: offset - (starts()[line - 1] ?? 0) + 1 }
  }
}

function lineStarts(source: string): readonly number[] {
  const starts = [0]
  LINE_END.lastIndex = 0
  while (LINE_END.test(source)) starts.push(LINE_END.lastIndex)
  return starts
}

const LINE_END = /\r\n?|\n/g

/** Number of ascending values that are at most `limit`, by bisection. */
function countUpTo(values: readonly number[], limit: number): number {
  let low = 0
  let high = values.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((values[middle] ?? 0) <= limit) low = middle + 1
    else high = middle
  }
  return low
}
