import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { RunId, type SecretPath } from '#src/lib/names.ts'
import { type SecretStore, SERVICE } from '#src/lib/ports/secret-store.ts'
import { mergeAnyhow, pathOf, SHOP, value } from '#tests/support/secret-entries.ts'

/** An empty store, and what only somebody outside the port can do to it. */
export interface SecretStoreFixture extends AsyncDisposable {
  readonly store: SecretStore
  /** The same entries, as another replica has them. */
  another(): SecretStore
  /** What the application is given at its start; undefined when the entry is absent. */
  values(path: SecretPath): Promise<ReadonlyMap<string, string> | undefined>
  /** Deletes a present entry by the store's own means, so that it could be brought back. */
  remove(path: SecretPath): Promise<void>
  /** Whether the store has a place for origins. */
  readonly keepsOrigins: boolean
}

export const present = (version: number, ...keys: string[]) => ({
  ok: true as const,
  value: { kind: 'present' as const, version, keys, origin: null },
})
export const written = { ok: true as const, value: undefined }
export const absent = (version: number) => ({
  ok: true as const,
  value: { kind: 'absent' as const, version },
})
export const conflict = {
  ok: false as const,
  error: { kind: 'secret_conflict' as const },
}

/** Names that mean something to JavaScript, and any others. */
const anyKey = fc.oneof(
  fc.constantFrom('__proto__', 'constructor', 'prototype', 'toString', 'toJSON', 'length', '0'),
  fc.stringMatching(/^[A-Za-z_][A-Za-z0-9_]{0,20}$/),
)
const anyValue = fc.oneof(
  fc.constantFrom('', '\0', '\r\n', 'null', '{"a":1}', "';--", '\u{1F600}', '\uFEFFb'),
  fc.string({ unit: 'binary', maxLength: 60 }),
)
const anyValues = fc.array(fc.tuple(anyKey, anyValue), { maxLength: 6 })

export function secretStoreContract(name: string, open: () => Promise<SecretStoreFixture>) {
  describe(`${name} keeps the SecretStore contract`, () => {
    describe('describe', () => {
      test('an entry that was never written is absent at version 0, and stays so', async () => {
        await using fixture = await open()
        const { store } = fixture
        expect(await store.describe(SHOP, SERVICE)).toStrictEqual(absent(0))
        expect(await store.describe(SHOP, SERVICE)).toStrictEqual(absent(0))
        expect(await fixture.values(SHOP)).toBeUndefined()
      })

      test('tells the keys, sorted by their characters, and the version', async () => {
        await using fixture = await open()
        const { store } = fixture
        value(
          await store.merge(SHOP, 0, { b: '1', _: '2', a: '3', B: '4', A1: '5', A: '6' }, SERVICE),
        )
        expect(await store.describe(SHOP, SERVICE)).toStrictEqual(
          present(1, 'A', 'A1', 'B', '_', 'a', 'b'),
        )
      })

      test('sees at once what another replica has written', async () => {
        await using fixture = await open()
        const { store } = fixture
        const other = fixture.another()
        expect(await store.describe(SHOP, SERVICE)).toStrictEqual(absent(0))
        value(await other.merge(SHOP, 0, { A: '1' }, SERVICE))
        expect(await store.describe(SHOP, SERVICE)).toStrictEqual(present(1, 'A'))
        value(await other.merge(SHOP, 1, { B: '2' }, SERVICE))
        expect(await store.describe(SHOP, SERVICE)).toStrictEqual(present(2, 'A', 'B'))
      })
    })

    describe('merge', () => {
      test('makes an absent entry, and answers with it', async () => {
        await using fixture = await open()
        const { store } = fixture
        expect(await store.merge(SHOP, 0, { B: 'b', A: 'a' }, SERVICE)).toStrictEqual(written)
        expect(await fixture.values(SHOP)).toStrictEqual(
          new Map([
            ['A', 'a'],
            ['B', 'b'],
          ]),
        )
      })

      test('makes an entry without keys when none are given', async () => {
        await using fixture = await open()
        const { store } = fixture
        expect(await store.merge(SHOP, 0, {}, SERVICE)).toStrictEqual(written)
        expect(await store.describe(SHOP, SERVICE)).toStrictEqual(present(1))
        expect(await fixture.values(SHOP)).toStrictEqual(new Map())
      })

      test('sets the keys it is given and leaves the others alone', async () => {
        await using fixture = await open()
        const { store } = fixture
        value(await store.merge(SHOP, 0, { A: 'a', B: 'b' }, SERVICE))
        expect(await store.merge(SHOP, 1, { C: 'c', A: 'new' }, SERVICE)).toStrictEqual(written)
        expect(await store.describe(SHOP, SERVICE)).toStrictEqual(present(2, 'A', 'B', 'C'))
        expect(await fixture.values(SHOP)).toStrictEqual(
          new Map([
            ['A', 'new'],
            ['B', 'b'],
            ['C', 'c'],
          ]),
        )
      })

      test('counts every write, even one that changes nothing', async () => {
        await using fixture = await open()
        const { store } = fixture
        value(await store.merge(SHOP, 0, { A: 'a' }, SERVICE))
        expect(await store.merge(SHOP, 1, { A: 'a' }, SERVICE)).toStrictEqual(written)
        expect(await store.merge(SHOP, 2, {}, SERVICE)).toStrictEqual(written)
        expect(await store.describe(SHOP, SERVICE)).toStrictEqual(present(3, 'A'))
        expect(await fixture.values(SHOP)).toStrictEqual(new Map([['A', 'a']]))
      })

      test.each([0, 1, 3, 100])(
        'of an entry at version 2 by somebody who saw version %p is a conflict, and changes nothing',
        async (expected) => {
          await using fixture = await open()
          const { store } = fixture
          value(await store.merge(SHOP, 0, { A: 'a' }, SERVICE))
          value(await store.merge(SHOP, 1, { B: 'b' }, SERVICE))
          expect(await store.merge(SHOP, expected, { A: 'other' }, SERVICE)).toStrictEqual(conflict)
          expect(await fixture.another().merge(SHOP, expected, { A: 'x' }, SERVICE)).toStrictEqual(
            conflict,
          )
          expect(await store.describe(SHOP, SERVICE)).toStrictEqual(present(2, 'A', 'B'))
          expect((await fixture.values(SHOP))?.get('A')).toBe('a')
        },
      )

      test('of an absent entry by somebody who saw one is a conflict, and makes none', async () => {
        await using fixture = await open()
        const { store } = fixture
        expect(await store.merge(SHOP, 1, { A: 'a' }, SERVICE)).toStrictEqual(conflict)
        expect(await store.describe(SHOP, SERVICE)).toStrictEqual(absent(0))
        expect(await fixture.values(SHOP)).toBeUndefined()
      })

      test('30 writes later a version that was seen at the beginning is still a conflict', async () => {
        await using fixture = await open()
        const { store } = fixture
        for (let version = 0; version < 30; version += 1)
          value(await store.merge(SHOP, version, { [`K${version}`]: 'v' }, SERVICE))
        for (const stale of [0, 1, 2, 10, 20, 29])
          expect(await store.merge(SHOP, stale, { A: 'a' }, SERVICE)).toStrictEqual(conflict)
        expect(value(await store.describe(SHOP, SERVICE))).toMatchObject({
          version: 30,
        })
        expect((await fixture.values(SHOP))?.size).toBe(30)
      })

      test('20 at once at one version: exactly one wins, and its values are there', async () => {
        await using fixture = await open()
        const other = fixture.another()
        for (const version of [0, 1]) {
          const outcomes = await Promise.all(
            Array.from({ length: 20 }, (_, index) =>
              (index % 2 === 0 ? fixture.store : other).merge(
                SHOP,
                version,
                {
                  A: `${version}/${index}`,
                },
                SERVICE,
              ),
            ),
          )
          const winners = outcomes.flatMap((outcome, index) => (outcome.ok ? [index] : []))
          expect(winners).toHaveLength(1)
          expect(outcomes.filter((outcome) => !outcome.ok)).toStrictEqual(
            Array.from({ length: 19 }, () => conflict),
          )
          expect(await fixture.values(SHOP)).toStrictEqual(
            new Map([['A', `${version}/${winners[0]}`]]),
          )
        }
      })

      test('30 writers at once who try again after a conflict: 30 keys, 30 versions', async () => {
        await using fixture = await open()
        const other = fixture.another()
        const names = Array.from({ length: 30 }, (_, index) => `K${10 + index}`)
        await Promise.all(
          names.map(async (name, index) => {
            const store = index % 2 === 0 ? fixture.store : other
            await mergeAnyhow(store, SHOP, { [name]: `of ${name}` })
          }),
        )
        expect(await fixture.store.describe(SHOP, SERVICE)).toStrictEqual(present(30, ...names))
        expect(await fixture.values(SHOP)).toStrictEqual(
          new Map(names.map((name) => [name, `of ${name}`])),
        )
      })

      test('256 KiB in 64 keys, one of them of 32 KiB, are kept', async () => {
        await using fixture = await open()
        const large = [['LARGE', 'ü'.repeat(16 * 1024)] as const]
        const others = Array.from(
          { length: 63 },
          (_, index) => [`K${index}`, 'x'.repeat(3600)] as const,
        )
        const values = new Map([...large, ...others])
        value(await fixture.store.merge(SHOP, 0, Object.fromEntries(values), SERVICE))
        expect(await fixture.values(SHOP)).toStrictEqual(values)
      })

      test('whatever is merged is what the application reads, and no answer shows a value', async () => {
        await fc.assert(
          fc.asyncProperty(fc.array(anyValues, { minLength: 1, maxLength: 4 }), async (merges) => {
            await using fixture = await open()
            const { store } = fixture
            const model = new Map<string, string>()
            for (const [version, values] of merges.entries()) {
              for (const [key, text] of values) model.set(key, text)
              const keys = [...model.keys()].toSorted()
              const given = Object.fromEntries(values)
              const expected = present(version + 1, ...keys)
              expect(await store.merge(SHOP, version, given, SERVICE)).toStrictEqual(written)
              expect(await store.merge(SHOP, version, given, SERVICE)).toStrictEqual(conflict)
              // Keys, kind and version are all that there is to see.
              expect(await store.describe(SHOP, SERVICE)).toStrictEqual(expected)
              expect(await fixture.values(SHOP)).toStrictEqual(model)
            }
          }),
          { numRuns: 60 },
        )
        expect(Object.keys(Object.prototype)).toStrictEqual([])
      })
    })

    describe('a deleted entry', () => {
      async function deleted() {
        const fixture = await open()
        value(await fixture.store.merge(SHOP, 0, { OLD: 'old' }, SERVICE))
        value(await fixture.store.merge(SHOP, 1, { OLDER: 'older' }, SERVICE))
        await fixture.remove(SHOP)
        return fixture
      }

      test('is absent, and goes on counting', async () => {
        await using fixture = await deleted()
        const entry = value(await fixture.store.describe(SHOP, SERVICE))
        expect(entry).toStrictEqual({ kind: 'absent', version: entry.version })
        expect(entry.version).toBeGreaterThanOrEqual(2)
        expect(await fixture.values(SHOP)).toBeUndefined()
      })

      test('is made anew at its version, without what it held', async () => {
        await using fixture = await deleted()
        const { version } = value(await fixture.store.describe(SHOP, SERVICE))
        expect(await fixture.store.merge(SHOP, version, { NEW: 'new' }, SERVICE)).toStrictEqual(
          written,
        )
        expect(await fixture.store.describe(SHOP, SERVICE)).toStrictEqual(
          present(version + 1, 'NEW'),
        )
        expect(await fixture.values(SHOP)).toStrictEqual(new Map([['NEW', 'new']]))
      })

      test('is not one that was never there', async () => {
        await using fixture = await deleted()
        const before = await fixture.store.describe(SHOP, SERVICE)
        expect(await fixture.store.merge(SHOP, 0, { NEW: 'new' }, SERVICE)).toStrictEqual(conflict)
        expect(await fixture.store.describe(SHOP, SERVICE)).toStrictEqual(before)
      })
    })

    test('entries are each other’s strangers, whatever their names', async () => {
      await using fixture = await open()
      const paths = [
        SHOP,
        pathOf('payments', 'shop', 'staging'),
        pathOf('payments', 'shop', 'production'),
        pathOf('payments', 'shop-env'),
        pathOf('payments', 'env'),
        pathOf('payments-shop', 'dev'),
        pathOf('dev', 'env', 'production'),
        pathOf('env', 'env'),
        pathOf('constructor', 'prototype'),
      ]
      for (const [index, path] of paths.entries()) {
        expect(await fixture.store.describe(path, SERVICE)).toStrictEqual(absent(0))
        value(await fixture.store.merge(path, 0, { [`K${index}`]: path }, SERVICE))
      }
      for (const [index, path] of paths.entries()) {
        expect(await fixture.store.describe(path, SERVICE)).toStrictEqual(present(1, `K${index}`))
        expect(await fixture.values(path)).toStrictEqual(new Map([[`K${index}`, path]]))
      }
    })

    test('what was written is there for whoever opens the store afterwards', async () => {
      await using fixture = await open()
      value(await fixture.store.merge(SHOP, 0, { A: 'a' }, SERVICE))
      expect(await fixture.another().describe(SHOP, SERVICE)).toStrictEqual(present(1, 'A'))
    })

    test('opens to its own settings, with an entry or without', async () => {
      await using fixture = await open()
      expect(await fixture.store.access()).toStrictEqual(written)
      value(await fixture.store.merge(SHOP, 0, { A: 'a' }, SERVICE))
      expect(await fixture.another().access()).toStrictEqual(written)
    })

    test('a label changes neither keys nor version, and may be repeated', async () => {
      await using fixture = await open()
      const { store } = fixture
      value(await store.merge(SHOP, 0, { A: 'a' }, SERVICE))
      const origin = { run: RunId.of(Bun.randomUUIDv7()) }
      expect(await store.label(SHOP, origin, SERVICE)).toStrictEqual(written)
      expect(await store.label(SHOP, origin, SERVICE)).toStrictEqual(written)
      const labelled = fixture.keepsOrigins ? origin : null
      expect(value(await store.describe(SHOP, SERVICE))).toStrictEqual({
        ...present(1, 'A').value,
        origin: labelled,
      })
      expect(await store.merge(SHOP, 1, { B: 'b' }, SERVICE)).toStrictEqual(written)
      expect(value(await fixture.another().describe(SHOP, SERVICE))).toStrictEqual({
        ...present(2, 'A', 'B').value,
        origin: labelled,
      })
      expect((await fixture.values(SHOP))?.size).toBe(2)
    })

    test('the last label counts, and belongs to one entry', async () => {
      await using fixture = await open()
      const { store } = fixture
      const other = pathOf('payments', 'shop', 'staging')
      for (const path of [SHOP, other]) value(await store.merge(path, 0, {}, SERVICE))
      const origin = { run: RunId.of(Bun.randomUUIDv7()) }
      value(await store.label(SHOP, origin, SERVICE))
      value(await store.label(other, origin, SERVICE))
      value(await store.label(SHOP, { run: null }, SERVICE))
      const [promoted, made] = fixture.keepsOrigins ? [{ run: null }, origin] : [null, null]
      expect(value(await store.describe(SHOP, SERVICE))).toMatchObject({ origin: promoted })
      expect(value(await store.describe(other, SERVICE))).toMatchObject({ origin: made })
    })

    test('text that is not Unicode is refused or kept, never changed', async () => {
      await using fixture = await open()
      const values = { KEY: 'a\ud800b' }
      const merged = await fixture.store.merge(SHOP, 0, values, SERVICE)
      const kept = merged.ok ? new Map(Object.entries(values)) : undefined
      expect(await fixture.values(SHOP)).toStrictEqual(kept)
    })

    test('a store without persons does for a person what it does for the service', async () => {
      await using fixture = await open()
      const { store } = fixture
      if (store.knowsPersons) return
      const person = { kind: 'person', idToken: 'no.id.token' } as const
      expect(await store.mayCreate(SHOP, person)).toStrictEqual(written)
      expect(await store.describe(SHOP, person)).toStrictEqual(absent(0))
      expect(await store.merge(SHOP, 0, { A: 'a' }, person)).toStrictEqual(written)
      expect(await store.merge(SHOP, 0, { A: 'b' }, person)).toStrictEqual(conflict)
      expect(await store.describe(SHOP, person)).toStrictEqual(present(1, 'A'))
      expect(await store.label(SHOP, { run: null }, person)).toStrictEqual(written)
    })

    test('the check finds nothing wrong, and changes nothing', async () => {
      await using fixture = await open()
      const { store } = fixture
      value(await store.merge(SHOP, 0, { A: 'a' }, SERVICE))
      const findings = await store.check()
      expect(findings.length).toBeGreaterThan(0)
      expect(findings.filter(({ ok }) => !ok)).toStrictEqual([])
      expect(await store.describe(SHOP, SERVICE)).toStrictEqual(present(1, 'A'))
    })

    test('a store that is closed takes nothing from others', async () => {
      await using fixture = await open()
      const other = fixture.another()
      value(await fixture.store.merge(SHOP, 0, { A: 'a' }, SERVICE))
      value(await other.describe(SHOP, SERVICE))
      await fixture.store.close()
      expect(await other.merge(SHOP, 1, { B: 'b' }, SERVICE)).toStrictEqual(written)
      expect(await other.describe(SHOP, SERVICE)).toStrictEqual(present(2, 'A', 'B'))
    })

    test('the service may create entries, and asking creates none', async () => {
      await using fixture = await open()
      const { store } = fixture
      expect(await store.mayCreate(SHOP, SERVICE)).toStrictEqual(written)
      expect(await store.describe(SHOP, SERVICE)).toStrictEqual(absent(0))
    })
  })
}
