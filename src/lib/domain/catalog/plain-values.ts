import { CORE_SCHEMA, EVENT_ID, getScalarValue, NOT_RESOLVED, SCALAR_STYLE } from 'js-yaml'
import type { Events, ScalarEvent } from './yaml-events.ts'

/**
 * The values that js-yaml's `constructFromEvents` makes, of documents without tags, anchors and aliases and with text for keys, as
 * nearly all are. `undefined` of anything else, mistakes included, on which js-yaml has the last word: `docs/decisions/yaml.md`.
 */
export function plainValues(events: Events, source: string): unknown[] | undefined {
  const walk: Walk = { events, source, at: 0 }
  const values: unknown[] = []
  while (walk.at < events.length) {
    walk.at++
    const value = nextNode(walk)
    if (value === NOT_PLAIN) return undefined
    values.push(value)
    walk.at++
  }
  return values
}

interface Walk {
  readonly events: Events
  readonly source: string
  /** Index of the next event. */
  at: number
}

const NOT_PLAIN = Symbol('not plain')

function nextNode(walk: Walk): unknown {
  const event = walk.events[walk.at++]
  if (event === undefined || !('tagStart' in event)) return NOT_PLAIN
  if (event.tagStart >= 0 || event.anchorStart >= 0) return NOT_PLAIN
  if (event.type === EVENT_ID.SCALAR) return scalarOf(event, walk.source)
  return event.type === EVENT_ID.MAPPING ? mappingOf(walk) : sequenceOf(walk)
}

function mappingOf(walk: Walk): unknown {
  const mapping: Record<string, unknown> = {}
  while (!stepOverEnd(walk)) {
    const key = nextNode(walk)
    if (typeof key !== 'string' || key === '__proto__' || Object.hasOwn(mapping, key))
      return NOT_PLAIN
    const value = nextNode(walk)
    if (value === NOT_PLAIN) return NOT_PLAIN
    mapping[key] = value
  }
  return mapping
}

function sequenceOf(walk: Walk): unknown {
  const items: unknown[] = []
  while (!stepOverEnd(walk)) {
    const item = nextNode(walk)
    if (item === NOT_PLAIN) return NOT_PLAIN
    items.push(item)
  }
  return items
}

/** Steps over the end of a collection, if it is here. */
function stepOverEnd(walk: Walk): boolean {
  if (walk.events[walk.at]?.type !== EVENT_ID.POP) return false
  walk.at++
  return true
}

function scalarOf(event: ScalarEvent, source: string): unknown {
  const text = getScalarValue(source, event)
  if (event.style !== SCALAR_STYLE.PLAIN || !mayBeNoText(text)) return text
  for (const { resolve, tagName } of implicitTags) {
    const value: unknown = resolve(text, false, tagName)
    if (value !== NOT_RESOLVED) return value
  }
  return text
}

/** What text without quotes may be beside text. Each says with which characters it begins. */
const implicitTags = CORE_SCHEMA.tags
  .filter((tag) => tag.nodeKind === 'scalar')
  .filter(({ implicit }) => implicit)

const firstCharacters = new Set(
  implicitTags.flatMap(({ implicitFirstChars }) => implicitFirstChars ?? []),
)
const IS_FIRST = Uint8Array.from({ length: 128 }, (_, code) =>
  Number(firstCharacters.has(String.fromCharCode(code))),
)

const mayBeNoText = (text: string): boolean => text === '' || IS_FIRST[text.charCodeAt(0)] === 1
