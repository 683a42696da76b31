import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { generateKeyPair, SignJWT, UnsecuredJWT } from 'jose'
import {
  parseWorkloadRules,
  type WorkloadRule,
} from '#src/lib/domain/access/grants/workload-rule.ts'
import { JWT_BEARER } from '#src/lib/domain/access/grants/workloads.ts'
import { EnvironmentName } from '#src/lib/names.ts'
import { err, ok } from '#src/lib/result.ts'
import { DISCOVERY, openFakeIssuer } from '#tests/adapters/identity/fake-issuer.ts'
import { form, withToken } from '#tests/support/grants.ts'
import { openPortal, ORIGIN } from '#tests/support/portal.ts'
import { valueOf } from '#tests/support/value-of.ts'
import { auditRows } from '#tests/support/audit-rows.ts'

type Claims = Readonly<Record<string, unknown>>

const CLAIMS = {
  repository_id: '74',
  repository: 'acme/payments-api',
  ref: 'refs/heads/main',
  ref_protected: 'true',
  environment: 'production',
}

const ci = await openFakeIssuer()
/** Its keys come from a file, so that nobody asks it. */
const cluster = await openFakeIssuer()
let rules: readonly WorkloadRule[] = []
const portal = await openPortal({ workloads: () => rules })
afterAll(async () => {
  await portal[Symbol.asyncDispose]()
  await ci[Symbol.asyncDispose]()
  await cluster[Symbol.asyncDispose]()
})

const KEYS = JSON.stringify({ keys: [{ ...(await cluster.publicKey()), kid: 'k1', alg: 'ES256' }] })

const read = (...entries: readonly object[]): readonly WorkloadRule[] => {
  return valueOf(
    parseWorkloadRules(JSON.stringify({ apiVersion: 'portal/v1', workloads: entries }), {
      readFile: (path) => (path === '/keys.json' ? ok(KEYS) : err('ENOENT')),
      origin: ORIGIN,
      environments: ['dev', 'stg', 'prod'].map((name) => EnvironmentName.of(name)),
      platformGroup: 'platform-team',
    }),
  )
}

const RELEASE = {
  name: 'payments-release',
  issuer: ci.issuer,
  claims: { repository_id: '74', ref: 'refs/heads/main', ref_protected: 'true' },
  team: 'payments',
  scopes: ['catalog:read', 'promotion:write'],
  environments: ['stg'],
}
const JOB = {
  name: 'payments-job',
  issuer: cluster.issuer,
  keySetFile: '/keys.json',
  claims: { sub: 'system:serviceaccount:ci:release' },
  team: 'payments',
  manager: true,
  scopes: ['catalog:read', 'promotion:write', 'audit:read'],
}
beforeAll(() => {
  rules = read(RELEASE, JOB)
})

let tokens = 0
/** Refusals are counted by address. */
let clients = 0
const tokenOf = (over: Claims = {}, at = ci) => {
  const now = Math.floor(portal.clock.now() / 1000)
  const own = { aud: ORIGIN, iat: now, exp: now + 300, jti: `token-${++tokens}` }
  return at.sign({ ...CLAIMS, ...own, ...over })
}

const ask = (assertion: string, over: Readonly<Record<string, string>> = {}) =>
  portal.request('/oauth/token', {
    ...form({ grant_type: JWT_BEARER, client_id: 'payments-release', assertion, ...over }),
    from: `198.51.100.${clients++ % 250}`,
  })

const outcomeOf = async (answer: Response): Promise<string> => {
  const body = (await answer.json()) as { readonly error?: string; readonly code?: string }
  return `${answer.status} ${body.error ?? body.code ?? 'token'}`
}

async function accessToken(over: Readonly<Record<string, string>> = {}, assertion?: string) {
  const answer = await ask(assertion ?? (await tokenOf()), over)
  const { access_token } = (await answer.json()) as { readonly access_token: string }
  return access_token
}

const jobToken = async () =>
  accessToken(
    { client_id: 'payments-job' },
    await tokenOf({ sub: 'system:serviceaccount:ci:release' }, cluster),
  )

const move = (token: string, target: string) => {
  const { headers } = withToken(token)
  return portal.request('/api/v1/catalog/entities/component/payments-api/promotion', {
    headers: headers,
    json: { targetLifecycle: target },
  })
}

describe('a job', () => {
  test('gets an access token for its OpenID token, and no refresh token', async () => {
    const answer = await ask(await tokenOf())
    expect(answer.headers.get('cache-control')).toBe('no-store')
    const issued = (await answer.json()) as Claims
    expect(issued).toMatchObject({
      token_type: 'Bearer',
      expires_in: 900,
      scope: 'catalog:read promotion:write',
    })
    expect(issued['refresh_token']).toBeUndefined()
    const reading = withToken(String(issued['access_token']))
    expect((await portal.request('/api/v1/catalog/entities', reading)).status).toBe(200)
  })

  test('may ask for fewer scopes', async () => {
    const token = await accessToken({ scope: 'catalog:read' })
    expect(await outcomeOf(await move(token, 'staging'))).toBe('403 insufficient_scope')
  })

  test('acts as its rule in the audit trail', async () => {
    await accessToken()
    const rows = await auditRows(portal, 'action=grant.open')
    expect(rows.at(-1)).toMatchObject({
      actor: { subject: 'workload:payments-release', name: 'workload:payments-release' },
      details: { client: 'payments-release', teams: ['payments'] },
    })
  })

  test('reaches no cluster, and sees no session of anybody', async () => {
    const reading = withToken(await accessToken())
    const outcomes = ['/api/v1/clusters', '/api/v1/grants', '/api/v1/auth/sessions'].map(
      async (path) => outcomeOf(await portal.request(path, reading)),
    )
    expect(await Promise.all(outcomes)).toStrictEqual([
      '403 insufficient_scope',
      '401 session_required',
      '401 session_required',
    ])
  })

  test('has no password of git in its token', async () => {
    const password = Buffer.from(`x:${await accessToken()}`).toString('base64')
    const answer = await portal.request('/git/acme/gitops.git/info/refs?service=git-upload-pack', {
      headers: { authorization: `Basic ${password}` },
      undocumented: true,
    })
    expect(answer.status).toBe(401)
  })

  test('changes the environments of its rule alone, and says so', async () => {
    const token = await accessToken()
    const state = await portal.request(
      '/api/v1/catalog/entities/component/payments-api/promotion',
      withToken(token),
    )
    const { acts } = (await state.json()) as { acts: readonly Claims[] }
    expect(acts.find(({ do: what }) => what === 'deprecate')).toMatchObject({
      allowed: false,
      message: 'This workload may change only stg.',
    })
    const refused = await move(token, 'deprecated')
    expect(await refused.json()).toMatchObject({
      code: 'forbidden',
      detail: 'This workload may change only stg',
    })
  })

  test('is a manager where its rule says so, and what it proposes is on record as its rule', async () => {
    const moved = await move(await jobToken(), 'deprecated')
    expect(moved.status).toBe(201)
    const rows = await auditRows(portal, 'actor=workload:payments-job&action=promotion')
    expect(rows as object[]).toContainEqual(
      expect.objectContaining({
        actor: expect.objectContaining({ subject: 'workload:payments-job' }),
        via: expect.objectContaining({ kind: 'workload', client: 'payments-job' }),
        target: 'component/payments-api',
        result: 'done',
      }),
    )
  })

  test('ends with its rule, and with what its rule gives no more', async () => {
    const [token, job] = [await accessToken(), await jobToken()]
    const reads = async (each: string) =>
      (await portal.request('/api/v1/catalog/entities', withToken(each))).status
    expect([await reads(token), await reads(job)]).toStrictEqual([200, 200])
    rules = read({ ...RELEASE, environments: ['dev'] })
    expect([await reads(token), await reads(job)]).toStrictEqual([401, 401])
    rules = read(RELEASE, { ...JOB, manager: false })
    expect([await reads(token), await reads(job)]).toStrictEqual([200, 401])
    rules = read({ ...RELEASE, claims: { ...RELEASE.claims, environment: 'production' } }, JOB)
    expect(await reads(token)).toBe(401)
    rules = read(RELEASE, JOB)
  })

  test('ends no other job of its rule', async () => {
    const first = await accessToken()
    for (let jobs = 0; jobs < 60; jobs++) await accessToken()
    const reading = withToken(first)
    expect((await portal.request('/api/v1/catalog/entities', reading)).status).toBe(200)
  })

  test('ends after its time', async () => {
    const token = await accessToken()
    portal.clock.advance(15 * 60_000)
    expect(
      await outcomeOf(await portal.request('/api/v1/catalog/entities', withToken(token))),
    ).toBe('401 token_invalid')
  })
})

describe('a token is refused', () => {
  const GRANT = '400 invalid_grant'
  const seconds = () => Math.floor(portal.clock.now() / 1000)

  test.each<[string, () => Promise<string> | string]>([
    ['of a fork', () => tokenOf({ repository_id: '75' })],
    ['of another branch', () => tokenOf({ ref: 'refs/heads/other' })],
    ['of a tag named like the branch', () => tokenOf({ ref: 'refs/tags/main' })],
    ['of a branch that is not protected', () => tokenOf({ ref_protected: 'false' })],
    ['of a pull request', () => tokenOf({ ref: 'refs/pull/5/merge' })],
    ['without a claim', () => tokenOf({ repository_id: undefined })],
    ['with a claim that is a list', () => tokenOf({ repository_id: ['74'] })],
    ['for another service', () => tokenOf({ aud: 'https://other.example.org' })],
    ['for another service too', () => tokenOf({ aud: [ORIGIN, 'https://other.example.org'] })],
    ['of another issuer', () => tokenOf({ iss: 'https://ci.example.org' })],
    ['of the keys of another issuer', () => tokenOf({ iss: ci.issuer }, cluster)],
    ['that has ended', () => tokenOf({ exp: seconds() - 1 })],
    ['of the future', () => tokenOf({ iat: seconds() + 120 })],
    ['without an end', () => tokenOf({ exp: undefined })],
    [
      'that nobody signed',
      () =>
        new UnsecuredJWT({ ...CLAIMS, aud: ORIGIN, iss: ci.issuer })
          .setExpirationTime('5m')
          .encode(),
    ],
    ['that is none', () => 'junk'],
    ['that is as long as a form may be', () => `${'x'.repeat(7_800)}.x.x`],
    [
      'that names a key by an address',
      async () =>
        new SignJWT({
          ...CLAIMS,
          aud: ORIGIN,
          iss: ci.issuer,
          iat: seconds(),
          exp: seconds() + 300,
        })
          .setProtectedHeader({ alg: 'ES256', kid: '../k1', jku: 'https://evil.example/keys' })
          .sign((await generateKeyPair('ES256')).privateKey),
    ],
    [
      'signed with the public key as a secret',
      async () =>
        new SignJWT({
          ...CLAIMS,
          aud: ORIGIN,
          iss: ci.issuer,
          iat: seconds(),
          exp: seconds() + 300,
        })
          .setProtectedHeader({ alg: 'HS256', kid: 'k1' })
          .sign(new TextEncoder().encode(JSON.stringify(await ci.publicKey()).padEnd(64))),
    ],
  ])('%s', async (_, token) => {
    expect(await outcomeOf(await ask(await token()))).toBe(GRANT)
  })

  test('the second time, by whoever sends it, with an id and without', async () => {
    for (const over of [{}, { jti: undefined }]) {
      const token = await tokenOf(over)
      const both = await Promise.all([ask(token), ask(token)])
      expect((await Promise.all(both.map(outcomeOf))).toSorted()).toStrictEqual([
        '200 token',
        GRANT,
      ])
      // The last character of a signature of 64 bytes has four bits that nothing reads.
      const other = String.fromCharCode((token.at(-1) ?? '').charCodeAt(0) + 1)
      expect(await outcomeOf(await ask(token.slice(0, -1) + other))).toBe(GRANT)
    }
  })

  test.each<[string, Readonly<Record<string, string>>, string]>([
    ['of a rule that is not there', { client_id: 'other' }, '400 invalid_client'],
    ['of another rule', { client_id: 'payments-job' }, '400 invalid_grant'],
    ['for a scope that the rule lacks', { scope: 'promotion:confirm' }, '400 invalid_scope'],
    ['for a scope that there is not', { scope: 'everything' }, '400 invalid_scope'],
    ['for no scope', { scope: ' ' }, '400 invalid_scope'],
    ['for another resource', { resource: 'https://other.example.org' }, '400 invalid_target'],
  ])('%s, and it is not used up', async (_, over, outcome) => {
    const token = await tokenOf()
    expect(await outcomeOf(await ask(token, over))).toBe(outcome)
    expect(await outcomeOf(await ask(token))).toBe('200 token')
  })

  test('that is longer than a form may be, before it is read', async () => {
    expect((await ask('x'.repeat(10_000))).status).toBe(413)
  })

  test('of an issuer that its rule spells in another way', async () => {
    rules = read({ ...RELEASE, issuer: `${ci.issuer}/` })
    expect(await outcomeOf(await ask(await tokenOf()))).toBe(GRANT)
    rules = read(RELEASE, JOB)
  })

  test('by an issuer that is away: the job may try again', async () => {
    const away = await openFakeIssuer()
    rules = read({ ...RELEASE, issuer: away.issuer })
    away.answers[DISCOVERY] = () => new Response('', { status: 503 })
    const token = await tokenOf({}, away)
    expect((await ask(token)).status).toBeGreaterThanOrEqual(500)
    await away[Symbol.asyncDispose]()
    rules = read(RELEASE, JOB)
  })

  test('after many from one address, and they are rows of the audit trail', async () => {
    const from = '192.0.2.77'
    const outcomes: string[] = []
    while (outcomes.length < 100 && outcomes.at(-1) !== '429 rate_limited') {
      const body = form({
        grant_type: JWT_BEARER,
        client_id: 'payments-release',
        assertion: 'junk',
      })
      outcomes.push(await outcomeOf(await portal.request('/oauth/token', { ...body, from })))
    }
    expect(new Set(outcomes)).toStrictEqual(new Set(['400 invalid_grant', '429 rate_limited']))
    // Whoever has a good token is let in all the same.
    const good = form({
      grant_type: JWT_BEARER,
      client_id: 'payments-release',
      assertion: await tokenOf(),
    })
    expect((await portal.request('/oauth/token', { ...good, from })).status).toBe(200)
    expect((await auditRows(portal, 'action=grant.token')) as object[]).toContainEqual(
      expect.objectContaining({ result: 'denied', code: 'invalid_grant', address: from }),
    )
  })

  test('of a client whose name is longer than any, and the audit trail leaves it out', async () => {
    const name = 'long'.repeat(500)
    expect(await outcomeOf(await ask('junk', { client_id: name }))).toBe('400 invalid_client')
    const rows = await auditRows(portal, 'action=grant.token')
    expect(JSON.stringify(rows)).not.toContain('longlong')
  })
})
