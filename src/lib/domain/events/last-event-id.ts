import { createHash } from 'node:crypto'
import type { Topic } from './parse-topics.ts'

/** Upper bound of an id; the positions of twenty topics need less. */
const ID_MAX_CHARACTERS = 1_000
const ENTRY = /^([\w-]{6}):([\w-]{1,16})$/
const KEY_LENGTH = 6
const POSITION_LENGTH = 12

/** Positions by topic. */
export type Positions = Map<string, string>

/** The id of an event: the positions of all topics, so that a client that comes again misses nothing of any. */
export const eventId = (positions: ReadonlyMap<string, string>): string =>
  [...positions].map(([key, position]) => `${digestOf(key, KEY_LENGTH)}:${position}`).join('.')

/** The positions in an id, which may be of a stream with other topics. Text that is no id has none. */
export function positionsIn(id: string, topics: readonly Pick<Topic, 'key'>[]): Positions {
  const found = new Map<string, string>()
  if (id.length > ID_MAX_CHARACTERS) return found
  for (const entry of id.split('.')) {
    const [, key = '', position = ''] = ENTRY.exec(entry) ?? []
    found.set(key, position)
  }
  return new Map(
    topics.flatMap(({ key }) => {
      const position = found.get(digestOf(key, KEY_LENGTH))
      return position === undefined ? [] : [[key, position] as const]
    }),
  )
}

/** The position of a topic whose events say no more than that its revision changed. */
export const positionOf = (revision: string): string => digestOf(revision, POSITION_LENGTH)

const digestOf = (text: string, length: number): string =>
  createHash('sha256').update(text).digest('base64url').slice(0, length)
