import { describe, expect, test } from 'bun:test'
import { ok } from '#src/lib/result.ts'
import { type DatabasePlace } from './database.ts'
import { valueOf } from '#tests/support/value-of.ts'

/** `place` gives an empty place. */
export function writeTurnStoreContract(name: string, place: () => Promise<DatabasePlace>) {
  describe(`${name} keeps the WriteTurnStore contract`, () => {
    test('callers make the next turn one at a time, each host its own', async () => {
      await using at = await place()
      const database = valueOf(await at.open())
      const { writeTurns } = database
      const after = (by: number) => (last: { at: number; usedUntil: number } | null) => ({
        at: (last?.at ?? 1e12) + by,
        usedUntil: (last?.usedUntil ?? 0) + 1,
      })
      await Promise.all(Array.from({ length: 20 }, () => writeTurns.take('a', after(1))))
      expect(await writeTurns.take('a', (last) => last)).toStrictEqual(
        ok({ at: 1e12 + 20, usedUntil: 20 }),
      )
      expect(await writeTurns.take('a', () => null)).toStrictEqual(ok(null))
      expect(await writeTurns.take('a', after(0))).toMatchObject({ value: { usedUntil: 21 } })
      expect(await writeTurns.take('b', after(5))).toStrictEqual(ok({ at: 1e12 + 5, usedUntil: 1 }))
      await database.close()
    })
  })
}
