import { EVENT_ID, getScalarValue, SCALAR_STYLE } from 'js-yaml'
import { childOf, type Event, ROOT } from './events.ts'
import type { YamlFile } from './read.ts'

/**
 * The text of a scalar below the node at `from`, by default the first document, as it is written, without quotes: `1.10`, `0777` and
 * `12345e7` are not read as numbers. `undefined` for an alias, and for any spelling of null.
 */
export function scalarText(
  { source, events }: Pick<YamlFile, 'source' | 'events'>,
  path: readonly (string | number)[],
  from = ROOT,
): string | undefined {
  let node: number | undefined = from
  for (const step of path) {
    node = childOf(events, node, step, source)
    if (node === undefined) return undefined
  }
  const event = events[node]
  return event?.type === EVENT_ID.SCALAR && !isNull(event, source)
    ? getScalarValue(source, event)
    : undefined
}

/** Any spelling of null. In quotes or with a tag, `~` is a text. */
export const isNull = (event: Event | undefined, source: string): boolean =>
  event?.type === EVENT_ID.SCALAR &&
  event.style === SCALAR_STYLE.PLAIN &&
  event.tagStart < 0 &&
  /^(?:~|null|Null|NULL)?$/.test(getScalarValue(source, event))
