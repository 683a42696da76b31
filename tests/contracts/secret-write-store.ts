import { describe, expect, test } from 'bun:test'
import type { SecretWriteRow } from '#src/lib/ports/database/secret-writes.ts'
import { type DatabasePlace } from './database.ts'
import { valueOf } from '#tests/support/value-of.ts'

const PATH = 'payments/shop/dev/env'
const replaced = { ok: true, value: true } as const
const refused = { ok: true, value: false } as const

const row = (facts: Partial<SecretWriteRow> = {}): SecretWriteRow => ({
  path: PATH,
  expectedVersion: 3,
  keyId: 'k1',
  sealed: new Uint8Array([1, 2, 3]),
  at: Date.UTC(2026, 10, 21),
  ...facts,
})

/** `place` gives an empty place. */
export function secretWriteStoreContract(name: string, place: () => Promise<DatabasePlace>) {
  async function opened() {
    const at = await place()
    const database = valueOf(await at.open())
    return {
      writes: database.secretWrites,
      find: async (path = PATH) => valueOf(await database.secretWrites.find(path)),
      close: () => database.close(),
      execute: (statement: string) => at.execute(statement),
      async [Symbol.asyncDispose]() {
        await database.close()
        await at[Symbol.asyncDispose]()
      },
    }
  }

  describe(`${name} keeps the SecretWriteStore contract`, () => {
    test('a row comes back as it was put, every byte of it, and no other path has it', async () => {
      await using place = await opened()
      const all = new Uint8Array(16_384).map((_, index) => index % 256)
      let before: SecretWriteRow | null = null
      for (const [index, sealed] of [all, new Uint8Array(0), all].entries()) {
        const next = row({
          sealed,
          expectedVersion: 2 ** 32 + index,
          at: 2 ** 53 - 1,
        })
        expect(await place.writes.replace(before, next)).toStrictEqual(replaced)
        expect(await place.find()).toStrictEqual(next)
        before = next
      }
      expect(await place.find('PAYMENTS/shop/dev/env')).toBeNull()
    })

    test('a row takes the place of the one that is there, and of no other', async () => {
      await using place = await opened()
      const first = row()
      const others = [
        row({ sealed: new Uint8Array([9]) }),
        row({ sealed: new Uint8Array(0) }),
        row({ expectedVersion: 2 }),
        row({ path: 'payments/shop/staging/env' }),
      ]
      const next = row({ expectedVersion: 4, keyId: 'k2', sealed: new Uint8Array([4]) })
      for (const before of others) {
        expect(await place.writes.replace(before, next)).toStrictEqual(refused)
      }
      expect(await place.find()).toBeNull()
      expect(await place.writes.replace(null, first)).toStrictEqual(replaced)
      for (const before of [null, ...others.slice(0, 3)]) {
        expect(await place.writes.replace(before, next)).toStrictEqual(refused)
      }
      expect(await place.find()).toStrictEqual(first)
      expect(await place.writes.replace(first, next)).toStrictEqual(replaced)
      expect(await place.writes.replace(first, first)).toStrictEqual(refused)
      expect(await place.find()).toStrictEqual(next)
    })

    test('of twenty at once in the place of none, and of one, one wins', async () => {
      await using place = await opened()
      let before: SecretWriteRow | null = null
      for (const version of [1, 2]) {
        const rows = Array.from({ length: 20 }, (_, index) =>
          row({ expectedVersion: version, sealed: new Uint8Array([index]) }),
        )
        const outcomes = await Promise.all(rows.map((next) => place.writes.replace(before, next)))
        const winners = rows.filter((_, index) => valueOf(outcomes[index] ?? refused))
        expect(winners).toHaveLength(1)
        const [winner = null] = winners
        expect(await place.find()).toStrictEqual(winner)
        before = winner
      }
    })

    test('a closed database is a failure, not an exception', async () => {
      await using place = await opened()
      await place.close()
      const unavailable = { ok: false, error: { kind: 'database_unavailable' } }
      expect(await place.writes.replace(null, row())).toMatchObject(unavailable)
      expect(await place.writes.find(PATH)).toMatchObject(unavailable)
    })
  })
}
