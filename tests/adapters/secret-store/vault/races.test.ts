import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { SERVICE } from '#src/lib/ports/secret-store.ts'
import { absent, conflict, present, written } from '#tests/contracts/secret-store.ts'
import { type OpenBao, openbaoProgram, startOpenBao } from '#tests/peers/openbao.ts'
import { SHOP, value } from '#tests/support/secret-entries.ts'
import { type Front, startFront } from './front.ts'
import { openVaultFixture, policyText, type VaultFixture } from './open-vault-store.ts'

describe.skipIf(openbaoProgram === null)('vault: others act meanwhile', () => {
  let openbao: OpenBao
  beforeAll(async () => {
    openbao = await startOpenBao()
  })
  afterAll(() => openbao[Symbol.asyncDispose]())

  /** An entry at version 1 with the key OLD. */
  async function openEntry(url = openbao.url) {
    const fixture = openVaultFixture({ openbao, url })
    value(await fixture.store.merge(SHOP, 0, { OLD: 'old' }, SERVICE))
    return fixture
  }

  const acts = {
    softDelete: (fixture: VaultFixture) => fixture.root('DELETE', 'data'),
    undelete: (fixture: VaultFixture) => fixture.root('POST', 'undelete', { versions: [1] }),
    destroy: (fixture: VaultFixture) => fixture.root('POST', 'destroy', { versions: [1] }),
    deleteAll: (fixture: VaultFixture) => fixture.root('DELETE', 'metadata'),
    write: (fixture: VaultFixture) => fixture.root('POST', 'data', { data: { THEIRS: 'theirs' } }),
  }

  describe('between a look and the write', () => {
    test.each(['softDelete', 'destroy'] as const)(
      '%s: the entry is made anew, without its former keys',
      async (act) => {
        const fixture = await openEntry()
        await acts[act](fixture)
        expect(await fixture.store.describe(SHOP, SERVICE)).toStrictEqual(absent(1))
        expect(await fixture.store.merge(SHOP, 1, { NEW: 'new' }, SERVICE)).toStrictEqual(written)
        expect(await fixture.values(SHOP)).toStrictEqual(new Map([['NEW', 'new']]))
      },
    )

    test('deleted with everything of it: a conflict, and the entry counts from the beginning', async () => {
      const fixture = await openEntry()
      const { store } = fixture
      await acts.deleteAll(fixture)
      expect(await store.merge(SHOP, 1, { NEW: 'new' }, SERVICE)).toStrictEqual(conflict)
      expect(await store.describe(SHOP, SERVICE)).toStrictEqual(absent(0))
      expect(await store.merge(SHOP, 0, { NEW: 'new' }, SERVICE)).toStrictEqual(written)
      expect(await store.describe(SHOP, SERVICE)).toStrictEqual(present(1, 'NEW'))
    })

    test('undeleted: the keys that are there again stay', async () => {
      const fixture = await openEntry()
      await acts.softDelete(fixture)
      expect(await fixture.store.describe(SHOP, SERVICE)).toStrictEqual(absent(1))
      await acts.undelete(fixture)
      expect(await fixture.store.merge(SHOP, 1, { NEW: 'new' }, SERVICE)).toStrictEqual(written)
      expect(await fixture.store.describe(SHOP, SERVICE)).toStrictEqual(present(2, 'NEW', 'OLD'))
    })

    test('deleted and made anew by another: a conflict', async () => {
      const fixture = await openEntry()
      await acts.softDelete(fixture)
      await acts.write(fixture)
      expect(await fixture.store.merge(SHOP, 1, { NEW: 'new' }, SERVICE)).toStrictEqual(conflict)
      expect(await fixture.values(SHOP)).toStrictEqual(new Map([['THEIRS', 'theirs']]))
    })
  })

  describe('between the two requests that make a deleted entry anew', () => {
    let front: Front
    beforeAll(() => {
      front = startFront(openbao.url)
    })
    afterAll(() => front[Symbol.asyncDispose]())

    async function mergeWhile(act: keyof typeof acts) {
      front.intervene(() => Promise.resolve())
      const fixture = await openEntry(front.url)
      await acts.softDelete(fixture)
      front.intervene(async (method) => {
        if (method === 'POST') await acts[act](fixture)
      })
      const from = front.requests.length
      const merged = await fixture.store.merge(SHOP, 1, { NEW: 'new' }, SERVICE)
      const methods = front.requests.slice(from).map((request) => request.split(' ')[0])
      expect(methods).toStrictEqual(['PATCH', 'POST'])
      return { fixture, merged }
    }

    test('made anew by another: a conflict', async () => {
      const { fixture, merged } = await mergeWhile('write')
      expect(merged).toStrictEqual(conflict)
      expect(await fixture.values(SHOP)).toStrictEqual(new Map([['THEIRS', 'theirs']]))
    })

    test('deleted with everything of it: a conflict, and nothing is made', async () => {
      const { fixture, merged } = await mergeWhile('deleteAll')
      expect(merged).toStrictEqual(conflict)
      expect(await fixture.values(SHOP)).toBeUndefined()
    })

    test('destroyed: made anew', async () => {
      const { fixture, merged } = await mergeWhile('destroy')
      expect(merged).toStrictEqual(written)
      expect(await fixture.values(SHOP)).toStrictEqual(new Map([['NEW', 'new']]))
    })

    test('undeleted: made anew, and the undeleted version stays below it', async () => {
      const { fixture, merged } = await mergeWhile('undelete')
      expect(merged).toStrictEqual(written)
      expect(await fixture.values(SHOP)).toStrictEqual(new Map([['NEW', 'new']]))
      expect(await fixture.root('GET', 'data?version=1')).toMatchObject({
        data: { data: { OLD: 'old' } },
      })
    })
  })

  test('20 writers at once who may not update: one makes the entry, the others are told of a conflict', async () => {
    await openbao.policy('plain', await policyText(1))
    const token = await openbao.token({ policies: ['plain'] })
    const { store, ...fixture } = openVaultFixture({ openbao, token })
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        store.merge(SHOP, 0, { [`K${index}`]: 'value' }, SERVICE),
      ),
    )
    expect(outcomes.filter(({ ok }) => !ok)).toStrictEqual(
      Array.from({ length: 19 }, () => conflict),
    )
    expect(await fixture.values(SHOP)).toStrictEqual(
      new Map([[`K${outcomes.findIndex(({ ok }) => ok)}`, 'value']]),
    )
  })
})
