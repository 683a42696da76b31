import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { once } from 'node:events'
import { chmod, rename, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { constants } from 'node:os'
import { join } from 'node:path'
import { sealVersion } from '#src/lib/adapters/secret-store/file/sealed-version.ts'
import { VERSION } from '#src/version.ts'
import {
  type PorticoProcess,
  PROGRAM,
  runPortico,
  SOURCE,
  spawnPortico,
  startPortico,
} from '#tests/support/portico-process.ts'
import { keyringOf } from '#tests/support/fixed-keyring.ts'
import { freePort } from '#tests/support/free-port.ts'
import { openInstallation, settingsAt } from '#tests/support/installation.ts'
import { rawRequest, sendRaw } from '#tests/support/raw-http.ts'
import { SHOP } from '#tests/support/secret-entries.ts'
import { secretVersionsIn } from '#tests/support/secret-versions.ts'

/** Settings of people behind TLS, with a provider. */
const SIGN_IN = {
  PUBLIC_URL: 'https://portal.test',
  OIDC_ISSUER: 'https://id.example.org',
  OIDC_CLIENT_ID: 'portico',
}

const portOf = (url: string): number => Number(new URL(url).port)

/** What was sent before is with the process: it takes what has come in rounds, and the second answer is of a later one. */
async function untilHeard(url: string): Promise<void> {
  for (let round = 0; round < 2; round++) await fetch(`${url}/healthz`)
}

/** Waits until the process has a handler for the signal, by the mask of proc(5). */
async function untilCaught(pid: number, signal: NodeJS.Signals): Promise<void> {
  const bit = BigInt(constants.signals[signal] - 1)
  for (;;) {
    const status = await Bun.file(`/proc/${pid}/status`).text()
    const [, mask = '0'] = /^SigCgt:\s*([0-9a-f]+)$/m.exec(status) ?? []
    if (((BigInt(`0x${mask}`) >> bit) & 1n) === 1n) return
  }
}

async function untilReady(url: string): Promise<void> {
  while ((await fetch(`${url}/readyz`)).status !== 200) await Bun.sleep(10)
}

/** A service for tests that only ask. */
let asked: PorticoProcess
let installed: Awaited<ReturnType<typeof openInstallation>>
beforeAll(async () => {
  installed = await openInstallation()
  asked = await startPortico(['serve'], installed.variables)
})
afterAll(async () => {
  await asked[Symbol.asyncDispose]()
  await installed[Symbol.asyncDispose]()
})

describe('serve', () => {
  test('gets ready, answers, and has no demo in it', async () => {
    await untilReady(asked.url)
    const host = { host: 'portal.test' }
    const statuses = await Promise.all(
      [
        '/healthz',
        '/readyz',
        '/docs',
        '/api/v1/catalog/entities',
        '/dev/sign-in',
        '/',
        '/git/acme/gitops/pulls',
      ].map(async (target) => [
        target,
        (await sendRaw(portOf(asked.url), rawRequest('GET', target, host))).status,
      ]),
    )
    expect(Object.fromEntries(statuses) as object).toStrictEqual({
      '/healthz': 200,
      '/readyz': 200,
      '/docs': 200,
      '/api/v1/catalog/entities': 401,
      '/dev/sign-in': 404,
      '/': 200,
      '/git/acme/gitops/pulls': 401,
    })
    const signIn = await fetch(`${asked.url}/dev/sign-in`, {
      method: 'POST',
      body: 'user=platform',
      headers: host,
    })
    expect(signIn.status).toBe(404)
  })

  test('logs the address of the client, behind a trusted proxy alone', async () => {
    await using installation = await openInstallation()
    const addresses = async (HOST: string, variables: Readonly<Record<string, string>>) => {
      const installed = { ...installation.variables, ...variables, HOST }
      await using portico = await startPortico(['serve'], installed)
      const request = rawRequest('GET', '/api/v1/openapi.json', {
        host: 'portal.test',
        'x-forwarded-for': '198.51.100.1, 203.0.113.7',
      })
      await sendRaw(portOf(portico.url), request)
      const { stdout } = await portico.end('SIGTERM')
      const lines = stdout.split('\n').filter((line) => line.includes('/api/v1/openapi.json'))
      return lines.map((line) => (JSON.parse(line) as { address: string }).address)
    }
    expect(await addresses('127.0.0.1', {})).toStrictEqual(['127.0.0.1'])
    const TRUSTED_PROXIES = '127.0.0.1'
    expect(await addresses('127.0.0.1', { TRUSTED_PROXIES })).toStrictEqual(['203.0.113.7'])
    // A socket for both families, which shows 127.0.0.1 as ::ffff:127.0.0.1.
    expect(await addresses('::', { TRUSTED_PROXIES })).toStrictEqual(['203.0.113.7'])
  })

  test('while it starts it lives, is not ready, and has the headers of every answer', async () => {
    await using installation = await openInstallation()
    // A database that does not answer keeps the start waiting.
    using silent = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
    const DATABASE_URL = `postgres://portico@127.0.0.1:${silent.port}/portico`
    const PORT = String(freePort())
    const running = spawnPortico(['serve'], {
      ...installation.variables,
      DATABASE_URL,
      PORT,
    })
    const headers = { host: 'portal.test', 'x-request-id': 'while-starting' }
    const answers: { status: number; headers: Headers; body: string }[] = []
    while (answers.every(({ status }) => status !== 503)) {
      const response = await fetch(`http://127.0.0.1:${PORT}/api/v1/catalog/entities`, {
        headers,
      }).catch(() => undefined)
      if (response === undefined) continue
      answers.push({
        status: response.status,
        headers: response.headers,
        body: await response.text(),
      })
      if (answers.length > 50) break
    }
    await running.end('SIGKILL')
    const starting = answers.find(({ status }) => status === 503)
    expect(starting?.headers.get('x-request-id')).toBe('while-starting')
    expect(starting?.headers.get('x-content-type-options')).toBe('nosniff')
    expect(starting?.headers.get('cache-control')).toBe('no-store')
    expect(JSON.parse(starting?.body ?? '')).toMatchObject({
      code: 'not_ready',
      requestId: 'while-starting',
    })
  })

  test("bodies of any announced length get our answer, not the socket's", async () => {
    const huge = { host: 'portal.test', 'content-length': '40000000000' }
    const token = { authorization: 'Bearer webhook-token-of-the-tests' }
    const refresh = '/api/v1/webhooks/catalog/refresh'
    const ask = async (path: string, headers: Record<string, string>) => {
      const { status, head, body } = await sendRaw(
        portOf(asked.url),
        rawRequest('POST', path, { ...huge, ...headers }),
      )
      expect(head.toLowerCase()).toContain('x-request-id: ')
      return [status, (JSON.parse(body) as { code: string }).code] as const
    }
    expect(await ask(refresh, {})).toStrictEqual([401, 'webhook_unauthorized'])
    expect(await ask(refresh, token)).toStrictEqual([413, 'payload_too_large'])
    expect(await ask('/api/v1/catalog/validate', {})).toStrictEqual([401, 'session_required'])
    expect(await ask('/healthz', {})).toStrictEqual([405, 'method_not_allowed'])
  })

  test('a second instance on the same port fails at once', async () => {
    await using other = await openInstallation()
    const port = String(portOf(asked.url))
    const second = await runPortico(['serve'], { ...other.variables, PORT: port })
    expect(second.exitCode).toBe(1)
    expect(second.stderr).toBe(
      `portico: cannot listen on 127.0.0.1:${port}: the port is in use; choose another with PORT\n`,
    )
  })

  test('an address that this machine does not have is said in words', async () => {
    await using installation = await openInstallation()
    const variables = { ...installation.variables, HOST: '192.0.2.1', PORT: '8080' }
    expect(await runPortico(['serve'], variables)).toMatchObject({
      exitCode: 1,
      stderr:
        'portico: cannot listen on 192.0.2.1:8080: this machine does not have the address; choose another with HOST\n',
    })
  })

  test('without git there is no embedded git host, and the operator is told so', async () => {
    await using installation = await openInstallation()
    const PATH = join(installation.variables.DATA_DIR, 'bin')
    await Bun.write(join(PATH, 'git'), '#!/bin/sh\nexit 127\n')
    await chmod(join(PATH, 'git'), 0o755)
    const { exitCode, stderr } = await runPortico(['serve'], { ...installation.variables, PATH })
    expect({ exitCode, stderr }).toStrictEqual({
      exitCode: 78,
      stderr:
        'portico: repositories are read and written with git, and there is no git program that works on PATH, in /usr/local/bin, /usr/bin or /bin\n',
    })
  })

  test('SIGTERM: not ready, requests in flight finish', async () => {
    await using installation = await openInstallation()
    await using portico = await startPortico(['serve'], installation.variables)
    await untilReady(portico.url)
    const port = portOf(portico.url)
    const answered = Promise.withResolvers<string>()
    const socket = connect(port, '127.0.0.1')
    await once(socket, 'connect')
    socket.on('data', (part: Buffer) => answered.resolve(part.toString()))
    socket.on('error', (error) => answered.reject(error))
    // In flight: the head is there, the body is not. The webhook reads it to the end.
    socket.write(
      'POST /api/v1/webhooks/catalog/refresh HTTP/1.1\r\nhost: portal.test\r\nauthorization: Bearer webhook-token-of-the-tests\r\ncontent-length: 4\r\n\r\nab',
    )
    await untilHeard(portico.url)
    const ended = portico.end('SIGTERM')
    let status = 200
    while (status === 200) ({ status } = await fetch(`${portico.url}/readyz`))
    expect(status).toBe(503)
    socket.write('cd')
    expect(await answered.promise).toStartWith('HTTP/1.1 204')
    socket.end()
    expect((await ended).exitCode).toBe(0)
  })

  test('SIGTERM: a request that never ends does not hold the process', async () => {
    await using installation = await openInstallation()
    await using portico = await startPortico(['serve'], installation.variables)
    await untilReady(portico.url)
    const socket = connect(portOf(portico.url), '127.0.0.1')
    await once(socket, 'connect')
    socket.on('error', () => {})
    socket.write(
      'POST /api/v1/webhooks/catalog/refresh HTTP/1.1\r\nhost: portal.test\r\nauthorization: Bearer webhook-token-of-the-tests\r\ncontent-length: 1000\r\n\r\nx',
    )
    await untilHeard(portico.url)
    const { exitCode, stderr } = await portico.end('SIGTERM')
    expect(exitCode).toBe(0)
    expect(stderr).toContain('requests were cut off')
    socket.destroy()
  })

  test('a signal before the commands are loaded ends it as later ones do', async () => {
    await using installation = await openInstallation()
    for (const signal of ['SIGTERM', 'SIGHUP'] as const) {
      const { child, end } = spawnPortico(['serve'], installation.variables)
      await untilCaught(child.pid, signal)
      const { exitCode, stderr } = await end(signal)
      expect([signal, exitCode, stderr]).toStrictEqual([signal, 0, expect.any(String)])
    }
  })

  test('a signal that the parent ignores stays ignored', async () => {
    await using installation = await openInstallation()
    const script = 'trap "" HUP; exec "$@"'
    await using portico = await startPortico(['serve'], installation.variables, undefined, [
      'sh',
      '-c',
      script,
      'sh',
      ...PROGRAM,
    ])
    process.kill(portico.pid, 'SIGHUP')
    await untilHeard(portico.url)
    expect((await portico.end('SIGTERM')).exitCode).toBe(0)
  })

  test('a second signal ends it at once', async () => {
    await using installation = await openInstallation()
    await using portico = await startPortico(['serve'], installation.variables)
    process.kill(portico.pid, 'SIGTERM')
    expect((await portico.end('SIGINT')).exitCode).toBe(1)
  })

  test('without its git repository it lives, is not ready, and recovers', async () => {
    await using installation = await openInstallation()
    const repository = join(installation.variables.DATA_DIR, 'git/acme/gitops.git')
    await rename(repository, `${repository}.away`)
    await using portico = await startPortico(['serve'], installation.variables)
    expect((await fetch(`${portico.url}/healthz`)).status).toBe(200)
    expect((await fetch(`${portico.url}/readyz`)).status).toBe(503)
    await rename(`${repository}.away`, repository)
    await untilReady(portico.url)
  })

  test('a data directory that cannot be written to stops the start with a sentence', async () => {
    await using installation = await openInstallation()
    const DATA_DIR = '/dev/null/portico'
    const { exitCode, stderr } = await runPortico(['serve'], {
      ...installation.variables,
      DATA_DIR,
    })
    expect([exitCode, stderr]).toStrictEqual([
      1,
      `portico: DATA_DIR cannot be written to, a part of its path is a file: ${DATA_DIR}; mend that, or choose another DATA_DIR\n`,
    ])
  })

  test('a database that cannot be opened stops the start with a sentence', async () => {
    await using installation = await openInstallation()
    const { exitCode, stderr } = await runPortico(['serve'], {
      ...installation.variables,
      DATABASE_URL: 'sqlite:/proc/portico.sqlite',
    })
    expect(exitCode).toBe(1)
    expect(stderr).toStartWith('portico: DATABASE_URL: ')
    expect(stderr).not.toContain(' at ')
  })
})

test('a database that starts later is waited for, and the log says so', async () => {
  await using installation = await openInstallation()
  const port = freePort()
  const { child, printed, onPrint, end } = spawnPortico(['serve'], {
    ...installation.variables,
    DATABASE_URL: `postgres://portico@127.0.0.1:${port}/portico`,
  })
  const waits = Promise.withResolvers<void>()
  onPrint(() => {
    if (printed.stdout.includes('the database does not answer yet')) waits.resolve()
  })
  await waits.promise
  expect(child.exitCode).toBe(null)
  const { exitCode, stdout } = await end('SIGTERM')
  expect([exitCode, stdout]).toStrictEqual([
    0,
    expect.stringContaining('ERR_POSTGRES_CONNECTION_REFUSED'),
  ])
})

describe('commands', () => {
  const SETTINGS = settingsAt('/nowhere')

  test('config check names every mistake and ends with 78', async () => {
    const { exitCode, stderr } = await runPortico(['config', 'check'], { PORT: 'canary-value' })
    expect(exitCode).toBe(78)
    for (const variable of ['PUBLIC_URL', 'SESSION_KEYS', 'GITOPS_REPOSITORY', 'PORT']) {
      expect(stderr).toContain(variable)
    }
    expect(stderr).not.toContain('canary-value')
  })

  test('config check is content with a complete configuration', async () => {
    const { exitCode, stdout } = await runPortico(['config', 'check'], {
      ...SETTINGS,
      ...SIGN_IN,
    })
    expect([exitCode, stdout.split('\n')]).toStrictEqual([
      0,
      [
        'ok    settings  People reach the portal at https://portal.test.',
        'ok    settings  TRUSTED_PROXIES is not set: in limits and in the audit trail every client has the address of the proxy that ends TLS.',
        expect.stringMatching(/^ok {4}git {7}Repositories are read and written with git \d+\./),
        '',
        'The configuration is complete. `config check --connect` tries it.',
        '',
      ],
    ])
  })

  test('config check: files that settings name are read, and every mistake stops serve too, with 78', async () => {
    const variables = {
      ...SETTINGS,
      DATABASE_URL: 'postgres://portico@db.example.org/portico?sslmode=full',
      DATABASE_CA_FILE: '/nowhere/ca.pem',
      CLUSTERS_FILE: '/nowhere/clusters.yaml',
      SECRET_STORE: 'vault',
      VAULT_ADDR: 'https://vault.example.org',
      VAULT_AUTH: 'token',
      VAULT_TOKEN_FILE: '/nowhere/token',
    }
    const checked = await runPortico(['config', 'check'], variables)
    expect([checked.exitCode, checked.stdout]).toStrictEqual([78, ''])
    expect(checked.stderr.split('\n')).toStrictEqual([
      'portico: VAULT_TOKEN_FILE: /nowhere/token cannot be read (ENOENT)',
      'portico: DATABASE_CA_FILE: /nowhere/ca.pem cannot be read (ENOENT)',
      'portico: DATABASE_URL has a parameter that the driver does not know; sslmode is disable, prefer, require, verify-ca or verify-full',
      'portico: CLUSTERS_FILE: /nowhere/clusters.yaml cannot be read (ENOENT)',
      '',
    ])
    const served = await runPortico(['serve'], variables)
    expect([served.exitCode, served.stderr]).toStrictEqual([78, checked.stderr])
  })

  test('config check: mistakes in settings and in files are one round, and a misspelt variable may be their cause', async () => {
    const { PUBLIC_URL, ...variables } = SETTINGS
    const { exitCode, stderr } = await runPortico(['config', 'check'], {
      ...variables,
      PORTICO_PUBLIC_URL: PUBLIC_URL,
      PORT: '8080',
      METRICS_PORT: '8080',
      DATABASE_URL: 'postgres://portico@db.example.org/portico',
      DATABASE_CA_FILE: '/nowhere/ca.pem',
      CLUSTERS_FILE: '/nowhere/clusters.yaml',
    })
    expect([exitCode, stderr.split('\n').slice(0, 5)]).toStrictEqual([
      78,
      [
        'portico: DATABASE_CA_FILE: /nowhere/ca.pem cannot be read (ENOENT)',
        'portico: CLUSTERS_FILE: /nowhere/clusters.yaml cannot be read (ENOENT)',
        'PUBLIC_URL is missing; for example https://portal.example.org',
        'METRICS_PORT is the port of the service; metrics need another; for example 9090',
        'PORTICO_PUBLIC_URL is not a setting, and has no effect; for example PUBLIC_URL, if that is meant',
      ],
    ])
  })

  test('config check: serve would start, and something would not be as it is meant', async () => {
    const { exitCode, stdout } = await runPortico(['config', 'check'], {
      ...SETTINGS,
      PUBLIC_URL: 'https://portal.test',
      TRUSTED_PROXIES: '10.0.0.0/8',
      OIDC_CLIENT_SECERT: 'hunter2',
      DATABASE_URL: 'postgres://portico:hunter2@db.example.org/portico?sslmode=prefer',
      DATABASE_LISTEN_URL: 'postgres://portico:hunter2@db.example.org/portico?ssl=true',
    })
    expect([exitCode, stdout.split('\n')]).toStrictEqual([
      1,
      [
        'ok    settings           People reach the portal at https://portal.test.',
        'FAIL  settings           OIDC_CLIENT_SECERT is not a setting, and has no effect: OIDC_CLIENT_SECRET may be meant.',
        'FAIL  identity provider  OIDC_ISSUER is not set: nobody can sign in.',
        'ok    database           DATABASE_URL allows a connection to db.example.org:5432 that is not encrypted, or goes to whoever answers: DATABASE_CA_FILE or sslmode=verify-full checks the certificate.',
        'ok    database           DATABASE_LISTEN_URL allows a connection to db.example.org:5432 that is not encrypted, or goes to whoever answers: DATABASE_CA_FILE or sslmode=verify-full checks the certificate.',
        expect.stringMatching(/^ok {4}git {16}Repositories/),
        '',
        '2 of 6 checks failed.',
        '',
      ],
    ])
  })

  test('config list explains every variable', async () => {
    const { exitCode, stdout } = await runPortico(['config', 'list'], {})
    expect(exitCode).toBe(0)
    expect(stdout).toContain('SESSION_KEYS  (required, also as SESSION_KEYS_FILE)')
  })

  test('serve without a configuration ends with 78', async () => {
    expect((await runPortico(['serve'], {})).exitCode).toBe(78)
    expect((await runPortico([], {})).exitCode).toBe(78)
  })

  test('version, openapi and healthcheck', async () => {
    // The executable knows its commit too.
    const version = await runPortico(['version'], {})
    expect(version.stdout).toMatch(/^(\S+)( [0-9a-f]{12})?\n$/)
    expect(version.stdout).toStartWith(VERSION)
    const { stdout } = await runPortico(['openapi'], {})
    expect(JSON.parse(stdout)).toMatchObject({ openapi: '3.1.0' })
    await using installation = await openInstallation()
    await using portico = await startPortico(['serve'], installation.variables)
    const PORT = String(portOf(portico.url))
    expect((await runPortico(['healthcheck'], { PORT })).exitCode).toBe(0)
    await portico.end('SIGTERM')
    expect((await runPortico(['healthcheck'], { PORT })).exitCode).toBe(1)
  })

  test('a command that there is not is refused', async () => {
    expect(await runPortico(['conquer'], {})).toMatchObject({
      exitCode: 1,
      stderr: "error: unknown command 'conquer'\n",
    })
    expect((await runPortico(['confg', 'check'], {})).stderr).toContain('(Did you mean config?)')
  })
})

const keepsCatalog = async (program: readonly string[], keeps: boolean) => {
  await using installation = await openInstallation()
  const kept = Bun.file(join(installation.variables.DATA_DIR, 'catalog.parsed'))
  for (const start of ['first', 'second', ...(keeps ? ['third, without its repository'] : [])]) {
    const metrics = freePort()
    const variables = { ...installation.variables, METRICS_PORT: String(metrics) }
    const isThird = start.startsWith('third')
    if (isThird) await writeFile(join(variables.DATA_DIR, 'git/acme/gitops.git/HEAD'), 'garbage')
    await using portico = await startPortico(['serve'], variables, undefined, program)
    if (isThird) expect((await fetch(`${portico.url}/readyz`)).status).toBe(503)
    else await untilReady(portico.url)
    const entities = async () => {
      const text = await (await fetch(`http://127.0.0.1:${metrics}/metrics`)).text()
      return /^portico_catalog_entities\S* (\d+)$/m.exec(text)?.[1]
    }
    while ((await entities()) !== '1') await Bun.sleep(20)
    if (!keeps || start !== 'first') continue
    while (!(await kept.exists())) await Bun.sleep(100)
  }
  return kept.exists()
}

test.skipIf(PROGRAM === SOURCE)(
  'the executable keeps its catalog, begins with it, and serves it while the repository cannot be read',
  async () => expect(await keepsCatalog(PROGRAM, true)).toBe(true),
)

test('the source keeps nothing of the catalog, because it changes under one name', async () => {
  expect(await keepsCatalog(SOURCE, false)).toBe(false)
})

test('a file of settings that never ends, such as a device or a pipe without a writer, is a mistake', async () => {
  await using installation = await openInstallation()
  const { SESSION_KEYS: _, ...variables } = installation.variables
  const endless = { ...variables, SESSION_KEYS_FILE: '/dev/zero' }
  expect(await runPortico(['config', 'check'], endless)).toMatchObject({
    exitCode: 78,
    stderr: expect.stringContaining('SESSION_KEYS cannot be read'),
  })
})

test('a start copies the sealed files of an earlier release into the database, and stops when they differ', async () => {
  await using installation = await openInstallation()
  const { DATA_DIR, SECRET_STORE_KEYS } = installation.variables
  const row = sealVersion(keyringOf(SECRET_STORE_KEYS), { path: SHOP, version: 3 }, new Map())
  const { keyId, sealed } = row
  const file = JSON.stringify({ format: 1, keyId, sealed: sealed.toBase64() })
  await Bun.write(join(DATA_DIR, 'secrets', SHOP, '3.sealed'), file)
  {
    await using portico = await startPortico(['serve'], installation.variables)
    await untilReady(portico.url)
  }
  expect(secretVersionsIn(DATA_DIR)).toStrictEqual([`${SHOP} 3`])

  await Bun.write(join(DATA_DIR, 'secrets', SHOP, '3.sealed'), 'another content')
  expect(await runPortico(['serve'], installation.variables)).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining(`version 3 of the secrets ${SHOP} is another one`),
  })

  const vault = { SECRET_STORE: 'vault', VAULT_ADDR: 'http://127.0.0.1:1', VAULT_TOKEN: 'x' }
  await using portico = await startPortico(['serve'], {
    ...installation.variables,
    ...vault,
    VAULT_AUTH: 'token',
  })
  expect(portico.pid).toBePositive()
})
