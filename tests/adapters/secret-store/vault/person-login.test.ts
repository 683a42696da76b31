import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { SecretActor } from '#src/lib/ports/secret-store.ts'
import { type OidcFixture, openOidc } from '#tests/adapters/identity/open-oidc.ts'
import { accessors, grantGroup } from '#tests/peers/openbao-logins.ts'
import { type OpenBao, openbaoProgram, startOpenBao } from '#tests/peers/openbao.ts'
import {
  CLOSED,
  furnishReader,
  mountMethod,
  OPEN,
  openCalls,
  textCredential,
} from './open-calls.ts'
import { valueOf } from '#tests/support/value-of.ts'

const HOUR_MS = 3_600_000
const allowed = { ok: true, value: { status: 200 } }

describe.skipIf(openbaoProgram === null)('the login of persons at OpenBao', () => {
  let bao: OpenBao
  let oidc: OidcFixture
  let mount: string
  beforeAll(async () => {
    bao = await startOpenBao()
    await furnishReader(bao)
    oidc = await openOidc({
      provider: {
        people: [
          { sub: 'ada', name: 'Ada', email: 'ada@example.org', groups: ['payments'] },
          { sub: 'eve', name: 'Eve', email: 'eve@example.org', groups: ['ops'] },
        ],
      },
    })
    mount = await mountMethod(bao, 'jwt')
    await bao.must('POST', `auth/${mount}/config`, { oidc_discovery_url: oidc.peer.issuer })
    await role('people', {})
    await grantGroup(bao, { mount, group: 'payments', policy: 'reader' })
  })
  afterAll(async () => {
    await oidc[Symbol.asyncDispose]()
    await bao[Symbol.asyncDispose]()
  })

  const role = (name: string, more: object) =>
    bao.must('POST', `auth/${mount}/role/${name}`, {
      role_type: 'jwt',
      bound_audiences: [oidc.clientId],
      user_claim: 'sub',
      groups_claim: 'groups',
      token_ttl: '2h',
      ...more,
    })

  async function signIn(sub: string): Promise<SecretActor> {
    const { url, transaction } = valueOf(await oidc.identity.authorizationRequest())
    const { searchParams } = await oidc.peer.authorize(url, sub)
    const signedIn = valueOf(await oidc.identity.signIn(searchParams, transaction))
    return { kind: 'person', idToken: signedIn.tokens.idToken }
  }

  const openFor = (name = 'people', service = bao.rootToken) =>
    openCalls(bao.url, {
      service: { kind: 'token', token: textCredential(service) },
      persons: { mount, role: name },
    })
  const loginPath = () => `auth/${mount}/login`

  test('the policy of the store decides by the groups of the person, never by the service', async () => {
    const [ada, eve] = [await signIn('ada'), await signIn('eve')]
    const at = openFor()
    expect(await at.read(OPEN, ada)).toMatchObject(allowed)
    for (const [path, actor] of [
      [CLOSED, ada],
      [OPEN, eve],
    ] as const) {
      expect(await at.read(path, actor)).toStrictEqual({
        ok: false,
        error: { kind: 'secret_store_forbidden', what: `read on ${path}` },
      })
    }
    expect(await at.read(OPEN)).toMatchObject(allowed)
    await at.calls.close()
  })

  test('one login serves all calls with an ID token, and is revoked at the end', async () => {
    const ada = await signIn('ada')
    const at = openFor()
    const before = await accessors(bao)
    const answers = await Promise.all(Array.from({ length: 20 }, () => at.read(OPEN, ada)))
    for (const answer of answers) expect(answer).toMatchObject(allowed)
    expect(at.count(loginPath())).toBe(1)
    expect(await at.read(OPEN, await signIn('ada'))).toMatchObject(allowed)
    expect(at.count(loginPath())).toBe(2)
    await at.calls.close()
    expect((await accessors(bao)).length).toBe(before.length)
  })

  test('after an hour the person logs in anew, whatever the lease says', async () => {
    const ada = await signIn('ada')
    const at = openFor()
    await at.read(OPEN, ada)
    at.pass(HOUR_MS - 1_000)
    await at.read(OPEN, ada)
    expect(at.count(loginPath())).toBe(1)
    at.pass(1_000)
    await at.read(OPEN, ada)
    expect(at.count(loginPath())).toBe(2)
    await at.calls.close()
  })

  test('shortly before the end of the lease the person logs in anew', async () => {
    await role('short', { token_ttl: '10m' })
    const ada = await signIn('ada')
    const at = openFor('short')
    await at.read(OPEN, ada)
    at.pass(0.9 * 600_000)
    await at.read(OPEN, ada)
    expect(at.count(loginPath())).toBe(2)
    await at.calls.close()
  })

  test('a revoked token is one new login for all calls', async () => {
    const ada = await signIn('ada')
    const at = openFor()
    await at.read(OPEN, ada)
    await bao.must('PUT', `sys/leases/revoke-prefix/auth/${mount}`)
    const answers = await Promise.all(Array.from({ length: 30 }, () => at.read(OPEN, ada)))
    for (const answer of answers) expect(answer).toMatchObject(allowed)
    expect(at.count(loginPath())).toBe(2)
    await at.calls.close()
  })

  test('a provider that the store cannot ask for its keys is no refusal of the person', async () => {
    const another = await mountMethod(bao, 'jwt')
    await bao.must('POST', `auth/${another}/config`, { oidc_discovery_url: oidc.peer.issuer })
    await bao.must('POST', `auth/${another}/role/people`, {
      role_type: 'jwt',
      bound_audiences: [oidc.clientId],
      user_claim: 'sub',
      token_policies: ['reader'],
    })
    const ada = await signIn('ada')
    const at = openCalls(bao.url, {
      service: { kind: 'token', token: textCredential(bao.rootToken) },
      persons: { mount: another, role: 'people' },
    })
    await oidc.peer.fail(500)
    expect(await at.read(OPEN, ada)).toStrictEqual({
      ok: false,
      error: {
        kind: 'secret_store_error',
        reason: `login at auth/${another}: the store does not get the keys of the identity provider`,
      },
    })
    await oidc.peer.recover()
    expect(await at.read(OPEN, ada)).toMatchObject(allowed)
    await at.calls.close()
  })

  test('a refused login is that of the person, and names the setting to look at', async () => {
    await role('elsewhere', { bound_audiences: ['someone-else'] })
    await role('operators', { bound_claims: { groups: ['ops'] } })
    const ada = await signIn('ada')
    const refusal = async (name: string, actor: SecretActor) => {
      const outcome = await openFor(name).read(OPEN, actor)
      if (outcome.ok || outcome.error.kind !== 'secret_store_unauthorized') return ''
      return outcome.error.what
    }
    expect(await refusal('unknown', ada)).toContain('VAULT_USER_ROLE is unknown')
    expect(await refusal('elsewhere', ada)).toContain('bound_audiences')
    expect(await refusal('operators', ada)).toContain('bound_claims')
    const forged = { kind: 'person', idToken: 'canary.canary.canary' } as const
    expect(await refusal('people', forged)).toBe(
      `login at auth/${mount}: the ID token of the person is not signed by a key that the auth method trusts`,
    )
  })
})
