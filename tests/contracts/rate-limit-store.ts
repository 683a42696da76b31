import { describe, expect, test } from 'bun:test'
import type { RateCounter } from '#src/lib/ports/database/rate-limits.ts'
import { type DatabasePlace } from './database.ts'
import { valueOf } from '#tests/support/value-of.ts'

const END = Date.UTC(2026, 10, 21)

const counter = (facts: Partial<RateCounter> = {}): RateCounter => ({
  name: 'sign_in',
  subject: '203.0.113.7',
  endsAt: END,
  ...facts,
})

/** `place` gives an empty place. */
export function rateLimitStoreContract(name: string, place: () => Promise<DatabasePlace>) {
  async function opened() {
    const at = await place()
    const database = valueOf(await at.open())
    return {
      at,
      ...database.rateLimits,
      async [Symbol.asyncDispose]() {
        await database.close()
        await at[Symbol.asyncDispose]()
      },
    }
  }

  describe(`${name} keeps the RateLimitStore contract`, () => {
    test('each name, subject and end has a counter of its own', async () => {
      await using store = await opened()
      const others = [
        counter({ name: 'webhook' }),
        counter({ subject: '2001:db8::/64' }),
        counter({ endsAt: END + 60_000 }),
      ]
      expect(valueOf(await store.add(counter(), 1))).toBe(1)
      expect(valueOf(await store.add(counter(), 41))).toBe(42)
      for (const other of others) expect(valueOf(await store.add(other, 1))).toBe(1)
      expect(valueOf(await store.add(counter(), 1))).toBe(43)
    })

    test('large counts and times are exact', async () => {
      await using store = await opened()
      const late = counter({ endsAt: 2 ** 53 - 1 })
      expect(valueOf(await store.add(late, 2 ** 33))).toBe(2 ** 33)
      expect(valueOf(await store.removeEnded(2 ** 53 - 1))).toStrictEqual([
        { ...late, count: 2 ** 33 },
      ])
    })

    test('a hundred calls at once see a hundred values', async () => {
      await using store = await opened()
      const added = await Promise.all(Array.from({ length: 100 }, () => store.add(counter(), 1)))
      expect(added.map((value) => valueOf(value)).toSorted((a, b) => a - b)).toStrictEqual(
        Array.from({ length: 100 }, (_, index) => index + 1),
      )
    })

    test('counters that ended are removed and answered, later ones stay', async () => {
      await using store = await opened()
      await store.add(counter(), 3)
      await store.add(counter({ endsAt: END - 1 }), 2)
      await store.add(counter({ endsAt: END + 1 }), 1)
      const removed = valueOf(await store.removeEnded(END))
      expect(removed.toSorted((a, b) => a.endsAt - b.endsAt)).toStrictEqual([
        { ...counter({ endsAt: END - 1 }), count: 2 },
        { ...counter(), count: 3 },
      ])
      expect(valueOf(await store.removeEnded(END))).toStrictEqual([])
      expect(valueOf(await store.add(counter({ endsAt: END + 1 }), 1))).toBe(2)
      expect(valueOf(await store.add(counter(), 1))).toBe(1)
    })

    test('of removals at once, by two processes, one answers each counter', async () => {
      await using store = await opened()
      const other = valueOf(await store.at.open())
      const subjects = Array.from({ length: 200 }, (_, index) => `subject ${index}`)
      for (const subject of subjects) await store.add(counter({ subject }), 1)
      const removals = await Promise.all(
        [store, other.rateLimits, store, other.rateLimits].map((each) => each.removeEnded(END)),
      )
      expect(
        removals.flatMap((removed) => valueOf(removed).map(({ subject }) => subject)).toSorted(),
      ).toStrictEqual(subjects.toSorted())
      await other.close()
    })
  })
}
