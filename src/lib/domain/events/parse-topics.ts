import { err, ok, type Result } from '../../result.ts'
import type { FieldError } from '../../schema/field-error.ts'
import { TEXT_RULES } from '../../schema/rules.ts'
import type { OpenTopic, ParseTopic } from './topic.ts'

export interface Topic {
  /** As the client spells it. */
  readonly name: string
  /** The same for every spelling. */
  readonly key: string
  /** The first word of the name, which is the name of its events. */
  readonly kind: string
  readonly open: OpenTopic
}

/** The topics that a client names, or every mistake at its place in the list. */
export function parseTopics(
  kinds: Readonly<Record<string, ParseTopic>>,
  names: readonly string[],
): Result<readonly Topic[], readonly FieldError[]> {
  if (names.length === 0) return err([MISSING])
  const topics = new Map<string, Topic>()
  const errors: FieldError[] = []
  for (const [index, name] of names.entries()) {
    const path = `/query/topics/${index}`
    const topic = parseTopic(kinds, name)
    if (topic === undefined) errors.push({ path, rule: 'topic', message: TEXT_RULES.topic })
    else if (topics.has(topic.key)) errors.push({ path, ...REPEATED })
    else topics.set(topic.key, topic)
  }
  return errors.length > 0 ? err(errors) : ok([...topics.values()])
}

const MISSING = { path: '/query/topics', rule: 'required', message: 'is required' } as const
const REPEATED = { rule: 'duplicate', message: 'is there twice; name each topic once' } as const

function parseTopic(kinds: Readonly<Record<string, ParseTopic>>, name: string): Topic | undefined {
  const colon = name.indexOf(':')
  const kind = colon < 0 ? name : name.slice(0, colon)
  if (!Object.hasOwn(kinds, kind)) return undefined
  const open = kinds[kind]?.(colon < 0 ? null : name.slice(colon + 1))
  const selector = name.indexOf('?')
  // Names of entities are the same in any case, and the other names have no upper case; labels have.
  const key = selector < 0 ? name.toLowerCase() : name
  return open && { name, key, kind, open }
}
