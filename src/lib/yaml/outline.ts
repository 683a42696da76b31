import { EVENT_ID, getScalarValue } from 'js-yaml'
import type { Event } from './events.ts'
import type { YamlFile } from './read.ts'

/** One replacement of events, by others that are known by their outlines: type, and text if it is a scalar. */
export interface EventChange {
  readonly at: number
  readonly removed: number
  readonly added: readonly string[]
}

/** Of a text, or of the mappings that lead to it. */
export const outlineOf = (path: readonly string[], value: string): string[] =>
  path.reduceRight(
    (inner, key) => [`${EVENT_ID.MAPPING}`, outlineOfText(key), ...inner, `${EVENT_ID.POP}`],
    [outlineOfText(value)],
  )

const outlineOfText = (text: string): string => `${EVENT_ID.SCALAR} ${text}`

const outline = (event: Event, source: string): string =>
  event.type === EVENT_ID.SCALAR ? outlineOfText(getScalarValue(source, event)) : `${event.type}`

/** Of events and not of values: it takes no longer when aliases make a small file a large value. */
export function isOnlyChange(change: EventChange, before: YamlFile, edited: YamlFile): boolean {
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
