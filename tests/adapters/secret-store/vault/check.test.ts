import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { createVaultClient } from '#src/lib/adapters/secret-store/vault/api/create-client.ts'
import {
  createVaultCheck,
  type VaultCheckOptions,
} from '#src/lib/adapters/secret-store/vault/check/check.ts'
import { createVaultCalls } from '#src/lib/adapters/secret-store/vault/login/calls.ts'
import { EnvironmentName } from '#src/lib/names.ts'
import { systemClock } from '#src/lib/ports/clock.ts'
import {
  type OpenBao,
  openbaoProgram,
  startOpenBao,
  startRaftOpenBao,
} from '#tests/peers/openbao.ts'
import { checkSubjects } from '#src/portal/connections/report.ts'
import { isObject } from '#src/lib/text/json.ts'
import { expired, makeAuthority } from '#tests/support/certificates.ts'

const POLICY = await Bun.file('deploy/vault/portico.hcl').text()
const POLICY_OF_RUNS = await Bun.file('deploy/vault/portico-runs.hcl').text()
const environments = ['dev', 'staging', 'production'].map((name) => EnvironmentName.of(name))

interface Setup extends Partial<VaultCheckOptions> {
  readonly namespace?: string
  readonly addresses?: readonly string[]
  readonly authority?: string
}

async function findingsOf(openbao: OpenBao, token: string, setup: Setup = {}) {
  const log = { info() {}, warn() {}, error() {} }
  const namespace = setup.namespace ?? null
  const client = createVaultClient({
    addresses: (setup.addresses ?? [openbao.url]).map((address) => new URL(address)),
    namespace,
    authority: setup.authority ?? null,
    log,
    clock: systemClock,
  })
  const service = { kind: 'token', token: { kind: 'text', text: token } } as const
  const calls = createVaultCalls({ client, service, persons: null, clock: systemClock, log })
  const findings = await createVaultCheck({
    client,
    calls,
    mount: 'secret',
    namespace,
    prefix: '',
    environments,
    persons: null,
    ...setup,
  })()
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
  const active = () => `ok ${openbao.url} (${version}) is active.`
  const LOGGED_IN =
    'ok Logged in by auth/token/create-orphan; the token ends in 60 min and is renewed before.'
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

  test('names each missing right, with the line that makes it whole', async () => {
    const token = await tokenWith(`
      path "secret/data/+/+/+/env" { capabilities = ["create"] }
      path "secret/subkeys/+/+/staging/env" { capabilities = ["read"] }
      path "sys/capabilities-self" { capabilities = ["update"] }
      path "auth/token/lookup-self" { capabilities = ["read"] }
    `)
    const findings = await check(openbao, token)
    expect(findings).toStrictEqual([
      active(),
      LOGGED_IN,
      MOUNTED,
      'FAIL Missing: patch on secret/data/+/+/+/env. Add to the policy: path "secret/data/+/+/+/env" { capabilities = ["create","patch"] }',
      'FAIL Missing: read on secret/subkeys/+/+/dev/env. Add to the policy: path "secret/subkeys/+/+/dev/env" { capabilities = ["read"] }',
      'FAIL Missing: read on secret/subkeys/+/+/production/env. Add to the policy: path "secret/subkeys/+/+/production/env" { capabilities = ["read"] }',
      'FAIL Missing: patch on secret/metadata/+/+/+/env. Add to the policy: path "secret/metadata/+/+/+/env" { capabilities = ["patch"], allowed_parameters = { "custom_metadata" = [] } }',
      'FAIL Missing: update on auth/token/renew-self. Add to the policy: path "auth/token/renew-self" { capabilities = ["update"] }',
      'FAIL Missing: update on auth/token/revoke-self. Add to the policy: path "auth/token/revoke-self" { capabilities = ["update"] }',
    ])
    const lines = findings.flatMap((line) => line.split('Add to the policy: ').slice(1))
    const whole = await tokenWith(
      [
        ...lines,
        'path "secret/subkeys/+/+/staging/env" { capabilities = ["read"] }',
        'path "sys/capabilities-self" { capabilities = ["update"] }',
        'path "auth/token/lookup-self" { capabilities = ["read"] }',
      ].join('\n'),
    )
    expect(await check(openbao, whole)).toStrictEqual([active(), LOGGED_IN, MOUNTED, ALL_RIGHTS])
  })

  test('says what it cannot know', async () => {
    const lookup = 'path "auth/token/lookup-self" { capabilities = ["read"] }'
    const subkeys = 'path "secret/subkeys/+/+/+/env" { capabilities = ["read"] }'
    expect(await check(openbao, await tokenWith(subkeys))).toStrictEqual([
      active(),
      'FAIL No login: the token is wrong or has ended, or it may not look at itself. Add to the policy: path "auth/token/lookup-self" { capabilities = ["read"] }',
    ])
    expect(await check(openbao, await tokenWith(lookup + subkeys))).toStrictEqual([
      active(),
      LOGGED_IN,
      MOUNTED,
      'FAIL The rights are not known. Add to the policy: path "sys/capabilities-self" { capabilities = ["update"] }',
    ])
  })

  test('warns of rights that Portico never uses', async () => {
    const token = await tokenWith(
      POLICY.replace('["create", "patch"]', '["create", "patch", "read", "delete", "update"]'),
    )
    expect(await check(openbao, token)).toStrictEqual([
      active(),
      LOGGED_IN,
      MOUNTED,
      ALL_RIGHTS,
      'ok Warning: the login has read and delete on secret/data/+/+/+/env, which Portico never uses.',
    ])
  })

  test('tells the end of a token that cannot be renewed', async () => {
    await openbao.policy('portico', POLICY)
    const token = await openbao.token({ policies: ['portico'], ttl: '110s', renewable: false })
    expect((await check(openbao, token))[1]).toBe(
      'ok Logged in by auth/token/create-orphan; the token ends in 2 min and cannot be renewed.',
    )
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
    expect(await mountOf({ mount: 'nowhere' })).toStrictEqual([
      'FAIL There is no mount nowhere (VAULT_MOUNT), or the login has no right below it: its policy is `deploy/vault/portico.hcl`, with the name of the mount.',
    ])
    expect(await mountOf({ mount: 'kv/one' })).toStrictEqual([
      'FAIL The mount kv/one is a key/value store of version 1: `bao kv enable-versioning kv/one` makes it one of version 2.',
    ])
    expect(await mountOf({ mount: 'secret/deeper' })).toStrictEqual([
      'FAIL There is no mount secret/deeper, but one above it: what lies below a mount is VAULT_PREFIX.',
    ])
    expect(await mountOf({ mount: 'transit' })).toStrictEqual([
      'FAIL The mount transit is not a key/value store.',
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
    expect(data).toStartWith('FAIL Missing: create and patch on secret/data/apps/+/+/+/env.')
  })

  test('says of a token that is not valid that there is no login', async () => {
    const findings = await check(openbao, 's.nobody')
    expect(findings[0]).toBe(active())
    expect(findings[1]).toStartWith('FAIL No login: the token is wrong or has ended')
    expect(findings).toHaveLength(2)
  })

  describe('with logins of persons', () => {
    const persons = { mount: 'jwt', role: 'people' }
    const UNKNOWN = 'ok Not checked: the rights of persons, which only their sign-in has.'

    test('names what is missing at the login method', async () => {
      const token = await tokenWith(POLICY_OF_RUNS)
      const found = async () => (await check(openbao, token, { persons })).slice(3)
      expect(await found()).toStrictEqual([
        ALL_RIGHTS,
        'FAIL There is no login method at jwt: see VAULT_USER_MOUNT.',
        UNKNOWN,
      ])
      await openbao.must('POST', 'sys/auth/jwt', { type: 'jwt' })
      expect((await found())[1]).toBe(
        'FAIL The login method jwt is not configured: it knows no provider.',
      )
      const { publicKey } = await crypto.subtle.generateKey(
        { name: 'ECDSA', namedCurve: 'P-256' },
        true,
        ['sign', 'verify'],
      )
      const der = new Uint8Array(await crypto.subtle.exportKey('spki', publicKey)).toBase64()
      const pem = `-----BEGIN PUBLIC KEY-----\n${der}\n-----END PUBLIC KEY-----\n`
      await openbao.must('POST', 'auth/jwt/config', { jwt_validation_pubkeys: [pem] })
      expect((await found())[1]).toBe(
        'FAIL The role people of the login method jwt does not exist: see VAULT_USER_ROLE.',
      )
      await openbao.must('POST', 'auth/jwt/role/people', {
        role_type: 'jwt',
        user_claim: 'sub',
        bound_audiences: ['portico'],
      })
      expect((await found())[1]).toBe(
        'ok The role people of the login method jwt exists; it takes the ID tokens of persons.',
      )
      await openbao.must('POST', 'auth/jwt/role/people', {
        user_claim: 'sub',
        allowed_redirect_uris: ['https://portal.example.org'],
      })
      expect((await found())[1]).toBe(
        'FAIL The role people of the login method jwt is for browsers: make it again with role_type=jwt.',
      )
    })

    test('names a login method of another type', async () => {
      await openbao.must('POST', 'sys/auth/approle', { type: 'approle' })
      const other = { mount: 'approle', role: 'people' }
      const findings = await check(openbao, await tokenWith(POLICY_OF_RUNS), { persons: other })
      expect(findings).toContain(
        'FAIL The role people of the login method approle is not known: answered with 500. Is the method of the type jwt?',
      )
    })

    test('warns of rights that persons have instead', async () => {
      const findings = await check(openbao, await tokenWith(POLICY), { persons })
      expect(findings).toContain(
        'ok Warning: the login has patch on secret/data/+/+/dev/env, which Portico never uses.',
      )
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
    const lines = await check(openbao, 's.any', { addresses: [origin], namespace: 'team-a' })
    expect(lines.slice(0, 2)).toStrictEqual([
      `ok ${origin} is active.`,
      `FAIL ${origin} is Vault’s Community Edition, which takes no notice of VAULT_NAMESPACE: entries would be outside of it.`,
    ])
    const without = await check(openbao, 's.any', { addresses: [origin] })
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
    const addresses = [server.url.origin]
    expect(await check(openbao, 's.any', { addresses })).toStrictEqual([
      `ok ${server.url.origin} is active.`,
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
      addresses: [address],
      ...(validity !== undefined && { authority: authority.pem }),
    }
    expect(await check(openbao, 's.never-sent', setup)).toStrictEqual([
      `FAIL The certificate of ${address} ${fault}.`,
    ])
  })

  test('says which address is none of a store', async () => {
    using server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => Response.json({}) })
    const address = server.url.origin
    expect(await check(openbao, 's.never-sent', { addresses: [address] })).toStrictEqual([
      `FAIL ${address} is no Vault: it answered with 200, not as documented. See VAULT_ADDR: https or http, host, port.`,
    ])
  })

  test('says which addresses cannot be used', async () => {
    using silent = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: () => new Promise(() => {}),
    })
    const silentAddress = silent.url.origin
    // Half of the time that a whole check has.
    const inTime = checkSubjects(
      [
        {
          name: 'vault',
          check: () => findingsOf(openbao, 's.any', { addresses: [silentAddress] }),
        },
      ],
      5_000,
    )
    await using raft = await startRaftOpenBao()
    const addresses = [raft.url, openbao.url]
    await raft.seal()
    const sealed = `FAIL ${raft.url} (${await versionOf(raft)}) is sealed: unseal it. Until then runs wait.`
    const token = await tokenWith(POLICY)
    expect(await check(raft, token)).toStrictEqual([sealed])
    expect(await check(openbao, token, { addresses })).toStrictEqual([
      sealed,
      active(),
      LOGGED_IN,
      MOUNTED,
      ALL_RIGHTS,
    ])
    await raft.stop()
    const [stopped] = await check(raft, token)
    expect(stopped).toStartWith(`FAIL ${raft.url} cannot be reached: `)
    expect(await inTime).toMatchObject([
      { findings: [{ ok: false, text: `${silentAddress} cannot be reached: no answer in time.` }] },
    ])
  })
})
