import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { eventId, positionOf, positionsIn } from '#src/lib/domain/events/last-event-id.ts'

const named = (...keys: readonly string[]) => keys.map((key) => ({ key }))

test('an id has the positions of all topics, in any order of them, and none of others', () => {
  const id = eventId(
    new Map([
      ['catalog', positionOf('9f2c')],
      ['run:1', '12'],
    ]),
  )
  expect(id).toMatch(/^[\w.:-]+$/)
  expect(positionsIn(id, named('run:1', 'pods:a/b', 'catalog'))).toStrictEqual(
    new Map([
      ['run:1', '12'],
      ['catalog', positionOf('9f2c')],
    ]),
  )
  expect(positionsIn(id, named('run:2'))).toStrictEqual(new Map())
})

test('the id of twenty topics is short enough for a header', () => {
  const topics = named(...Array.from({ length: 20 }, (_, index) => `promotion:component/${index}`))
  const positions = new Map(topics.map(({ key }) => [key, positionOf(key)]))
  expect(eventId(positions).length).toBeLessThan(500)
  expect(positionsIn(eventId(positions), topics)).toStrictEqual(positions)
})

test('any text is an id, perhaps one of nothing', () => {
  const topics = named('catalog', 'run:1')
  fc.assert(
    fc.property(fc.string(), (text) => {
      for (const position of positionsIn(text, topics).values()) {
        expect(position).toMatch(/^[\w-]{1,16}$/)
      }
    }),
  )
  expect(positionsIn('x'.repeat(2_000), topics)).toStrictEqual(new Map())
})
