import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readdir, readFile, readlink } from 'node:fs/promises'
import { join } from 'node:path'
import { VERSION } from '#src/version.ts'
import { freePort } from '#tests/support/free-port.ts'
import { type PorticoProcess, runPortico, startPortico } from '#tests/support/portico-process.ts'
import { promtool } from '#tests/support/promtool.ts'
import { parsePrometheusText } from '#tests/support/prometheus-text.ts'
import { openInstallation } from '#tests/support/installation.ts'
import { signedIn } from '#tests/support/signed-in.ts'
import { rawRequest, sendRaw } from '#tests/support/raw-http.ts'
import { runProgram } from '#tests/support/run-program.ts'

const CANARY = 'canary-of-a-client'
const ENTITY = '/api/v1/catalog/entities/:kind/:name'

/** Expired, so that their use calls the identity provider. */
const TOKENS = {
  idToken: 'i',
  idTokenExpiresAt: 0,
  accessToken: 'a',
  refreshToken: 'r',
  expiresAt: 0,
}

/** An installation with a signed-in person, and a port for metrics. */
async function openMeasured() {
  const installation = await openInstallation()
  const { directory, variables } = installation
  const [cookie = ''] = await signedIn(`sqlite:${join(directory, 'portico.sqlite')}`, 1, TOKENS)
  const metricsPort = freePort()
  return {
    ...installation,
    cookie,
    metricsPort,
    metrics: `http://127.0.0.1:${metricsPort}/metrics`,
    variables: { ...variables, METRICS_PORT: String(metricsPort) },
  }
}
type Installation = Awaited<ReturnType<typeof openMeasured>>

async function start(
  { variables }: Pick<Installation, 'variables'>,
  more: Readonly<Record<string, string>> = {},
) {
  const portico = await startPortico(['serve'], { ...variables, ...more })
  while ((await fetch(`${portico.url}/readyz`)).status !== 200) await Bun.sleep(10)
  return portico
}

const scrape = async ({ metrics }: Installation) =>
  parsePrometheusText(await (await fetch(metrics)).text())

const ask = (
  { url }: PorticoProcess,
  { cookie }: Installation,
  target: string,
  init: RequestInit = {},
) =>
  fetch(`${url}${target}`, {
    ...init,
    headers: { host: 'portal.test', cookie, 'content-type': 'application/json' },
  })

/** The ports that a process listens at. */
async function portsOf(pid: number): Promise<readonly number[]> {
  const links = await Promise.all(
    (await readdir(`/proc/${pid}/fd`)).map((fd) =>
      readlink(`/proc/${pid}/fd/${fd}`).catch(() => ''),
    ),
  )
  const tables = await Promise.all(
    ['tcp', 'tcp6'].map((table) => readFile(`/proc/${pid}/net/${table}`, 'utf8').catch(() => '')),
  )
  return tables
    .flatMap((table) => table.split('\n').slice(1))
    .map((line) => line.trim().split(/\s+/))
    .filter(
      ([, , , state, , , , , , inode]) => state === '0A' && links.includes(`socket:[${inode}]`),
    )
    .map(([, local = '']) => Number.parseInt(local.split(':').at(-1) ?? '', 16))
}

/** For tests that only ask. */
let asked: { readonly installation: Installation; readonly portico: PorticoProcess }
beforeAll(async () => {
  const installation = await openMeasured()
  asked = { installation, portico: await start(installation) }
})
afterAll(async () => {
  await asked.portico[Symbol.asyncDispose]()
  await asked.installation[Symbol.asyncDispose]()
})

describe('the metrics listener', () => {
  test('answers GET /metrics and nothing else; the other one does not answer it', async () => {
    const { installation, portico } = asked
    const origin = `http://127.0.0.1:${installation.metricsPort}`
    const scraped = await fetch(installation.metrics)
    expect(scraped.status).toBe(200)
    expect(scraped.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8')
    expect(scraped.headers.get('cache-control')).toBe('no-store')
    expect(scraped.headers.get('x-content-type-options')).toBe('nosniff')
    const head = await fetch(installation.metrics, { method: 'HEAD' })
    expect([head.status, await head.text()]).toStrictEqual([200, ''])
    expect((await fetch(`${installation.metrics}?name[]=up`)).status).toBe(200)

    const others = ['/', '/metrics/', '/healthz', '/readyz', '/docs', '/api/v1/openapi.json']
    for (const target of others) {
      const answer = await fetch(`${origin}${target}`)
      expect([target, answer.status, await answer.text()]).toStrictEqual([target, 404, ''])
    }
    const posted = await fetch(installation.metrics, { method: 'POST', body: 'x' })
    expect([posted.status, posted.headers.get('allow')]).toStrictEqual([405, 'GET, HEAD'])

    const port = Number(new URL(portico.url).port)
    const main = await sendRaw(port, rawRequest('GET', '/metrics', { host: 'portal.test' }))
    expect(main.status).toBe(404)
    expect(main.body).not.toContain('portico_')
  })

  test('stands beside traces, which go to the collector that a setting names', async () => {
    await using installation = await openMeasured()
    const bodies: string[] = []
    using collector = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      async fetch(request) {
        bodies.push(await request.text())
        return new Response('{}')
      },
    })
    const OTEL_EXPORTER_OTLP_ENDPOINT = collector.url.origin
    await using portico = await start(installation, { OTEL_EXPORTER_OTLP_ENDPOINT })
    expect((await ask(portico, installation, '/api/v1/auth/session')).status).toBe(200)
    expect((await portico.end('SIGTERM')).exitCode).toBe(0)
    for (const name of ['GET /api/v1/auth/session', 'database sessions.find']) {
      expect(bodies.join('')).toContain(`"name":"${name}"`)
    }
  })

  test('is not for names that a stranger can give to its address', async () => {
    await using installation = await openMeasured()
    const ALLOWED_HOSTS = 'portal.example.org,Metrics.example.org:9090'
    await using _ = await start(installation, { ALLOWED_HOSTS })
    const statusFor = async (host: string) =>
      (await sendRaw(installation.metricsPort, rawRequest('GET', '/metrics', { host }))).status
    const asked = (hosts: readonly string[]) =>
      Promise.all(hosts.map(async (host) => [host, await statusFor(host)]))

    const scrapers = [
      '10.1.2.3:9090',
      '[fd00::1]:9090',
      'localhost:9090',
      'portico',
      'portico.portico.svc:9090',
      'portico.portico.svc.cluster.local:9090',
      'portal.example.org',
      'metrics.example.org:9090',
    ]
    expect(await asked(scrapers)).toStrictEqual(scrapers.map((host) => [host, 200]))
    // Host of another site's page after DNS rebinding.
    const strangers = [
      'rebound.example',
      'rebound.example:9090',
      '10.1.2.3.rebound.example',
      'portico.portico.svc.rebound.example',
      'portico.dev:9090',
      'metrics.example.org',
    ]
    expect(await asked(strangers)).toStrictEqual(strangers.map((host) => [host, 421]))
  })

  test('is not there unless it is asked for', async () => {
    await using installation = await openMeasured()
    const { METRICS_PORT: _, ...without } = installation.variables
    for (const METRICS_PORT of [undefined, '']) {
      const variables = METRICS_PORT === undefined ? without : { ...without, METRICS_PORT }
      await using portico = await startPortico(['serve'], variables)
      expect(await portsOf(portico.pid)).toStrictEqual([Number(new URL(portico.url).port)])
    }
    await using portico = await start(installation)
    expect(new Set(await portsOf(portico.pid))).toStrictEqual(
      new Set([Number(new URL(portico.url).port), installation.metricsPort]),
    )
  })

  test('on a port that is taken stops the start with a sentence', async () => {
    await using installation = await openMeasured()
    using _ = Bun.serve({
      hostname: '127.0.0.1',
      port: installation.metricsPort,
      fetch: () => new Response(),
    })
    const { exitCode, stderr } = await runPortico(['serve'], installation.variables)
    expect(stderr).toBe(
      `portico: cannot listen on 127.0.0.1:${installation.metricsPort}: the port is in use; choose another with METRICS_PORT\n`,
    )
    expect(exitCode).toBe(1)
  })

  test('does not hold the process, whoever is connected', async () => {
    await using installation = await openMeasured()
    await using portico = await start(installation)
    const { promise: connected, resolve } = Promise.withResolvers<void>()
    const scraper = await Bun.connect({
      hostname: '127.0.0.1',
      port: installation.metricsPort,
      socket: { data: () => resolve(), error() {} },
    })
    scraper.write('GET /metrics HTTP/1.1\r\nhost: x\r\n\r\n')
    await connected
    scraper.write('GET /metrics HTTP/1.1\r\nhost: x\r\n')
    const { exitCode } = await portico.end('SIGTERM')
    scraper.end()
    expect(exitCode).toBe(0)
  })
})

describe('scraped metrics', () => {
  test('requests by route, and nothing that a client has chosen', async () => {
    await using installation = await openMeasured()
    await using portico = await start(installation)
    const statuses: number[] = []
    for (const target of [
      '/api/v1/catalog/entities/component/payments-api',
      `/api/v1/catalog/entities/component/${CANARY}`,
      `/api/v1/catalog/entities/component/${CANARY}-2?q=${CANARY}`,
      `/${CANARY}`,
      '/healthz',
    ]) {
      statuses.push((await ask(portico, installation, target)).status)
    }
    expect(statuses).toStrictEqual([200, 404, 404, 404, 200])
    const port = Number(new URL(portico.url).port)
    for (const method of ['BREW', 'PROPFIND']) {
      await sendRaw(port, rawRequest(method, `/${CANARY}`, { host: CANARY }))
    }

    const scraped = await scrape(installation)
    const count = (route: string, status: string) =>
      scraped.value('portico_http_requests_total', { method: 'GET', route, status })
    expect(count(ENTITY, '200')).toBe(1)
    expect(count(ENTITY, '404')).toBe(2)
    expect(count('none', '404')).toBe(1)
    expect(count('/healthz', '200')).toBe(1)
    expect(
      scraped.value('portico_http_request_duration_seconds_count', {
        route: ENTITY,
        status_class: '4xx',
      }),
    ).toBe(2)
    expect([...scraped.samples.keys()].join('\n')).not.toContain(CANARY)
    const methods = scraped.labelsOf('portico_http_requests_total').map(({ method }) => method)
    expect(methods).not.toContain('BREW')
    // Counted requests are logged, too.
    const { stdout } = await portico.end('SIGTERM')
    expect(stdout).toContain(
      '"path":"/api/v1/catalog/entities/component/payments-api","status":200',
    )
  })

  test('the catalog, and the calls to what is outside', async () => {
    const { installation, portico } = asked
    await ask(portico, installation, '/api/v1/catalog/entities')
    const scraped = await scrape(installation)
    expect(scraped.value('portico_ready')).toBe(1)
    expect(scraped.value('portico_catalog_entities')).toBe(1)
    expect(scraped.value('portico_catalog_problems')).toBe(0)
    expect(scraped.value('portico_catalog_age_seconds')).toBeLessThan(60)
    expect(scraped.labelsOf('portico_build_info')[0]?.['version']).toBe(VERSION)
    const calls = 'portico_upstream_call_duration_seconds_count'
    for (const [at, call] of [
      ['git_host', 'head'],
      ['git_host', 'listFiles'],
      ['git_host', 'readFiles'],
      ['database', 'ping'],
      ['database', 'sessions.find'],
    ] as const) {
      expect([call, scraped.value(calls, { port: at, call })]).toStrictEqual([
        call,
        expect.anything(),
      ])
    }
    expect(scraped.labelsOf('portico_upstream_failures_total')).toStrictEqual([])
  })

  test('runs by their outcome, and the failure that it was', async () => {
    await using installation = await openMeasured()
    await using portico = await start(installation)
    const run = (appName: string) => {
      const body = { templateId: 'service', appName, team: 'payments', namespace: 'payments-dev' }
      return ask(portico, installation, '/api/v1/scaffold', {
        method: 'POST',
        body: JSON.stringify(body),
      })
    }
    expect(await (await run('refund-api')).text()).toContain('event: done')
    // Without the table every write fails, and the run waits.
    using tables = new Database(join(installation.directory, 'portico.sqlite'))
    tables.run('ALTER TABLE secret_version RENAME TO away')
    const waiting = await run('other-api')
    let story = ''
    for await (const chunk of waiting.body ?? []) {
      story += Buffer.from(chunk).toString()
      if (story.includes('trying again')) break
    }
    // Meanwhile somebody else takes the name of its branch, which ends it.
    tables.run('ALTER TABLE away RENAME TO secret_version')
    const gitops = join(installation.directory, 'git/acme/gitops.git')
    await Bun.$`git --git-dir=${gitops} branch scaffold/payments/other-api main`.quiet()
    const retry = `/api/v1/scaffold/runs/${waiting.headers.get('x-run-id')}/retry`
    const retried = await ask(portico, installation, retry, { method: 'POST' })
    expect(await retried.text()).toContain('event: failed')
    const scraped = await scrape(installation)
    const runs = (outcome: string) => scraped.value('portico_scaffold_runs_total', { outcome })
    expect([runs('complete'), runs('already_exists')]).toStrictEqual([1, 1])
    const merged = { port: 'secret_store', call: 'merge' }
    expect(scraped.value('portico_upstream_call_duration_seconds_count', merged)).toBe(2)
    const failed = { port: 'secret_store', call: 'describe', kind: 'secret_store_unreachable' }
    expect(scraped.value('portico_upstream_failures_total', failed)).toBe(1)
  })

  test('each part that can be called is counted', async () => {
    await using installation = await openMeasured()
    const clusters = join(installation.directory, 'clusters.yaml')
    await Bun.write(
      clusters,
      `apiVersion: portal/v1
clusters:
  - id: away
    name: Away
    apiServer: https://127.0.0.1:${freePort()}
    systemRoots: true
    groups: ['*']
    auth: { mode: passthrough }
`,
    )
    await using portico = await start(installation, { CLUSTERS_FILE: clusters })
    const failures = async (port: string, call: string, kind: string) =>
      (await scrape(installation)).value('portico_upstream_failures_total', { port, call, kind })
    while ((await failures('clusters', 'probe', 'unreachable')) === undefined) await Bun.sleep(50)
    await ask(portico, installation, '/api/v1/clusters/away/namespaces/payments/pods')
    expect(await failures('identity', 'renew', 'identity_not_configured')).toBe(1)
  })

  test.skipIf(promtool === null)('promtool finds nothing to say', async () => {
    const { installation, portico } = asked
    await ask(portico, installation, '/api/v1/catalog/entities')
    const input = await (await fetch(installation.metrics)).text()
    const checked = await runProgram([promtool ?? '', 'check', 'metrics'], { input })
    expect(checked).toStrictEqual({ exitCode: 0, stdout: '', stderr: '' })
  })
})
