import { constructFromEvents, EVENT_ID, getScalarValue, parseEvents, YAMLException } from 'js-yaml'
import type { Finding, ProblemCode } from './problem.ts'

/**
 * Untrusted YAML 1.2 (core schema: no merge keys, timestamps or binary) to plain values. Strict where loose readers hide
 * mistakes: duplicate keys, unknown tags and tabs are errors. Linear in the size of the source, at most `MAX_DEPTH` deep.
 * Aliases share their value, so a value may be larger, or cyclic, when walked: whoever walks it needs a budget.
 */
const MAX_DEPTH = 64
const MAX_ALIASES = 1_000

type Events = ReturnType<typeof parseEvents>

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
  try {
    const events = parseEvents(source, { maxDepth: MAX_DEPTH })
    const values = constructFromEvents(events, { source, maxAliases: MAX_ALIASES })
    const starts = documentStarts(events)
    const position = createPositions(source)
    return {
      kind: 'documents',
      documents: values.map((value, index) => ({
        value,
        locate: (path) => position(offsetOf(events, starts[index] ?? 0, path, source)),
      })),
    }
  } catch (error) {
    return { kind: 'broken', finding: findingFor(error) }
  }
}

function findingFor(error: unknown): Finding {
  const mark = error instanceof YAMLException ? error.mark : undefined
  const reason = error instanceof YAMLException ? error.reason : 'not readable as YAML'
  return {
    severity: 'error',
    code: codeFor(reason),
    line: mark ? mark.line + 1 : null,
    column: mark ? mark.column + 1 : null,
    ref: null,
    message: reason,
  }
}

function codeFor(reason: string): ProblemCode {
  if (reason.startsWith('duplicated mapping key')) return 'yaml_duplicate_key'
  if (reason.startsWith('nesting exceeded')) return 'yaml_too_deep'
  return 'yaml_syntax'
}

const documentStarts = (events: Events): number[] =>
  events.flatMap((event, index) => (event.type === EVENT_ID.DOCUMENT ? [index] : []))

/** Walks the events of one document down a path, without building anything. */
function offsetOf(
  events: Events,
  document: number,
  path: readonly (string | number)[],
  source: string,
): number {
  let node = document + 1
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

function childOf(
  events: Events,
  node: number,
  step: string | number,
  source: string,
): number | undefined {
  const parent = events[node]
  if (parent === undefined) return undefined
  const isMapping = parent.type === EVENT_ID.MAPPING
  if (!isMapping && parent.type !== EVENT_ID.SEQUENCE) return undefined
  let index = 0
  for (let at = node + 1; events[at]?.type !== EVENT_ID.POP; index++) {
    if (at >= events.length) return undefined
    const key = events[at]
    const value = isMapping ? after(events, at) : at
    const matches = isMapping
      ? key?.type === EVENT_ID.SCALAR && getScalarValue(source, key) === step
      : index === step
    if (matches) return value
    at = after(events, value)
  }
  return undefined
}

/** Index of the event behind the node that starts at `at`. */
function after(events: Events, at: number): number {
  let depth = 0
  for (let i = at; i < events.length; i++) {
    const type = events[i]?.type
    if (type === EVENT_ID.POP) depth--
    else if (type === EVENT_ID.MAPPING || type === EVENT_ID.SEQUENCE) depth++
    if (depth <= 0) return i + 1
  }
  return events.length
}

function startOf(event: Events[number] | undefined): number {
  if (event === undefined) return -1
  if (event.type === EVENT_ID.SCALAR) return event.valueStart
  if (event.type === EVENT_ID.ALIAS) return event.anchorStart
  if (event.type === EVENT_ID.MAPPING || event.type === EVENT_ID.SEQUENCE) return event.start
  return -1
}

/** Offsets to lines and columns; the lines are counted once, when the first position is asked for. */
function createPositions(source: string): (offset: number) => Position {
  let lineStarts: readonly number[] | undefined
  return (offset) => {
    lineStarts ??= [0, ...source.matchAll(/\r\n|\r|\n/g).map((end) => end.index + end[0].length)]
    let low = 0
    let high = lineStarts.length - 1
    while (low < high) {
      const middle = Math.ceil((low + high) / 2)
      if ((lineStarts[middle] ?? 0) <= offset) low = middle
      else high = middle - 1
    }
    return { line: low + 1, column: offset - (lineStarts[low] ?? 0) + 1 }
  }
}
