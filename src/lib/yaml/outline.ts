import { COLLECTION_STYLE, EVENT_ID, getScalarValue, SCALAR_STYLE } from 'js-yaml'
import type { Event } from './events.ts'
import type { YamlFile } from './read.ts'
import type { Scalar } from './scalar-style.ts'

/** A replacement of events. The added ones are known by their outlines. */
export interface EventChange {
  readonly at: number
  readonly removed: number
  readonly added: readonly string[]
}

/** A replacement of characters, and of the events that they are read as. */
export interface TextChange extends EventChange {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** Keys of mappings and indexes of lists. */
export type YamlPath = readonly (string | number)[]

/** Outlines of a scalar, or of the collections that lead to it: types of events, with the text of scalars. */
export const outlineOf = (path: YamlPath, value: Scalar): string[] =>
  path.reduceRight(
    (inner, step) =>
      typeof step === 'number'
        ? [`${EVENT_ID.SEQUENCE}`, ...inner, `${EVENT_ID.POP}`]
        : [`${EVENT_ID.MAPPING}`, outlineOfText(step), ...inner, `${EVENT_ID.POP}`],
    [outlineOfText(`${value}`)],
  )

const outlineOfText = (text: string): string => `${EVENT_ID.SCALAR} ${text}`

const outline = (event: Event, source: string): string =>
  event.type === EVENT_ID.SCALAR ? outlineOfText(getScalarValue(source, event)) : `${event.type}`

/** Compares events and not values, since aliases make a small file a large value. */
export function isOnlyChange(change: EventChange, before: YamlFile, edited: YamlFile): boolean {
  const { at, removed, added } = change
  const shift = added.length - removed
  if (edited.events.length !== before.events.length + shift) return false
  return edited.events.every((event, index) => {
    const isAdded = index >= at && index < at + added.length
    if (isAdded) return outline(event, edited.source) === added[index - at]
    const original = before.events[index < at ? index : index - shift]
    return (
      original !== undefined &&
      outline(original, before.source) === outline(event, edited.source) &&
      propertiesOf(original, before.source) === propertiesOf(event, edited.source)
    )
  })
}

/** Directives of a document; style, anchor and tag of a node. */
function propertiesOf(event: Event, source: string): string {
  if (event.type === EVENT_ID.DOCUMENT) return JSON.stringify(event.directives)
  if (!('anchorStart' in event)) return ''
  return JSON.stringify([
    'style' in event ? event.style : null,
    source.slice(event.anchorStart, event.anchorEnd),
    'tagStart' in event ? source.slice(event.tagStart, event.tagEnd) : null,
  ])
}

/** Whether a file has the nodes of another, with their styles, anchors and tags, when all of its texts are replaced. */
export function isSameBut(
  before: YamlFile,
  edited: YamlFile,
  replace: (text: string) => string,
): boolean {
  if (edited.events.length !== before.events.length) return false
  return edited.events.every((event, index) => {
    const original = before.events[index]
    return (
      original !== undefined &&
      replace(outline(original, before.source)) === outline(event, edited.source) &&
      replace(propertiesOf(original, before.source)) === propertiesOf(event, edited.source)
    )
  })
}

export interface ScalarOutline {
  readonly text: string
  /** Offsets of the text as it is written, without its quotes; -1 for an empty one. */
  readonly start: number
  readonly end: number
  /** Without quotes and without a tag, so that its text decides on its type. */
  readonly isPlain: boolean
  /** A block of lines. */
  readonly isBlock: boolean
  /** Within braces or brackets. */
  readonly isFlow: boolean
}

export function scalarsOf({ events, source }: YamlFile): readonly ScalarOutline[] {
  const scalars: ScalarOutline[] = []
  /** Whether each node that is open is within braces or brackets. */
  const open: boolean[] = []
  for (const event of events) {
    const isFlow = open.at(-1) === true
    if (event.type === EVENT_ID.POP) open.pop()
    else if (event.type === EVENT_ID.DOCUMENT) open.push(false)
    else if (event.type === EVENT_ID.MAPPING || event.type === EVENT_ID.SEQUENCE) {
      open.push(isFlow || event.style === COLLECTION_STYLE.FLOW)
    } else if (event.type === EVENT_ID.SCALAR) {
      const { style, tagStart, valueStart: start, valueEnd: end } = event
      scalars.push({
        text: getScalarValue(source, event),
        start,
        end,
        isPlain: style === SCALAR_STYLE.PLAIN && tagStart < 0,
        isBlock: style === SCALAR_STYLE.LITERAL_BLOCK || style === SCALAR_STYLE.FOLDED_BLOCK,
        isFlow,
      })
    }
  }
  return scalars
}
