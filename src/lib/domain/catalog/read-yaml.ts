import { constructFromEvents, parseEvents, YAMLException } from 'js-yaml'
import { lazily } from '../../lazily.ts'
import { fileFinding, type Finding, type ProblemCode } from './problem.ts'
import { type DocumentValue, readSimpleYaml } from './simple-yaml.ts'
import { childOf, documentStarts, type Events, startOf } from './yaml-events.ts'

/**
 * Untrusted YAML 1.2 (core schema: no merge keys, timestamps or binary) to plain values. Strict where loose readers hide
 * mistakes: duplicate keys, unknown tags and tabs are errors. Linear in the size of the source, at most `MAX_DEPTH` deep.
 * Aliases share their value, so a value may be larger, or cyclic, when walked: whoever walks it needs a budget.
 */
export const MAX_DEPTH = 64
const MAX_ALIASES = 1_000
/** Structure costs about a microsecond a character, text next to nothing: 1 MiB of the smallest entities has as much. */
const MAX_MARKS = 200_000
/** Tags are matched letter by letter, and none that is known is nearly as long. */
const MAX_TAG_LENGTH = 1_000

export interface YamlDocument {
  readonly value: unknown
  /** Where the node at this path stands; where the nearest ancestor stands if there is no such node. */
  locate(path: readonly (string | number)[]): Position
}

export interface Position {
  readonly line: number
  readonly column: number
}

export type YamlReading =
  | { readonly kind: 'documents'; readonly documents: readonly YamlDocument[] }
  | { readonly kind: 'broken'; readonly finding: Finding }

export function readYaml(source: string): YamlReading {
  if (source.length > MAX_MARKS && countMarks(source) > MAX_MARKS) {
    return broken(
      'file_too_large',
      `a catalog file may have ${MAX_MARKS} line ends and characters of -?:,[{`,
    )
  }
  if (hasLongTag(source)) return broken('yaml_syntax', 'a tag is too long')
  try {
    const parsed = lazily(() => parse(source))
    const documents = readSimpleYaml(source) ?? construct(parsed())
    const position = createPositions(source)
    return {
      kind: 'documents',
      documents: documents.map(({ value, start }, index) => ({
        value,
        locate: (path) => position(path.length === 0 ? start : offsetOf(parsed(), index, path)),
      })),
    }
  } catch (error) {
    return { kind: 'broken', finding: findingFor(error) }
  }
}

/** What js-yaml read of a source, and at which event each document starts. */
interface Parsed {
  readonly source: string
  readonly events: Events
  readonly starts: readonly number[]
}

function parse(source: string): Parsed {
  const events = parseEvents(source, { maxDepth: MAX_DEPTH })
  return { source, events, starts: documentStarts(events) }
}

function construct(parsed: Parsed): readonly DocumentValue[] {
  const { source, events } = parsed
  const values = constructFromEvents(events, { source, maxAliases: MAX_ALIASES })
  return values.map((value, index) => ({ value, start: offsetOf(parsed, index, []) }))
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

function findingFor(error: unknown): Finding {
  if (!(error instanceof YAMLException))
    return broken('yaml_syntax', 'not readable as YAML').finding
  const message = error.reason.replace(QUOTATION, '')
  return {
    severity: 'error',
    code: codeFor(message),
    line: error.mark ? error.mark.line + 1 : null,
    column: error.mark ? error.mark.column + 1 : null,
    ref: null,
    message,
  }
}

/** Where the reason begins to quote the file: a password that begins with `*` or `!` must not end up in a message. */
const QUOTATION = /(?: "| !<|: ).*$/s

const broken = (code: ProblemCode, message: string): Extract<YamlReading, { kind: 'broken' }> => ({
  kind: 'broken',
  finding: fileFinding(code, message),
})

function codeFor(reason: string): ProblemCode {
  if (reason.startsWith('duplicated mapping key')) return 'yaml_duplicate_key'
  if (reason.startsWith('nesting exceeded')) return 'yaml_too_deep'
  return 'yaml_syntax'
}

/** Walks the events of one document down a path, without building anything. */
function offsetOf(
  { source, events, starts }: Parsed,
  document: number,
  path: readonly (string | number)[],
): number {
  let node = (starts[document] ?? 0) + 1
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

/**
 * Offsets to lines and columns. Counts on from the last one, so that asking in order costs one pass over the source,
 * and asking for the start of a file nothing.
 */
function createPositions(source: string): (offset: number) => Position {
  let line = 1
  let lineStart = 0
  return (offset) => {
    if (offset < lineStart) {
      line = 1
      lineStart = 0
    }
    for (let at = lineStart; at < offset; at++) {
      if (!isLineEnd(source, at)) continue
      line++
      lineStart = at + 1
    }
    return { line, column: offset - lineStart + 1 }
  }
}

/** LF, CRLF or CR: of CRLF the LF. */
function isLineEnd(source: string, at: number): boolean {
  const code = source.charCodeAt(at)
  return code === LINE_FEED || (code === CARRIAGE_RETURN && source.charCodeAt(at + 1) !== LINE_FEED)
}

const LINE_FEED = 10
const CARRIAGE_RETURN = 13
