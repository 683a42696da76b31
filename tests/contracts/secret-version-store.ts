import { describe, expect, test } from 'bun:test'
import type {
  SecretVersionRow,
  SecretVersionStore,
} from '#src/lib/ports/database/secret-versions.ts'
import { type DatabasePlace } from './database.ts'
import { valueOf } from '#tests/support/value-of.ts'

const PATH = 'payments/shop/dev/env'
const done = { ok: true, value: undefined } as const
const appended = { ok: true, value: true } as const
const refused = { ok: true, value: false } as const

const row = (version: number, facts: Partial<SecretVersionRow> = {}): SecretVersionRow => ({
  path: PATH,
  version,
  keyId: 'k1',
  sealed: new Uint8Array([version % 256]),
  ...facts,
})

/** `place` gives an empty place. */
export function secretVersionStoreContract(name: string, place: () => Promise<DatabasePlace>) {
  async function opened() {
    const at = await place()
    const database = valueOf(await at.open())
    const { secretVersions: versions } = database
    return {
      versions,
      find: async (path = PATH, version?: number) => valueOf(await versions.find(path, version)),
      numbers: async () => valueOf(await versions.list(null, 100)).map(({ version }) => version),
      async [Symbol.asyncDispose]() {
        await database.close()
        await at[Symbol.asyncDispose]()
      },
    }
  }

  describe(`${name} keeps the SecretVersionStore contract`, () => {
    test('a version comes back as it was put, every byte of it, and no other path has it', async () => {
      await using place = await opened()
      const sealed = new Uint8Array(768 * 1024).map((_, index) => index % 256)
      expect(await place.find()).toBeNull()
      expect(await place.versions.append(row(1, { sealed }), 10)).toStrictEqual(appended)
      expect(await place.find()).toStrictEqual(row(1, { sealed }))
      expect(await place.find(PATH, 1)).toStrictEqual(row(1, { sealed }))
      expect(await place.find(PATH, 2)).toBeNull()
      expect(await place.find('payments/other/dev/env')).toBeNull()
    })

    test('a version is appended to the one before, and the last ones are kept', async () => {
      await using place = await opened()
      const append = (...args: Parameters<SecretVersionStore['append']>) =>
        place.versions.append(...args)
      expect(await append(row(2), 3)).toStrictEqual(refused)
      for (let version = 1; version <= 5; version += 1)
        expect(await append(row(version), 3)).toStrictEqual(appended)
      expect(await append(row(5), 3)).toStrictEqual(refused)
      expect(await append(row(2), 3)).toStrictEqual(refused)
      expect(await append(row(7), 3)).toStrictEqual(refused)
      expect(await append(row(1, { path: 'payments/other/dev/env' }), 3)).toStrictEqual(appended)
      expect(await place.numbers()).toStrictEqual([1, 3, 4, 5])
      expect(await place.find()).toStrictEqual(row(5))
    })

    test('one of concurrent writers appends a version', async () => {
      await using place = await opened()
      const outcomes = await Promise.all(
        Array.from({ length: 10 }, (_, index) =>
          place.versions.append(row(1, { sealed: new Uint8Array([index]) }), 10),
        ),
      )
      expect(outcomes.filter(({ ok }) => !ok)).toStrictEqual([])
      const won = outcomes.findIndex((outcome) => outcome.ok && outcome.value)
      expect(outcomes.filter((outcome) => outcome.ok && outcome.value)).toHaveLength(1)
      expect(await place.find()).toStrictEqual(row(1, { sealed: new Uint8Array([won]) }))
    })

    test('a version is added wherever it is missing, and changes none', async () => {
      await using place = await opened()
      for (const version of [7, 2 ** 40])
        expect(await place.versions.add(row(version))).toStrictEqual(done)
      expect(await place.versions.add(row(7, { keyId: 'k2' }))).toStrictEqual(done)
      expect(await place.find(PATH, 7)).toStrictEqual(row(7))
      expect(await place.find()).toStrictEqual(row(2 ** 40))
    })

    test('a version is replaced that is as it was, and no other', async () => {
      await using place = await opened()
      const other = { keyId: 'k2', sealed: new Uint8Array([9]) }
      await place.versions.add(row(1))
      await place.versions.add(row(2))
      expect(await place.versions.replace(row(3), other)).toStrictEqual(refused)
      expect(await place.versions.replace(row(1), other)).toStrictEqual(appended)
      expect(await place.versions.replace(row(1), other)).toStrictEqual(refused)
      expect(await place.find(PATH, 1)).toStrictEqual(row(1, other))
      expect(await place.find(PATH, 2)).toStrictEqual(row(2))
    })

    test('a file that became a version is known by it, with the digest that came last', async () => {
      await using place = await opened()
      const file = (version: number, digest: string) => ({ path: PATH, version, digest })
      const noted = async () => valueOf(await place.versions.movedFiles())
      expect(await noted()).toStrictEqual([])
      for (const digest of ['a', 'a', 'b'])
        expect(await place.versions.noteMoved(file(1, digest))).toStrictEqual(done)
      expect(await place.versions.noteMoved(file(2 ** 40, 'c'))).toStrictEqual(done)
      expect(await noted()).toHaveLength(2)
      expect(await noted()).toEqual(expect.arrayContaining([file(1, 'b'), file(2 ** 40, 'c')]))
      expect(await place.find()).toBeNull()
    })

    test('the list is in order, in pages', async () => {
      await using place = await opened()
      const names = ['a/b', 'a/c', 'b/a'].flatMap((path) =>
        [1, 2, 10].map((version) => ({ path, version })),
      )
      for (const name of names.toReversed())
        await place.versions.add({ ...name, keyId: 'k1', sealed: new Uint8Array() })
      expect(valueOf(await place.versions.list(null, 100))).toStrictEqual(names)
      const pages: typeof names = []
      for (let page = 0; page < 5; page += 1)
        pages.push(...valueOf(await place.versions.list(pages.at(-1) ?? null, 2)))
      expect(pages).toStrictEqual(names)
    })
  })
}
