import {
  CHOMPING_MODE,
  COLLECTION_STYLE,
  EVENT_ID,
  getScalarValue,
  type parseEvents,
  SCALAR_STYLE,
} from 'js-yaml'

/** Functions over js-yaml's events of a source, with their offsets. */
export type Events = ReturnType<typeof parseEvents>
export type Event = Events[number]

/** Index of the event of the first document's node, behind that of the document. */
export const ROOT = 1

export function documentStarts(events: Events): number[] {
  const starts: number[] = []
  for (let at = 0; at < events.length; at++) {
    if (events[at]?.type === EVENT_ID.DOCUMENT) starts.push(at)
  }
  return starts
}

/** Index of the event of a key's value, or of a list's item, in the node at `node`. */
export function childOf(
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

/** Indices of the events of a list's items; none for any other node. */
export function itemsOf(events: Events, node: number): readonly number[] {
  const items: number[] = []
  if (events[node]?.type !== EVENT_ID.SEQUENCE) return items
  for (let at = node + 1; at < events.length && events[at]?.type !== EVENT_ID.POP;) {
    items.push(at)
    at = after(events, at)
  }
  return items
}

/** Index of the event behind the node at `at`. */
export function after(events: Events, at: number): number {
  let depth = 0
  for (let i = at; i < events.length; i++) {
    const type = events[i]?.type
    if (type === EVENT_ID.POP) depth--
    else if (type === EVENT_ID.MAPPING || type === EVENT_ID.SEQUENCE) depth++
    if (depth <= 0) return i + 1
  }
  return events.length
}

/** Offset of the first character of a node, its quote included; -1 if the node is empty. */
export function startOf(event: Event | undefined): number {
  if (event === undefined) return -1
  if (event.type === EVENT_ID.SCALAR) return event.valueStart - quoteLength(event)
  if (event.type === EVENT_ID.ALIAS) return event.anchorStart - 1
  if (event.type === EVENT_ID.MAPPING || event.type === EVENT_ID.SEQUENCE) return event.start
  return -1
}

/**
 * Offset behind the last character of the events from `from` up to `to`, quotes and brackets included; behind text that keeps its
 * blank lines, the start of the next line. -1 if the events are empty, or a bracket is missing.
 */
export function endOf(events: Events, from: number, to: number, source: string): number {
  const isFlow: boolean[] = []
  let end = -1
  for (const event of events.slice(from, to)) {
    switch (event.type) {
      case EVENT_ID.SCALAR:
        end = Math.max(end, event.anchorEnd, event.tagEnd, scalarEnd(event, source))
        break
      case EVENT_ID.ALIAS:
        end = event.anchorEnd
        break
      case EVENT_ID.MAPPING:
      case EVENT_ID.SEQUENCE:
        isFlow.push(event.style === COLLECTION_STYLE.FLOW)
        end = Math.max(end, event.start + (isFlow.at(-1) === true ? 1 : 0))
        break
      case EVENT_ID.POP:
        if (isFlow.pop() === true) end = behind(CLOSING, source, end)
        if (end < 0) return -1
        break
      case EVENT_ID.DOCUMENT:
        break
    }
  }
  return end
}

/** Characters between the last node of a flow collection and its end, with the closing bracket. */
const CLOSING = /(?:[\s,:?]|(?<=\s)#[^\r\n]*(?=[\r\n]))*[\]}]/y

/** Offset behind the match of a sticky pattern at `at`, or -1. */
export function behind(pattern: RegExp, source: string, at: number): number {
  pattern.lastIndex = at
  return pattern.test(source) ? pattern.lastIndex : -1
}

export type ScalarEvent = Extract<Event, { type: typeof EVENT_ID.SCALAR }>

const isBlock = ({ style }: ScalarEvent): boolean =>
  style === SCALAR_STYLE.LITERAL_BLOCK || style === SCALAR_STYLE.FOLDED_BLOCK

const quoteLength = ({ style }: ScalarEvent): 0 | 1 =>
  style === SCALAR_STYLE.SINGLE_QUOTED || style === SCALAR_STYLE.DOUBLE_QUOTED ? 1 : 0

function scalarEnd(scalar: ScalarEvent, source: string): number {
  const { valueStart, valueEnd, chomping } = scalar
  if (!isBlock(scalar) || chomping === CHOMPING_MODE.KEEP) return valueEnd + quoteLength(scalar)
  return valueStart + source.slice(valueStart, valueEnd).trimEnd().length
}
