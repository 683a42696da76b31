import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { ServiceLogin } from '#src/lib/adapters/secret-store/vault/login.ts'
import { SERVICE } from '#src/lib/ports/secret-store.ts'
import { err } from '#src/lib/result.ts'
import { present, secretStoreContract, written } from '#tests/contracts/secret-store.ts'
import { accessors, makeAppRole } from '#tests/peers/openbao-logins.ts'
import { openbaoProgram, type RaftOpenBao, startRaftOpenBao } from '#tests/peers/openbao.ts'
import { SHOP, value } from '#tests/support/secret-entries.ts'
import { textCredential } from './open-calls.ts'
import { openVaultFixture, policyText } from './open-vault-store.ts'

const sealed = err({ kind: 'secret_store_sealed' })

describe.skipIf(openbaoProgram === null)('OpenBao with raft storage', () => {
  let openbao: RaftOpenBao
  let service: ServiceLogin
  beforeAll(async () => {
    openbao = await startRaftOpenBao()
    await openbao.policy('portico', await policyText(1, { revives: true }))
    const role = { token_policies: ['portico'], token_no_default_policy: true, token_ttl: '1h' }
    const { roleId, makeSecretId } = await makeAppRole(openbao, role)
    const secretId = textCredential(await makeSecretId())
    service = { kind: 'approle', mount: 'approle', roleId, secretId }
  })
  afterAll(() => openbao[Symbol.asyncDispose]())

  secretStoreContract('vault, with an AppRole,', async () => openVaultFixture({ openbao, service }))

  /** An entry at version 1, and every call of the port that may fail. */
  async function openEntry() {
    const fixture = openVaultFixture({ openbao, service })
    const { store } = fixture
    value(await store.merge(SHOP, 0, { A: 'a' }, SERVICE))
    const calls = () =>
      Promise.all([
        store.describe(SHOP, SERVICE),
        store.merge(SHOP, 1, { B: 'b' }, SERVICE),
        store.merge(SHOP, 0, { B: 'b' }, SERVICE),
        store.label(SHOP, { run: null }, SERVICE),
        store.mayCreate(SHOP, SERVICE),
      ])
    return { ...fixture, store, calls }
  }

  test('sealed: every call says so; unsealed: the same store goes on', async () => {
    await using fixture = await openEntry()
    const { store } = fixture
    await openbao.seal()
    expect(await fixture.calls()).toStrictEqual([sealed, sealed, sealed, sealed, sealed])
    await openbao.unseal()
    expect(await store.describe(SHOP, SERVICE)).toStrictEqual(present(1, 'A'))
    expect(await store.merge(SHOP, 1, { B: 'b' }, SERVICE)).toStrictEqual(written)
    expect(await fixture.values(SHOP)).toStrictEqual(new Map(Object.entries({ A: 'a', B: 'b' })))
  })

  test('stopped and started: unreachable, sealed, and then the same store goes on', async () => {
    await using fixture = await openEntry()
    const { store } = fixture
    await openbao.stop()
    expect(await store.merge(SHOP, 1, { B: 'b' }, SERVICE)).toMatchObject({
      error: { kind: 'secret_store_unreachable' },
    })
    await openbao.start()
    expect(await fixture.calls()).toStrictEqual([sealed, sealed, sealed, sealed, sealed])
    await openbao.unseal()
    expect(await store.describe(SHOP, SERVICE)).toStrictEqual(present(1, 'A'))
    expect(await store.merge(SHOP, 1, { B: 'b' }, SERVICE)).toStrictEqual(written)
  })

  test('a login that has ended in between is followed by another', async () => {
    await using fixture = await openEntry()
    await openbao.must('POST', 'sys/leases/revoke-prefix/auth/approle/login')
    expect(await fixture.store.merge(SHOP, 1, { B: 'b' }, SERVICE)).toStrictEqual(written)
    await openbao.must('POST', 'sys/leases/revoke-prefix/auth/approle/login')
    expect(await fixture.store.describe(SHOP, SERVICE)).toStrictEqual(present(2, 'A', 'B'))
  })

  test('the login is given back at the end', async () => {
    const before = await accessors(openbao)
    const fixture = await openEntry()
    expect((await accessors(openbao)).length).toBe(before.length + 1)
    await fixture.store.close()
    expect(await accessors(openbao)).toStrictEqual(before)
  })

  test('an entry over the limit of the storage is an error, and stays as it was', async () => {
    await using fixture = await openEntry()
    const reason = 'takes no entry or request of this size'
    const tooLarge = err({ kind: 'secret_store_error', reason })
    // A part of the storage takes 1 MiB, and a request 32 MiB.
    for (const size of [1024 * 1024, 33 * 1024 * 1024]) {
      const merged = await fixture.store.merge(SHOP, 1, { B: 'b'.repeat(size) }, SERVICE)
      expect(merged).toStrictEqual(tooLarge)
    }
    expect(await fixture.store.describe(SHOP, SERVICE)).toStrictEqual(present(1, 'A'))
  })
})
