import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createVaultClient } from '#src/lib/adapters/secret-store/vault/client.ts'
import { checkVault, type VaultToCheck } from '#src/lib/adapters/secret-store/vault/check.ts'
import { createVaultCalls } from '#src/lib/adapters/secret-store/vault/calls.ts'
import { EnvironmentName } from '#src/lib/names.ts'
import { systemClock } from '#src/lib/ports/clock.ts'
import {
  type OpenBao,
  openbaoProgram,
  startOpenBao,
  startRaftOpenBao,
} from '#tests/peers/openbao.ts'
import { checkSubjects } from '#src/lib/domain/connections.ts'
import { isObject } from '#src/lib/text/json.ts'
import { expired, makeAuthority } from '#tests/support/certificates.ts'

const POLICY = await Bun.file('deploy/vault/portico.hcl').text()
const POLICY_OF_RUNS = await Bun.file('deploy/vault/portico-runs.hcl').text()
const environments = ['dev', 'staging', 'production'].map((name) => EnvironmentName.of(name))

interface Setup extends Partial<Omit<VaultToCheck, 'address'>> {
  readonly url?: string
  readonly authority?: string
}

async function findingsOf(openbao: OpenBao, token: string, setup: Setup = {}) {
  const { namespace = null, url = openbao.url, authority = null } = setup
  const log = { info() {}, warn() {}, error() {} }
  const address = new URL(url)
  const client = createVaultClient({ address, namespace, authority, log, clock: systemClock })
  const service = { kind: 'token', token: { kind: 'text', text: token } } as const
  const calls = createVaultCalls({ client, service, persons: null, clock: systemClock })
  const findings = await checkVault({
    client,
    calls,
    address,
    mount: 'secret',
    namespace,
    prefix: '',
    environments,
    persons: null,
    ...setup,
  })
  await calls.close()
  return findings
}

async function versionOf(openbao: OpenBao): Promise<string> {
  const health: unknown = await (await fetch(`${openbao.url}/v1/sys/health`)).json()
  if (!isObject(health)) throw new Error('the health is no object')
  return String(health['version'])
}

/** The texts of the findings, each after `ok` or `FAIL`. */
async function check(openbao: OpenBao, token: string, setup: Setup = {}) {
  const findings = await findingsOf(openbao, token, setup)
  const lines = findings.map(({ ok, text }) => `${ok ? 'ok' : 'FAIL'} ${text}`)
  expect(lines.join('\n')).not.toContain(token)
  return lines
}

describe.skipIf(openbaoProgram === null)('the check of Vault', () => {
  let openbao: OpenBao
  let version: string
  beforeAll(async () => {
    openbao = await startOpenBao()
    version = await versionOf(openbao)
  })
  afterAll(() => openbao[Symbol.asyncDispose]())

  async function tokenWith(hcl: string): Promise<string> {
    const policy = `policy-${crypto.randomUUID()}`
    await openbao.policy(policy, hcl)
    return openbao.token({ policies: [policy], ttl: '1h' })
  }
  const active = () => `ok ${openbao.url} (${version}) answers.`
  const LOGGED_IN = 'ok Logged in by auth/token/create-orphan; the token ends in 60 min.'
  const NO_LOGIN =
    'FAIL No login: refused: read on auth/token/lookup-self (or the token is not valid: it may not look at itself).'
  const MOUNTED = 'ok The mount secret is a key/value store of version 2.'
  const ALL_RIGHTS = 'ok The login has every right that Portico needs.'

  test('finds nothing missing with portico.hcl', async () => {
    const token = await tokenWith(POLICY)
    expect(await check(openbao, token)).toStrictEqual([active(), LOGGED_IN, MOUNTED, ALL_RIGHTS])
  })

  test('warns of root', async () => {
    expect(await check(openbao, openbao.rootToken)).toStrictEqual([
      active(),
      'ok Logged in by auth/token/create; the token has no end.',
      'ok Warning: the login is root. Give Portico a login with `deploy/vault/portico.hcl`.',
      MOUNTED,
      ALL_RIGHTS,
    ])
  })

  test('names each missing right', async () => {
    const token = await tokenWith(`
      path "secret/data/+/+/+/env" { capabilities = ["create"] }
      path "secret/subkeys/+/+/staging/env" { capabilities = ["read"] }
      path "sys/capabilities-self" { capabilities = ["update"] }
      path "auth/token/lookup-self" { capabilities = ["read"] }
    `)
    const missing = (right: string) =>
      `FAIL Missing: ${right}. \`deploy/vault\` has the lines of the policy.`
    expect(await check(openbao, token)).toStrictEqual([
      active(),
      LOGGED_IN,
      MOUNTED,
      missing('patch on secret/data/+/+/dev/env'),
      missing('patch on secret/data/+/+/staging/env'),
      missing('patch on secret/data/+/+/production/env'),
      missing('read on secret/subkeys/+/+/dev/env'),
      missing('read on secret/subkeys/+/+/production/env'),
      missing('patch on secret/metadata/+/+/dev/env'),
      missing('patch on secret/metadata/+/+/staging/env'),
      missing('patch on secret/metadata/+/+/production/env'),
      missing('update on auth/token/revoke-self'),
    ])
  })

  test('says what it cannot know', async () => {
    const lookup = 'path "auth/token/lookup-self" { capabilities = ["read"] }'
    const subkeys = 'path "secret/subkeys/+/+/+/env" { capabilities = ["read"] }'
    expect(await check(openbao, await tokenWith(subkeys))).toStrictEqual([active(), NO_LOGIN])
    expect(await check(openbao, await tokenWith(lookup + subkeys))).toStrictEqual([
      active(),
      LOGGED_IN,
      MOUNTED,
      'FAIL The rights are not known: refused: update on sys/capabilities-self.',
    ])
  })

  test('warns of a right to read values', async () => {
    const token = await tokenWith(
      POLICY.replace('["create", "patch"]', '["create", "patch", "read"]'),
    )
    expect((await check(openbao, token)).slice(3, 5)).toStrictEqual([
      ALL_RIGHTS,
      'ok Warning: the login may read values on secret/data/+/+/dev/env, which Portico never does.',
    ])
  })

  test('names a mount, a version and a namespace that are not there', async () => {
    const { rootToken } = openbao
    await openbao.must('POST', 'sys/mounts/kv/one', { type: 'kv', options: { version: '1' } })
    await openbao.must('POST', 'sys/mounts/transit', { type: 'transit' })
    const failuresOf = async (token: string, setup: Setup) =>
      (await check(openbao, token, setup)).filter((line) => line.startsWith('FAIL'))
    const mountOf = (setup: Setup) => failuresOf(rootToken, setup)
    const token = await tokenWith(POLICY)
    for (const mount of ['nowhere', 'transit', 'secret/deeper']) {
      expect(await failuresOf(token, { mount })).toHaveLength(1)
    }
    const refused = 'refused: any right below nowhere/, which must exist'
    expect(await mountOf({ mount: 'nowhere' })).toStrictEqual([
      `FAIL The mount nowhere: ${refused}.`,
    ])
    for (const mount of ['kv/one', 'transit']) {
      expect(await mountOf({ mount })).toStrictEqual([
        `FAIL The mount ${mount}: VAULT_MOUNT is not a KV secrets engine of version 2.`,
      ])
    }
    expect(await mountOf({ mount: 'secret/deeper' })).toStrictEqual([
      'FAIL The mount secret/deeper: there is no secrets engine at VAULT_MOUNT.',
    ])
    expect(await mountOf({ namespace: 'nowhere' })).toStrictEqual([
      'FAIL There is no such namespace: see VAULT_NAMESPACE.',
    ])
  })

  test('looks below a prefix', async () => {
    const token = await tokenWith(POLICY.replaceAll(/(?<=secret\/\w+\/)/g, 'apps/live/'))
    const setup = { prefix: 'apps/live/' }
    expect(await check(openbao, token, setup)).toStrictEqual([
      active(),
      LOGGED_IN,
      MOUNTED,
      ALL_RIGHTS,
    ])
    const [, , , data] = await check(openbao, token, { prefix: 'apps/' })
    expect(data).toStartWith('FAIL Missing: create and patch on secret/data/apps/+/+/dev/env.')
  })

  test('says of a token that is not valid that there is no login', async () => {
    expect(await check(openbao, 's.nobody')).toStrictEqual([active(), NO_LOGIN])
  })

  describe('with logins of persons', () => {
    const persons = { mount: 'jwt', role: 'people' }
    const UNKNOWN = 'ok Not checked: the rights of persons, which only their sign-in has.'

    test('names what is missing at the login method', async () => {
      const token = await tokenWith(POLICY_OF_RUNS)
      const found = async () => (await check(openbao, token, { persons })).slice(3)
      const failed = async () => {
        const [rights, login = ''] = await found()
        expect(rights).toBe(ALL_RIGHTS)
        expect(login).toStartWith('FAIL Persons cannot log in: refused: login at auth/jwt: ')
        return login
      }
      expect(await failed()).toContain('VAULT_USER_MOUNT')
      await openbao.must('POST', 'sys/auth/jwt', { type: 'jwt' })
      expect(await failed()).toContain('VAULT_USER_MOUNT names is not configured')
      const { publicKey } = await crypto.subtle.generateKey(
        { name: 'ECDSA', namedCurve: 'P-256' },
        true,
        ['sign', 'verify'],
      )
      const der = new Uint8Array(await crypto.subtle.exportKey('spki', publicKey)).toBase64()
      const pem = `-----BEGIN PUBLIC KEY-----\n${der}\n-----END PUBLIC KEY-----\n`
      await openbao.must('POST', 'auth/jwt/config', { jwt_validation_pubkeys: [pem] })
      expect(await failed()).toContain('VAULT_USER_ROLE is unknown')
      await openbao.must('POST', 'auth/jwt/role/people', {
        role_type: 'jwt',
        user_claim: 'sub',
        bound_audiences: ['portico'],
      })
      expect(await found()).toStrictEqual([
        ALL_RIGHTS,
        'ok The role people takes the ID tokens of persons.',
        UNKNOWN,
      ])
      await openbao.must('POST', 'auth/jwt/role/people', {
        user_claim: 'sub',
        allowed_redirect_uris: ['https://portal.example.org'],
      })
      expect(await failed()).toContain('not of the type jwt')
    })

    test('names a login method of another type', async () => {
      await openbao.must('POST', 'sys/auth/approle', { type: 'approle' })
      const other = { mount: 'approle', role: 'people' }
      const findings = await check(openbao, await tokenWith(POLICY_OF_RUNS), { persons: other })
      expect(findings).toContain('FAIL Persons cannot log in: answered with 500.')
    })
  })

  test('a namespace at the Community Edition of Vault, which takes no notice of it', async () => {
    using server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: () =>
        Response.json({ initialized: true, sealed: false, standby: false, enterprise: false }),
    })
    const { origin } = server.url
    const lines = await check(openbao, 's.any', { url: origin, namespace: 'team-a' })
    expect(lines).toStrictEqual([
      `FAIL ${origin} is Vault’s Community Edition, which takes no notice of VAULT_NAMESPACE: entries would be outside of it.`,
    ])
    const without = await check(openbao, 's.any', { url: origin })
    expect(without.join('\n')).not.toContain('Community')
  })

  test('shows no text of a server that is no store', async () => {
    const path = '\u001b[2Jauth/approle/login'
    const data = { path, policies: [], renewable: true, ttl: 60, expire_time: null }
    using server = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: () => Response.json({ initialized: true, sealed: false, standby: false, data }),
    })
    const url = server.url.origin
    expect(await check(openbao, 's.any', { url })).toStrictEqual([
      `ok ${url} answers.`,
      'FAIL The answer about the login is not that of Vault.',
    ])
  })

  test.each([
    [
      undefined,
      'is not signed by a trusted authority: VAULT_CA_FILE must name the one that signed it',
    ],
    [expired(), 'has expired'],
  ])('says what is wrong with a certificate', async (validity, fault) => {
    const authority = await makeAuthority()
    const { cert, key } = await authority.issue(undefined, validity)
    using server = Bun.serve({ port: 0, tls: { cert, key }, fetch: () => Response.json({}) })
    const address = `https://127.0.0.1:${server.port}`
    const setup = {
      url: address,
      ...(validity !== undefined && { authority: authority.pem }),
    }
    expect(await check(openbao, 's.never-sent', setup)).toStrictEqual([
      `FAIL The certificate of ${address} ${fault}.`,
    ])
  })

  test.each([
    ['an object', () => Response.json({})],
    ['a page', () => new Response('<p>canary', { headers: { 'content-type': 'text/html' } })],
    ['too much', () => Response.json('x'.repeat(2 * 1024 * 1024))],
  ])('says that an address is none of a store: %s', async (_, answer) => {
    using server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: answer })
    const url = server.url.origin
    expect(await check(openbao, 's.never-sent', { url })).toStrictEqual([
      `FAIL ${url} is no Vault: see VAULT_ADDR.`,
    ])
  })

  test('says that an address cannot be used', async () => {
    using silent = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: () => new Promise(() => {}),
    })
    const url = silent.url.origin
    // Half of the time that a whole check has.
    const inTime = checkSubjects(
      [{ name: 'secret_store', check: () => findingsOf(openbao, 's.any', { url }) }],
      5_000,
    )
    await using raft = await startRaftOpenBao()
    await raft.seal()
    expect(await check(raft, 's.any')).toStrictEqual([
      `FAIL ${raft.url} (${await versionOf(raft)}) is sealed: unseal it. Until then runs wait.`,
    ])
    await raft.stop()
    const [stopped] = await check(raft, 's.any')
    expect(stopped).toStartWith(`FAIL ${raft.url} cannot be reached: `)
    expect(await inTime).toMatchObject([
      { findings: [{ ok: false, text: `${url} does not answer in time.` }] },
    ])
  })
})
