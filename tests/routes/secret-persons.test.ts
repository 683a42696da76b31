import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { createOidcIdentityProvider } from '#src/lib/adapters/identity/oidc/index.ts'
import { vault } from '#src/lib/adapters/secret-store/vault/kind.ts'
import { EnvironmentName, RepositoryPart } from '#src/lib/names.ts'
import { systemClock } from '#src/lib/ports/clock.ts'
import type { SecretStore } from '#src/lib/ports/secret-store.ts'
import { silentLog } from '#tests/adapters/hosts/github/silent-log.ts'
import { ada, CLIENT, type OidcPeer, startOidcPeer } from '#tests/peers/oidc-provider.ts'
import { grantGroup } from '#tests/peers/openbao-logins.ts'
import { type OpenBao, openbaoProgram, startOpenBao } from '#tests/peers/openbao.ts'
import { applicationFiles } from '#tests/support/application.ts'
import { allEvents, storyOf } from '#tests/support/event-stream.ts'
import { oidcSettings } from '#tests/support/oidc-settings.ts'
import { GITOPS, openPortal, ORIGIN } from '#tests/support/portal.ts'
import { SHOP } from '#tests/support/promotion.ts'
import { valueOf } from '#tests/support/value-of.ts'
import { outcomeOf } from '#tests/support/outcome.ts'
import { folderOfTests } from '#tests/support/folder-of-tests.ts'

const CANARY = 'canary-5f1d'
const CART = SHOP.replace('shop', 'cart')

/** Portico, OpenBao and an identity provider: `VAULT_AUTH=user` as in production. */
describe.skipIf(openbaoProgram === null)('persons at OpenBao', () => {
  let bao: OpenBao
  let provider: OidcPeer
  beforeAll(async () => {
    bao = await startOpenBao()
    // To Portico Ada is of the platform team, which promotes for every team. To the store she is of payments.
    const people = [{ ...ada, groups: ['platform-team', 'payments'] }]
    provider = await startOidcPeer({ people, publicUrl: ORIGIN })
    const options = { file_path: join(folder, 'audit.log') }
    await bao.must('POST', 'sys/audit/file', { type: 'file', options })
    for (const [name, file] of [
      ['payments', 'team.hcl'],
      ['portico-runs', 'portico-runs.hcl'],
    ] as const) {
      await bao.policy(name, await Bun.file(`deploy/vault/${file}`).text())
    }
    await bao.must('POST', 'sys/auth/jwt', { type: 'jwt' })
    await bao.must('POST', 'auth/jwt/config', { oidc_discovery_url: provider.issuer })
    await bao.must('POST', 'auth/jwt/role/people', {
      role_type: 'jwt',
      bound_audiences: [CLIENT.id],
      user_claim: 'sub',
      groups_claim: 'groups',
    })
    await grantGroup(bao, { mount: 'jwt', group: 'payments', policy: 'payments' })
  })
  afterAll(async () => {
    await provider[Symbol.asyncDispose]()
    await bao[Symbol.asyncDispose]()
  })
  // Hooks run in the order of their registration: the folder goes last.
  const folder = folderOfTests()

  async function openStore(): Promise<SecretStore> {
    const settings = valueOf(
      vault.read({
        environment: {
          VAULT_ADDR: bao.url,
          VAULT_AUTH: 'user',
          VAULT_USER_ROLE: 'people',
          VAULT_SERVICE_AUTH: 'token',
          VAULT_TOKEN: await bao.token({ policies: ['portico-runs'], ttl: '1h' }),
        },
        readFile: () => '',
      }),
    )
    return valueOf(
      await settings({
        secretVersions: () => {
          throw new Error('Vault needs no database')
        },
        environments: [EnvironmentName.of('dev')],
        clock: systemClock,
        log: silentLog,
      }),
    )
  }

  /** A portal in which Ada has just signed in. */
  async function open() {
    const store = await openStore()
    const identity = createOidcIdentityProvider(
      oidcSettings(provider.issuer, { publicUrl: new URL(ORIGIN) }),
    )
    const portal = await openPortal({
      files: { ...applicationFiles(), ...applicationFiles({ team: 'shipping', app: 'cart' }) },
      openIdentity: () => identity,
      openSecretStore: () => store,
    })
    const started = valueOf(await identity.authorizationRequest())
    const { searchParams } = await provider.authorize(started.url)
    const signedIn = valueOf(await identity.signIn(searchParams, started.transaction))
    const browser = { address: null, userAgent: null }
    const opened = valueOf(await portal.portal.sessions.open({ ...signedIn, ...browser }))
    const post = (path: string, body: object) =>
      portal.request(path, { headers: { cookie: `portal_session=${opened.token}` }, json: body })
    return Object.assign(portal, { post })
  }

  const toDevelopment = {
    targetLifecycle: 'development',
    overlayConfig: { secrets: { KEY: CANARY } },
  }

  /** Who asked for a path, by the audit device, with the operations. */
  async function auditedAt(path: string): Promise<ReadonlySet<string>> {
    const lines = (await Bun.file(join(folder, 'audit.log')).text()).trim().split('\n')
    const entries = lines.map((line) => JSON.parse(line) as AuditedRequest)
    return new Set(
      entries
        .filter(({ type, request }) => type === 'response' && request.path.endsWith(path))
        .map(({ auth, request }) => `${request.operation} by ${auth?.display_name}`),
    )
  }

  test('write the secrets of their team, in their own name', async () => {
    await using portal = await open()
    const promoted = await portal.post(SHOP, toDevelopment)
    expect(promoted.status).toBe(201)
    const { json } = await bao.request('GET', 'secret/data/payments/shop/dev/env')
    expect(json).toMatchObject({ data: { data: { KEY: CANARY } } })
    expect(await auditedAt('secret/data/payments/shop/dev/env')).toContain('create by jwt-ada')
    expect(await promoted.text()).not.toContain(CANARY)
    expect(portal.logged.join('\n')).not.toContain(CANARY)
  })

  test('are refused the secrets of another team by the store, whatever their role in Portico', async () => {
    await using portal = await open()
    const { overlayConfig: _, ...plain } = toDevelopment
    const refused = await portal.post(CART, toDevelopment)
    expect(await outcomeOf(refused)).toBe('403 secret_store_forbidden')
    const entry = 'shipping/cart/dev/env'
    expect((await bao.request('GET', `secret/metadata/${entry}`)).status).toBe(404)
    expect(await portal.git.findPullRequests(GITOPS, {})).toMatchObject({ value: [] })
    expect(await auditedAt(`secret/subkeys/${entry}`)).toStrictEqual(new Set(['read by jwt-ada']))
    expect(portal.logged.join('\n')).toContain(`read on secret/subkeys/${entry}`)
    // Without secrets only the roles of Portico count.
    expect((await portal.post(CART, plain)).status).toBe(201)
  })

  test('begin projects of their team only, and the entry is made in their name', async () => {
    await using portal = await open()
    const wanted = { templateId: 'service', namespace: 'apps-dev' }
    const refused = await portal.post('/api/v1/scaffold', {
      ...wanted,
      appName: 'track-api',
      team: 'shipping',
    })
    expect(await outcomeOf(refused)).toBe('403 secret_store_forbidden')
    expect(
      await portal.git.head({ ...GITOPS, name: RepositoryPart.of('track-api') }),
    ).toMatchObject({ error: { kind: 'git_not_found' } })
    const run = await portal.post('/api/v1/scaffold', {
      ...wanted,
      appName: 'refund-api',
      team: 'payments',
    })
    expect(storyOf(await allEvents(run)).at(-1)).toBe('done')
    const entry = 'payments/refund-api/dev/env'
    expect(await auditedAt(`secret/data/${entry}`)).toStrictEqual(new Set(['create by jwt-ada']))
    expect(await auditedAt(`secret/metadata/${entry}`)).toStrictEqual(new Set(['patch by jwt-ada']))
    expect((await bao.request('GET', `secret/metadata/${entry}`)).json).toMatchObject({
      data: {
        custom_metadata: { 'managed-by': 'portico', run: run.headers.get('x-run-id') },
      },
    })
  })
})

interface AuditedRequest {
  readonly type: string
  readonly auth?: { readonly display_name?: string }
  readonly request: { readonly path: string; readonly operation: string }
}
