import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { exportJWK, generateKeyPair, SignJWT } from 'jose'
import { cp, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { readConfig } from '#src/config/config.ts'
import { secretStores } from '#src/lib/adapters/secret-store/index.ts'
import { EnvironmentName } from '#src/lib/names.ts'
import { systemClock } from '#src/lib/ports/clock.ts'
import { type SecretStore, SERVICE } from '#src/lib/ports/secret-store.ts'
import { type OpenBao, openbaoProgram, startOpenBao } from '#tests/peers/openbao.ts'
import { makeAuthority } from '#tests/support/certificates.ts'
import { keyOf, readPage, settingNames, settingsIn } from '#tests/support/docs-page.ts'
import { pathOf, SHOP } from '#tests/support/secret-entries.ts'
import { outputOf } from '#tests/support/run-program.ts'

const page = await readPage('secret-stores.md', 'vault.md')
const OTHERS = {
  PUBLIC_URL: 'https://portal.example.org',
  SESSION_KEYS: keyOf(1),
  GITOPS_REPOSITORY: 'acme/gitops',
}
const LOGINS = [
  'Login by AppRole',
  'Login by Kubernetes',
  'Login by JWT',
  'Login by token',
  'Persons with their own rights',
]
const settingsOf = (title: string) =>
  settingsIn(/```env\n([\s\S]*?)```/.exec(page.sectionOf(title))?.[1] ?? '')
/** The commands of a section; the last of them may be about the same role as earlier ones. */
function commandsOf(title: string): readonly string[] {
  const blocks = page.sectionOf(title).matchAll(/```sh\n([\s\S]*?)```/g)
  const commands = [...blocks].map(([, block = '']) => block)
  if (commands.length === 0) throw new Error(`the page has no commands for: ${title}`)
  return commands
}

describe('the page about secret stores', () => {
  test.each(['Sealed rows', ...LOGINS])('has settings that the service takes: %s', (title) => {
    const config = readConfig({ ...OTHERS, ...settingsOf(title) }, () => keyOf(2))
    expect(config).toMatchObject({ ok: true })
  })

  test('names settings that exist, and every one of the stores', () => {
    const named = new Set(page.all(/\b((?:VAULT|SECRET_STORE)_[A-Z_]+)\b/g))
    expect([...named].filter((name) => !settingNames.has(name))).toStrictEqual([])
    const missing = [...settingNames].filter(
      (name) =>
        /^(VAULT|SECRET_STORE)_/.test(name) && !named.has(name) && !named.has(`${name}_FILE`),
    )
    expect(missing).toStrictEqual([])
  })
})

describe.skipIf(openbaoProgram === null)('the commands of the page', () => {
  let openbao: OpenBao
  let issuer: Awaited<ReturnType<typeof startIssuer>>
  let cluster: Awaited<ReturnType<typeof startCluster>>
  let folder: string
  beforeAll(async () => {
    openbao = await startOpenBao()
    issuer = await startIssuer()
    folder = await mkdtemp(join(tmpdir(), 'portico-vault-docs-'))
    cluster = await startCluster()
    await cp('deploy/vault', folder, { recursive: true })
    await writeFile(join(folder, 'cluster-ca.pem'), cluster.authority)
    // Development mode has mounted it already.
    await openbao.must('DELETE', 'sys/mounts/secret')
  })
  afterAll(async () => {
    issuer.stop()
    cluster.stop()
    await openbao[Symbol.asyncDispose]()
    await rm(folder, { recursive: true, force: true })
  })

  /** Runs commands of the page as they are, but for the addresses. */
  async function run(script: string): Promise<string> {
    const local = script
      .replaceAll(/https:\/\/(?:issuer|id)\.example\.org[/\w]*/g, issuer.url)
      .replaceAll('https://kubernetes.example.org:6443', cluster.url)
    return outputOf(['bash', '-euo', 'pipefail', '-c', local], {
      cwd: folder,
      env: {
        PATH: `${dirname(openbaoProgram ?? '')}:/usr/bin:/bin`,
        HOME: folder,
        BAO_ADDR: openbao.url,
        BAO_TOKEN: openbao.rootToken,
      },
    })
  }

  /** The store by the settings of a section, with local files and addresses. */
  async function open(title: string, changes: Readonly<Record<string, string>>) {
    const given = settingsOf(title)
    const environment = { ...given, VAULT_ADDR: openbao.url, ...changes }
    const read = secretStores.vault.read({ environment, readFile: () => '' })
    if (!read.ok) throw new Error(JSON.stringify(read.error))
    const opened = await read.value({
      secretVersions: () => {
        throw new Error('Vault needs no database')
      },
      environments: ['dev', 'staging', 'production'].map((name) => EnvironmentName.of(name)),
      clock: systemClock,
      log: { info() {}, warn() {}, error() {} },
    })
    if (!opened.ok) throw new Error(opened.error)
    return opened.value
  }

  const failed = async (store: SecretStore) =>
    (await store.check()).filter(({ ok, text }) => !ok || text.startsWith('Warning'))

  test('make the mount and the policy', async () => {
    for (const block of commandsOf('Mount and policy')) await run(block)
  })

  const roleId = async () =>
    (await run('bao read -field=role_id auth/approle/role/portico/role-id')).trim()
  const fileOf = (name: string) => join(folder, name)

  test('make a login by AppRole', async () => {
    for (const block of commandsOf('Login by AppRole')) await run(block)
    const store = await open('Login by AppRole', {
      VAULT_ROLE_ID: await roleId(),
      VAULT_SECRET_ID_FILE: fileOf('vault-secret-id'),
    })
    expect(await failed(store)).toStrictEqual([])
    await store.close()
  })

  test('make a login by Kubernetes', async () => {
    for (const block of commandsOf('Login by Kubernetes')) await run(block)
    await writeFile(fileOf('pod-token'), await issuer.token(claimsOf('portico')))
    const store = await open('Login by Kubernetes', { VAULT_JWT_FILE: fileOf('pod-token') })
    expect(await failed(store)).toStrictEqual([])
    await store.close()
  })

  test('make a login by JWT', async () => {
    for (const block of commandsOf('Login by JWT')) await run(block)
    await writeFile(fileOf('jwt'), await issuer.token({ sub: POD, aud: 'vault' }))
    const store = await open('Login by JWT', { VAULT_JWT_FILE: fileOf('jwt') })
    expect(await failed(store)).toStrictEqual([])
    await store.close()
    await writeFile(fileOf('jwt'), await issuer.token({ sub: 'another', aud: 'vault' }))
    const another = await open('Login by JWT', { VAULT_JWT_FILE: fileOf('jwt') })
    expect(await failed(another)).toHaveLength(1)
    await another.close()
  })

  test('make a token', async () => {
    for (const block of commandsOf('Login by token')) await run(block)
    const store = await open('Login by token', { VAULT_TOKEN_FILE: fileOf('vault-token') })
    expect(await failed(store)).toStrictEqual([])
    await store.close()
  })

  test('give persons their own rights, and Portico fewer', async () => {
    for (const block of commandsOf('Persons with their own rights')) await run(block)
    const store = await open('Persons with their own rights', {
      VAULT_ROLE_ID: await roleId(),
      VAULT_SECRET_ID_FILE: fileOf('vault-secret-id'),
    })
    expect(await failed(store)).toStrictEqual([])
    const person = async (claims: Readonly<Record<string, unknown>>) =>
      ({ kind: 'person', idToken: await issuer.token({ sub: 'ada', ...claims }) }) as const
    const ada = await person({ aud: 'portico', groups: ['/payments'] })
    expect(await store.mayCreate(SHOP, ada)).toMatchObject({ ok: true })
    expect(await store.merge(SHOP, 0, { KEY: 'value' }, ada)).toMatchObject({ ok: true })

    const kindOf = async (outcome: ReturnType<SecretStore['mayCreate']>) => {
      const { ok, error } = (await outcome) as { ok: boolean; error?: { kind: string } }
      return ok ? 'ok' : error?.kind
    }
    const other = pathOf('platform', 'docs')
    expect(await kindOf(store.mayCreate(other, ada))).toBe('secret_store_forbidden')
    const outsider = await person({ aud: 'portico', groups: ['/platform'] })
    expect(await kindOf(store.mayCreate(SHOP, outsider))).toBe('secret_store_forbidden')
    const elsewhere = await person({ aud: 'another-application', groups: ['/payments'] })
    expect(await kindOf(store.mayCreate(SHOP, elsewhere))).toBe('secret_store_unauthorized')

    expect(await kindOf(store.merge(other, 0, {}, SERVICE))).toBe('ok')
    expect(await kindOf(store.merge(SHOP, 1, { KEY: 'value' }, SERVICE))).toBe(
      'secret_store_denied',
    )
    await store.close()
  })

  test('make a login of the operator that reads the entry', async () => {
    for (const block of commandsOf('External Secrets Operator')) await run(block)
    const { client_token } = await loginOf(openbao, 'kubernetes', {
      role: 'external-secrets',
      jwt: await issuer.token(claimsOf('external-secrets')),
    })
    const path = `secret/data/${SHOP}`
    const read = await openbao.request('GET', path, undefined, { token: client_token })
    expect(read).toMatchObject({ status: 200, json: { data: { data: { KEY: 'value' } } } })
  })
})

const POD = 'system:serviceaccount:portico:portico'

/** The claims of a projected token, for an account of the same name as its namespace. */
const claimsOf = (name: string) => ({
  sub: `system:serviceaccount:${name}:${name}`,
  aud: ['vault'],
  'kubernetes.io': { namespace: name, serviceaccount: { name, uid: UID } },
})
const UID = '0f2a35a4-7d0e-4d5e-9c57-2f0f7c8b8a11'

async function loginOf(openbao: OpenBao, mount: string, body: unknown) {
  const json = await openbao.must('POST', `auth/${mount}/login`, body)
  return (json as { auth: { client_token: string } }).auth
}

/** An issuer of tokens, with a discovery document. */
async function startIssuer() {
  const { privateKey, publicKey } = await generateKeyPair('ES256')
  const jwk = { ...(await exportJWK(publicKey)), kid: 'one', alg: 'ES256', use: 'sig' }
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request) {
      const { origin, pathname } = new URL(request.url)
      return pathname === '/jwks'
        ? Response.json({ keys: [jwk] })
        : Response.json({ issuer: origin, jwks_uri: `${origin}/jwks` })
    },
  })
  const url = server.url.origin
  return {
    url,
    token: (claims: Readonly<Record<string, unknown>>) =>
      new SignJWT(claims)
        .setProtectedHeader({ alg: 'ES256', kid: 'one' })
        .setIssuer(url)
        .setIssuedAt()
        .setExpirationTime('5 minutes')
        .sign(privateKey),
    stop: () => void server.stop(true),
  }
}

/** The one question that the login by Kubernetes asks an API server: whose token this is. */
async function startCluster() {
  const authority = await makeAuthority()
  const { cert, key } = await authority.issue(['127.0.0.1'])
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    tls: { cert, key },
    async fetch(request) {
      const { spec } = (await request.json()) as { spec: { token: string; audiences?: string[] } }
      const { sub = '' } = JSON.parse(atob(spec.token.split('.')[1] ?? '')) as { sub?: string }
      const user = { username: sub, uid: UID, groups: ['system:serviceaccounts'] }
      const status = { authenticated: true, user, audiences: spec.audiences ?? [] }
      return Response.json({
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenReview',
        status,
      })
    },
  })
  return {
    url: server.url.origin,
    authority: authority.pem,
    stop: () => void server.stop(true),
  }
}
