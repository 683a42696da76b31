import { beforeAll, describe, expect, test } from 'bun:test'
import { cp, readdir, readFile, stat } from 'node:fs/promises'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { readConfig } from '#src/config/config.ts'
import { checkDatabase } from '#src/lib/adapters/database/check/index.ts'
import { defaultLimits } from '#src/lib/domain/catalog/admission.ts'
import { systemClock } from '#src/lib/ports/clock.ts'
import { readYaml } from '#src/lib/yaml/read.ts'
import { createOpenBaoProcess, openbaoProgram } from '#tests/peers/openbao-process.ts'
import { postgresBinaries, startPostgres } from '#tests/peers/postgres.ts'
import { settingNames, settingsIn } from '#tests/support/docs-page.ts'
import { freePort } from '#tests/support/free-port.ts'
import { version } from '../../package.json'
import { folderOfTests } from '#tests/support/folder-of-tests.ts'

interface Service {
  readonly image: string
  readonly environment: Readonly<Record<string, string>>
  readonly secrets: readonly string[]
  readonly ports?: readonly string[]
  readonly volumes?: readonly string[]
  readonly read_only?: boolean
  readonly cap_drop: readonly string[]
  readonly security_opt: readonly string[]
  readonly mem_limit: string
}

const reading = readYaml(await Bun.file('deploy/compose.yaml').text())
if (!reading.ok) throw new Error(reading.error.message)
const [document] = reading.value.documents
if (document === undefined) throw new Error('deploy/compose.yaml is empty')
const { services, secrets } = document.value as {
  readonly services: Readonly<Record<'portico' | 'postgres' | 'openbao', Service>>
  readonly secrets: Readonly<Record<string, { readonly file: string }>>
}

/** A copy of the folder, prepared as the page says. */
const folder = folderOfTests()
const secretFile = (name: string) => join(folder, 'compose/secrets', name)
const run = () => Bun.spawnSync(['sh', join(folder, 'compose/prepare.sh')])

beforeAll(async () => {
  await cp('deploy/compose', join(folder, 'compose'), {
    recursive: true,
    filter: (path) => !/\/(?:authorities|secrets|portico\.env)$/.test(path),
  })
  const prepared = run()
  if (!prepared.success) throw new Error(prepared.stderr.toString())
})

test.each(Object.entries(services))('%s has a version, few rights and a limit', (_, service) => {
  expect(service.image).toMatch(/:\d+\.\d+/)
  expect(service.cap_drop).toStrictEqual(['ALL'])
  expect(service.security_opt).toStrictEqual(['no-new-privileges:true'])
  expect(service.mem_limit).not.toBe('')
})

test('Portico is that of this checkout, with a read-only root', () => {
  expect(services.portico).toMatchObject({ image: `portico:${version}`, read_only: true })
})

test('Portico has three times the memory that its catalog may have', () => {
  const [, megabytes] = /^(\d+)m$/.exec(services.portico.mem_limit) ?? []
  expect(Number(megabytes)).toBeGreaterThanOrEqual((3 * defaultLimits.memoryMaxBytes) / 1e6)
})

test('every secret is made, used and out of the reach of others', async () => {
  const used = new Set(Object.values(services).flatMap((service) => service.secrets))
  expect([...used].toSorted()).toStrictEqual(Object.keys(secrets).toSorted())
  const made = await readdir(join(folder, 'compose/secrets'))
  expect(made.toSorted()).toStrictEqual(Object.keys(secrets).toSorted())
  for (const [name, { file }] of Object.entries(secrets)) {
    expect(file).toBe(`compose/secrets/${name}`)
  }
  expect((await stat(join(folder, 'compose/secrets'))).mode & 0o777).toBe(0o700)
})

test('what people fill in is theirs to write, and every container may read it', async () => {
  for (const name of ['oidc-client-secret', 'git-token']) {
    expect([name, (await stat(secretFile(name))).mode & 0o777]).toStrictEqual([name, 0o644])
  }
})

test('preparing again changes nothing', async () => {
  const before = await readFile(secretFile('session-keys'), 'utf8')
  expect(run().success).toBe(true)
  expect(await readFile(secretFile('session-keys'), 'utf8')).toBe(before)
})

/** The environment of Portico's container. */
async function environment(): Promise<Readonly<Record<string, string>>> {
  const own = (await readFile(join(folder, 'compose/portico.env'), 'utf8')).replaceAll(
    /^#.*\n|^\n/gm,
    '',
  )
  return { ...settingsIn(own), ...services.portico.environment }
}

test('its settings are complete, with the files that are mounted', async () => {
  const variables = await environment()
  expect(Object.keys(variables).filter((name) => !settingNames.has(name))).toStrictEqual([])
  const config = readConfig(variables, (path) =>
    readFileSync(secretFile(path.replace('/run/secrets/', '')), 'utf8'),
  )
  expect(config).toMatchObject({ ok: true, value: { misspelt: [], canSignIn: true } })
  for (const path of Object.values(variables).filter((value) => value.startsWith('/run/'))) {
    expect(services.portico.secrets).toContain(path.replace('/run/secrets/', ''))
  }
})

test('a certificate authority of your own, and Gitea, are settings to uncomment', async () => {
  const own = await readFile(join(folder, 'compose/portico.env'), 'utf8')
  const shown = settingsIn(own.replaceAll(/^# (?=[A-Z_]+=)/gm, '').replaceAll(/^#.*\n|^\n/gm, ''))
  expect(Object.keys(shown).filter((name) => !settingNames.has(name))).toStrictEqual([])
  const { GITHUB_TOKEN_FILE: _, GITHUB_CA_FILE: __, ...gitea } = shown
  expect(gitea['GIT_HOST']).toBe('gitea')
  const variables = { ...gitea, ...services.portico.environment }
  expect(
    readConfig(variables, (path) =>
      readFileSync(secretFile(path.replace('/run/secrets/', '')), 'utf8'),
    ),
  ).toMatchObject({ ok: true, value: { misspelt: [] } })
  const mount = './compose/authorities:/etc/portico/authorities:ro'
  expect(services.portico.volumes).toContain(mount)
  for (const [name, value] of Object.entries(shown)) {
    if (name.endsWith('_CA_FILE')) expect(value).toStartWith('/etc/portico/authorities/')
  }
  expect((await stat(join(folder, 'compose/authorities'))).mode & 0o777).toBe(0o755)
})

test('requests and metrics are for this machine alone', () => {
  const { METRICS_PORT = '' } = services.portico.environment
  expect(services.portico.ports).toStrictEqual([
    '127.0.0.1:8080:8080',
    `127.0.0.1:${METRICS_PORT}:${METRICS_PORT}`,
  ])
})

const canServe = postgresBinaries !== undefined && openbaoProgram !== null
describe.skipIf(!canServe)('its PostgreSQL and OpenBao', () => {
  test('take Portico as they are configured', async () => {
    const ports = [freePort(), freePort()]
    const local = (text: string) =>
      text
        .replaceAll('/run/secrets', join(folder, 'compose/secrets'))
        .replaceAll('/openbao/policy', join(process.cwd(), 'deploy/vault'))
        .replaceAll('/openbao/file', join(folder, 'openbao'))
        .replaceAll('0.0.0.0:8200', `127.0.0.1:${ports[0]}`)
        .replaceAll('openbao:8200', `localhost:${ports[0]}`)
        .replaceAll('openbao:8201', `127.0.0.1:${ports[1]}`)
    await using openbao = await createOpenBaoProcess(['server', '-config=server.hcl'])
    await Bun.write(join(folder, 'openbao/.keep'), '')
    await openbao.file('server.hcl', local(await Bun.file('deploy/compose/openbao.hcl').text()))
    openbao.start()
    // While OpenBao elects itself.
    await using postgres = await startPostgres(postgresBinaries ?? '')
    const ask = async (path: string, body?: object) => {
      const response = await fetch(`https://localhost:${ports[0]}/v1/${path}`, {
        ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
        tls: { ca: readFileSync(secretFile('openbao-ca.pem'), 'utf8') },
      })
      return { ok: response.ok, json: (await response.json()) as { auth?: { policies: string[] } } }
    }
    await openbao.until(async () => (await ask('sys/health')).ok)

    const url = readFileSync(secretFile('database-url'), 'utf8')
    const { port } = new URL(postgres.url)
    const database = await checkDatabase({
      // The server of the tests has another socket and another database.
      url: `${url.replace('/run/postgresql', postgres.socketFolder).replace('/portico?', '/postgres?')}&port=${port}`,
      listenUrl: null,
      authority: null,
    })
    const variables = Object.entries(await environment()).map(([name, value]) => [
      name,
      local(value),
    ])
    const config = readConfig(Object.fromEntries(variables) as Record<string, string>, (path) =>
      readFileSync(path, 'utf8'),
    )
    if (!config.ok) throw new Error(JSON.stringify(config.error))
    const log = { info() {}, warn() {}, error() {} }
    const store = await config.value.openSecretStore({
      secretVersions: () => {
        throw new Error('Vault needs no database')
      },
      environments: config.value.ENVIRONMENTS.stages.map(({ environment: name }) => name),
      clock: systemClock,
      log,
    })
    if (!store.ok) throw new Error(store.error)
    const findings = [...database, ...(await store.value.check())]
    await store.value.close()
    expect(findings.length).toBeGreaterThan(4)
    expect(findings.filter(({ ok }) => !ok)).toStrictEqual([])
    expect(findings.map(({ text }) => text)).toContain(
      'The connection is not encrypted; it does not leave this machine.',
    )

    const password = readFileSync(secretFile('openbao-admin-password'), 'utf8')
    expect(await ask('auth/userpass/login/operator', { password })).toMatchObject({
      ok: true,
      json: { auth: { policies: ['default', 'operator'] } },
    })
  })
})
