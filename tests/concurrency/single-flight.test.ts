import { expect, test } from 'bun:test'
import { createSingleFlight } from '#src/lib/concurrency/single-flight.ts'

test('work is done once for all who ask meanwhile, and again afterwards, also after a failure', async () => {
  const flights = createSingleFlight<number>()
  let started = 0
  const fail = async () => {
    started += 1
    throw new Error('broken')
  }
  const both = await Promise.allSettled([flights.join('a', fail), flights.join('a', fail)])
  expect(both.map(({ status }) => status)).toStrictEqual(['rejected', 'rejected'])
  expect(started).toBe(1)

  const held = Promise.withResolvers<number>()
  const joined = [
    flights.join('a', () => held.promise),
    flights.join('a', fail),
    flights.join('b', async () => 2),
  ]
  const ended = flights.ended()
  await flights.join('b', async () => 3)
  expect(Bun.peek.status(ended)).toBe('pending')
  held.resolve(1)
  expect(await Promise.all(joined)).toStrictEqual([1, 1, 2])
  await ended
  expect(await flights.join('b', async () => 4)).toBe(4)
})
