import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { exportSPKI, generateKeyPair, SignJWT } from 'jose'
import { type SecretActor, type SecretStore, SERVICE } from '#src/lib/ports/secret-store.ts'
import { present, written } from '#tests/contracts/secret-store.ts'
import { type OpenBao, openbaoProgram, startOpenBao } from '#tests/peers/openbao.ts'
import { pathOf, SHOP } from '#tests/support/secret-entries.ts'
import { openVaultFixture } from './open-vault-store.ts'

const OTHERS = pathOf('platform', 'shop')

describe.skipIf(openbaoProgram === null)('vault: persons', () => {
  let openbao: OpenBao
  let idTokenFor: (audience: string) => Promise<SecretActor>
  beforeAll(async () => {
    openbao = await startOpenBao()
    const { publicKey, privateKey } = await generateKeyPair('ES256')
    idTokenFor = async (audience) => {
      const token = new SignJWT({ sub: 'ada', aud: audience })
        .setProtectedHeader({ alg: 'ES256' })
        .setIssuedAt()
        .setExpirationTime('5m')
      return { kind: 'person', idToken: await token.sign(privateKey) }
    }
    const hcl = await Bun.file('deploy/vault/team.hcl').text()
    await openbao.policy('payments', hcl.replaceAll('/payments/', '/+/payments/'))
    await openbao.must('POST', 'sys/auth/jwt', { type: 'jwt' })
    const jwt_validation_pubkeys = [await exportSPKI(publicKey)]
    await openbao.must('POST', 'auth/jwt/config', { jwt_validation_pubkeys })
    await openbao.must('POST', 'auth/jwt/role/people', {
      role_type: 'jwt',
      bound_audiences: ['portico'],
      user_claim: 'sub',
      token_policies: ['payments'],
    })
  })
  afterAll(() => openbao[Symbol.asyncDispose]())

  /** The service is root, so that a call that is made with its rights succeeds. */
  const open = () => openVaultFixture({ openbao, persons: { mount: 'jwt', role: 'people' } })

  const callsOn = (path: typeof SHOP, store: SecretStore, actor: SecretActor) =>
    Promise.all([
      store.describe(path, actor),
      store.merge(path, 0, { A: 'a' }, actor),
      store.merge(path, 1, { A: 'a' }, actor),
      store.label(path, { run: null }, actor),
      store.mayCreate(path, actor),
    ])

  test('do with their own rights what the policy of their team allows', async () => {
    await using fixture = open()
    const { store } = fixture
    const ada = await idTokenFor('portico')
    expect(store.knowsPersons).toBe(true)
    expect(await store.mayCreate(SHOP, ada)).toStrictEqual(written)
    expect(await store.merge(SHOP, 0, { A: 'a' }, ada)).toStrictEqual(written)
    expect(await store.merge(SHOP, 1, { B: 'b' }, ada)).toStrictEqual(written)
    expect(await store.describe(SHOP, ada)).toStrictEqual(present(2, 'A', 'B'))
    expect(await store.label(SHOP, { run: null }, ada)).toStrictEqual(written)
  })

  test('are refused what it forbids, by right, and the service does it not for them', async () => {
    await using fixture = open()
    const ada = await idTokenFor('portico')
    const refusals = await callsOn(OTHERS, fixture.store, ada)
    const forbidden = refusals.map((refusal) => {
      if (refusal.ok || refusal.error.kind !== 'secret_store_forbidden') return refusal
      return refusal.error.what.replaceAll(/\/t\d+\/\S+\/env/g, '')
    })
    expect(forbidden).toStrictEqual([
      'read on secret/subkeys',
      'create on secret/data (update, if it has metadata already)',
      'patch on secret/data',
      'patch on secret/metadata',
      'read on secret/subkeys, create on secret/data, patch on secret/metadata',
    ])
    expect(await fixture.values(OTHERS)).toBeUndefined()
    expect(await fixture.store.mayCreate(OTHERS, SERVICE)).toStrictEqual(written)
  })

  test('whose sign-in the store refuses can do nothing', async () => {
    await using fixture = open()
    const stranger = await idTokenFor('another-client')
    const refusals = await callsOn(SHOP, fixture.store, stranger)
    for (const refusal of refusals)
      expect(refusal).toMatchObject({ ok: false, error: { kind: 'secret_store_unauthorized' } })
    expect(await fixture.values(SHOP)).toBeUndefined()
  })
})
