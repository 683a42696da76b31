import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { exportSPKI, generateKeyPair, SignJWT } from 'jose'
import type { ServiceLogin } from '#src/lib/adapters/secret-store/vault/login.ts'
import { makeAuthority } from '#tests/support/certificates.ts'
import { accessors, makeAppRole } from '#tests/peers/openbao-logins.ts'
import { type OpenBao, openbaoProgram, startOpenBao } from '#tests/peers/openbao.ts'
import {
  CLOSED,
  furnishReader,
  mountMethod,
  OPEN,
  openCalls,
  textCredential,
} from './open-calls.ts'

const HOUR_MS = 3_600_000
const allowed = { ok: true, value: { status: 200 } }
const denied = (what: string) =>
  ({ ok: false, error: { kind: 'secret_store_denied', what } }) as const

describe.skipIf(openbaoProgram === null)('the login of the service at OpenBao', () => {
  let bao: OpenBao
  let folder: string
  beforeAll(async () => {
    bao = await startOpenBao()
    folder = await mkdtemp(join(tmpdir(), 'portico-login-'))
    await furnishReader(bao)
  })
  afterAll(async () => {
    await rm(folder, { recursive: true })
    await bao[Symbol.asyncDispose]()
  })

  async function fileCredential(text: string) {
    const path = join(folder, crypto.randomUUID())
    await writeFile(path, text)
    return { kind: 'file', variable: 'VAULT_TEST_FILE', path } as const
  }

  /** A role with the policy `reader`, and its login. */
  async function approle(role: object = {}) {
    const mount = `approle-${crypto.randomUUID().slice(0, 8)}`
    const given = { token_policies: ['reader'], token_ttl: '1h', ...role }
    const { roleId, makeSecretId } = await makeAppRole(bao, given, { mount })
    const login = (secretId: string) =>
      ({
        kind: 'approle',
        mount,
        roleId,
        secretId: textCredential(secretId),
      }) satisfies ServiceLogin
    return {
      mount,
      secret: makeSecretId,
      login: login(await makeSecretId()),
      loginPath: `auth/${mount}/login`,
      withSecret: login,
    }
  }

  test('an AppRole logs in at the first call, once for all calls, and is revoked at the end', async () => {
    const { login, loginPath } = await approle()
    const at = openCalls(bao.url, { service: login })
    expect(at.count(loginPath)).toBe(0)
    const before = await accessors(bao)

    const answers = await Promise.all(Array.from({ length: 20 }, () => at.read(OPEN)))
    for (const answer of answers) expect(answer).toMatchObject(allowed)
    expect(at.count(loginPath)).toBe(1)
    expect((await accessors(bao)).length).toBe(before.length + 1)

    await at.calls.close()
    expect((await accessors(bao)).length).toBe(before.length)
  })

  test('a policy that forbids a path is a refusal of the right, without a new login', async () => {
    const { login, loginPath } = await approle()
    const at = openCalls(bao.url, { service: login })
    expect(await at.read(CLOSED)).toStrictEqual(denied(`read on ${CLOSED}`))
    expect(await at.read(CLOSED)).toStrictEqual(denied(`read on ${CLOSED}`))
    expect(at.count(loginPath)).toBe(1)
    await at.calls.close()
  })

  test('100 calls with a revoked token are one look and one new login', async () => {
    const { mount, login, loginPath } = await approle()
    const at = openCalls(bao.url, { service: login })
    expect(await at.read(OPEN)).toMatchObject(allowed)
    await bao.must('PUT', `sys/leases/revoke-prefix/auth/${mount}`)

    const answers = await Promise.all(Array.from({ length: 100 }, () => at.read(OPEN)))
    for (const answer of answers) expect(answer).toMatchObject(allowed)
    expect(at.count(loginPath)).toBe(2)
    expect(at.count('auth/token/lookup-self')).toBe(1)
    await at.calls.close()
  })

  test('a token that may not look at itself: revoked is one new login, forbidden is one in a minute', async () => {
    const { mount, login, loginPath } = await approle({ token_no_default_policy: true })
    const at = openCalls(bao.url, { service: login })
    expect(await at.read(OPEN)).toMatchObject(allowed)
    await bao.must('PUT', `sys/leases/revoke-prefix/auth/${mount}`)
    expect(await at.read(OPEN)).toMatchObject(allowed)
    expect(at.count(loginPath)).toBe(2)

    expect(await at.read(CLOSED)).toStrictEqual(denied(`read on ${CLOSED}`))
    for (let calls = 0; calls < 3; calls += 1) {
      expect(await at.read(CLOSED)).toMatchObject({ ok: false })
    }
    expect(at.count(loginPath)).toBe(3)
    at.pass(60_000)
    expect(await at.read(CLOSED)).toStrictEqual(denied(`read on ${CLOSED}`))
    expect(at.count(loginPath)).toBe(4)
    expect(await at.read(OPEN)).toMatchObject(allowed)
    await at.calls.close()
  })

  test.each(['service', 'batch'])(
    'shortly before the end of a lease the next call logs in: %s',
    async (token_type) => {
      const { login, loginPath } = await approle({ token_type })
      const at = openCalls(bao.url, { service: login })
      await at.read(OPEN)
      at.pass(0.9 * HOUR_MS - 1_000)
      expect(await at.read(OPEN)).toMatchObject(allowed)
      expect(at.count(loginPath)).toBe(1)
      at.pass(1_000)
      expect(await at.read(OPEN)).toMatchObject(allowed)
      expect(at.count(loginPath)).toBe(2)
      await at.calls.close()
    },
  )

  test('refused logins do not lock the role, and another secret id is tried at once', async () => {
    const { login, loginPath, mount, secret } = await approle({ token_type: 'batch' })
    const secretId = await fileCredential('wrong-1')
    const at = openCalls(bao.url, { service: { ...login, secretId } })
    const refused = denied(
      `login at auth/${mount}: VAULT_ROLE_ID or the secret id is wrong, or the secret id has ended`,
    )
    for (let minutes = 0; minutes < 20; minutes += 1) {
      expect(await at.read(OPEN)).toStrictEqual(refused)
      // Readiness asks every few seconds.
      expect(await at.calls.logIn()).toStrictEqual(refused)
      at.pass(HOUR_MS / 60)
    }
    expect(at.count(loginPath)).toBe(4)
    await writeFile(secretId.path, await secret())
    expect(await at.calls.logIn()).toStrictEqual({ ok: true, value: undefined })
    expect(await at.read(OPEN)).toMatchObject(allowed)
    await at.calls.close()
  })

  test('a clock that jumps is one new login, forward or back', async () => {
    const { login, loginPath } = await approle()
    const at = openCalls(bao.url, { service: login })
    const readThrice = async () => {
      for (let calls = 0; calls < 3; calls += 1) expect(await at.read(OPEN)).toMatchObject(allowed)
    }
    await readThrice()
    at.pass(1_000 * HOUR_MS)
    await readThrice()
    expect(at.count(loginPath)).toBe(2)
    at.pass(-2_000 * HOUR_MS)
    await readThrice()
    expect(at.count(loginPath)).toBe(3)
    await at.calls.close()
  })

  test('refused logins of AppRoles name the setting to look at, and no secret', async () => {
    const { mount, login, withSecret } = await approle()
    const limited = await approle({ token_num_uses: 3 })
    const bound = await approle({ secret_id_bound_cidrs: ['10.0.0.0/8'] })
    const phrase = async (service: ServiceLogin) => {
      const outcome = await openCalls(bao.url, { service }).read(OPEN)
      return outcome.ok || outcome.error.kind !== 'secret_store_denied' ? '' : outcome.error.what
    }
    const refused = `login at auth/${mount}: VAULT_ROLE_ID or the secret id is wrong, or the secret id has ended`
    expect(await phrase(withSecret('canary-secret'))).toBe(refused)
    expect(await phrase({ ...login, roleId: 'canary-role' })).toBe(refused)
    expect(await phrase({ ...login, mount: 'nowhere' })).toContain('VAULT_AUTH_MOUNT')
    expect(await phrase(limited.login)).toContain('token_num_uses')
    expect(await phrase(bound.login)).toContain('bound CIDRs')
  })

  test('a login that demands a second factor is refused', async () => {
    const { mount, login } = await approle()
    const method = await bao.must('POST', 'identity/mfa/method/totp', { issuer: 'portico' })
    const methods = await bao.must('GET', 'sys/auth')
    const { accessor } = (methods as { data: Record<string, { accessor: string }> }).data[
      `${mount}/`
    ] ?? { accessor: '' }
    await bao.must('POST', 'identity/mfa/login-enforcement/portico', {
      mfa_method_ids: [(method as { data: { method_id: string } }).data.method_id],
      auth_method_accessors: [accessor],
    })
    expect(await openCalls(bao.url, { service: login }).read(OPEN)).toStrictEqual(
      denied(`login at auth/${mount}: the store demands a second factor of it`),
    )
  })

  test('a secret id in a file is read again at each login', async () => {
    const { secret, login, loginPath } = await approle({ token_type: 'batch' })
    const secretId = await fileCredential('')
    const at = openCalls(bao.url, { service: { ...login, secretId } })
    expect(await at.read(OPEN)).toStrictEqual(
      denied(`login at auth/${login.mount}: the file of VAULT_TEST_FILE is empty`),
    )
    await writeFile(secretId.path, `${await secret()}\n`)
    expect(await at.read(OPEN)).toMatchObject(allowed)
    expect(at.count(loginPath)).toBe(1)
    await at.calls.close()
  })

  describe('with a JWT', () => {
    async function jwtMethod() {
      const mount = await mountMethod(bao, 'jwt')
      const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true })
      await bao.must('POST', `auth/${mount}/config`, {
        jwt_validation_pubkeys: [await exportSPKI(publicKey)],
      })
      await bao.must('POST', `auth/${mount}/role/portico`, {
        role_type: 'jwt',
        bound_audiences: ['openbao'],
        bound_claims: { team: 'platform' },
        user_claim: 'sub',
        token_policies: ['reader'],
        token_ttl: '1h',
      })
      const sign = (claims: object = {}, endsIn = '5m') =>
        new SignJWT({ sub: 'ci', aud: 'openbao', team: 'platform', ...claims })
          .setProtectedHeader({ alg: 'ES256' })
          .setIssuedAt()
          .setExpirationTime(endsIn)
          .sign(privateKey)
      return { mount, sign }
    }

    test('the file of the JWT is read at each login', async () => {
      const { mount, sign } = await jwtMethod()
      const jwt = await fileCredential(await sign())
      const at = openCalls(bao.url, { service: { kind: 'jwt', mount, role: 'portico', jwt } })
      expect(await at.read(OPEN)).toMatchObject(allowed)
      await writeFile(jwt.path, await sign({}, '-2h'))
      expect(await at.read(OPEN)).toMatchObject(allowed)
      at.pass(2 * HOUR_MS)
      expect(await at.read(OPEN)).toStrictEqual(
        denied(`login at auth/${mount}: VAULT_JWT_FILE has expired`),
      )
      await at.calls.close()
    })

    test('refused logins name the setting to look at, and nothing of the JWT', async () => {
      const { mount, sign } = await jwtMethod()
      const phrase = async (jwt: string, role = 'portico') => {
        const credential = await fileCredential(jwt)
        const service = { kind: 'jwt', mount, role, jwt: credential } as const
        const outcome = await openCalls(bao.url, { service }).read(OPEN)
        if (outcome.ok) return ''
        expect(JSON.stringify(outcome.error)).not.toContain(jwt.slice(0, 20))
        return outcome.error.kind === 'secret_store_denied' ? outcome.error.what : ''
      }
      const stranger = await jwtMethod()
      expect(await phrase(await sign(), 'canary')).toContain('VAULT_ROLE is unknown')
      expect(await phrase(await sign({ aud: 'canary' }))).toContain('bound_audiences')
      expect(await phrase(await sign({ team: 'canary' }))).toContain('bound_claims')
      expect(await phrase(await sign({ nbf: Math.floor(Date.now() / 1000) + 900 }))).toContain(
        'not valid yet',
      )
      expect(await phrase(await stranger.sign())).toContain('not signed by a key')
      expect(await phrase('canary-canary-canary')).toContain('not signed by a key')
      expect(await phrase('two\nlines')).toContain('not one line of text')
    })
  })

  test('a service account logs in at a cluster’s method, which the cluster confirms', async () => {
    let isConfirmed = true
    using cluster = Bun.serve({
      port: 0,
      fetch: () =>
        Response.json(
          {
            apiVersion: 'authentication.k8s.io/v1',
            kind: 'TokenReview',
            status: isConfirmed
              ? {
                  authenticated: true,
                  user: { username: 'system:serviceaccount:portico:portico', uid: 'u1' },
                }
              : { authenticated: false, error: 'canary' },
          },
          { status: 201 },
        ),
    })
    const mount = await mountMethod(bao, 'kubernetes')
    await bao.must('POST', `auth/${mount}/config`, {
      kubernetes_host: cluster.url.origin,
      disable_local_ca_jwt: true,
      kubernetes_ca_cert: (await makeAuthority()).pem,
    })
    await bao.must('POST', `auth/${mount}/role/portico`, {
      bound_service_account_names: ['portico'],
      bound_service_account_namespaces: ['portico'],
      token_policies: ['reader'],
    })
    const { privateKey } = await generateKeyPair('ES256')
    const serviceAccount = (name: string) =>
      new SignJWT({
        'kubernetes.io': { namespace: 'portico', serviceaccount: { name, uid: 'u1' } },
      })
        .setProtectedHeader({ alg: 'ES256' })
        .setIssuer('kubernetes/serviceaccount')
        .setSubject(`system:serviceaccount:portico:${name}`)
        .setIssuedAt()
        .setExpirationTime('10m')
        .sign(privateKey)
    const read = async (name: string, role = 'portico') => {
      const jwt = await fileCredential(await serviceAccount(name))
      const at = openCalls(bao.url, { service: { kind: 'kubernetes', mount, role, jwt } })
      const outcome = await at.read(OPEN)
      await at.calls.close()
      return outcome
    }
    const refused = (phrase: string) => ({
      ok: false,
      error: { kind: 'secret_store_denied', what: expect.stringContaining(phrase) },
    })
    expect(await read('portico')).toMatchObject(allowed)
    expect(await read('portico', 'unknown')).toMatchObject(refused('VAULT_ROLE is unknown'))
    expect(await read('other')).toMatchObject(refused('service account'))
    isConfirmed = false
    expect(await read('portico')).toMatchObject(refused('cannot verify it'))
  })

  test('a login happens in the namespace', async () => {
    await bao.must('POST', 'sys/namespaces/platform')
    const inside = { namespace: 'platform' }
    const asRoot = (method: string, path: string, body?: unknown) =>
      bao.must(method, path, body, inside)
    await asRoot('POST', 'sys/mounts/secret', { type: 'kv' })
    await asRoot('POST', OPEN, { KEY: 'value' })
    await bao.policy('reader', `path "${OPEN}" { capabilities = ["read"] }`, inside)
    const role = await makeAppRole(bao, { token_policies: ['reader'] }, inside)
    const there = openCalls(bao.url, {
      service: {
        kind: 'approle',
        mount: 'approle',
        roleId: role.roleId,
        secretId: textCredential(await role.makeSecretId()),
      },
      ...inside,
    })
    expect(await there.read(OPEN)).toMatchObject(allowed)
    await there.calls.close()

    const { login } = await approle()
    const at = openCalls(bao.url, { service: login, ...inside })
    expect(await at.read(OPEN)).toMatchObject({
      ok: false,
      error: { what: expect.stringContaining('VAULT_NAMESPACE') },
    })
    const lost = openCalls(bao.url, { service: login, namespace: 'nowhere' })
    expect(await lost.read(OPEN)).toStrictEqual(
      denied(
        `login at auth/${login.mount}: VAULT_NAMESPACE or the auth method that VAULT_AUTH_MOUNT names does not exist`,
      ),
    )
  })
})
