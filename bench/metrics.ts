/**
 * Cost of metrics and of traces per request: the whole application in this process, with and without them, requests for a single
 * entity in interleaved rounds. Every request is traced, with the calls of its ports. `bun bench/metrics.ts [rounds]`
 */
import { join } from 'node:path'
import { readConfig } from '#src/config/config.ts'
import { createKubernetes } from '#src/lib/adapters/clusters/index.ts'
import { createDiskAssetCache } from '#src/lib/adapters/asset-cache/disk.ts'
import { openDatabase } from '#src/lib/adapters/database/index.ts'
import { noIdentityProvider } from '#src/lib/adapters/identity/none.ts'
import { createFileSecretStore } from '#src/lib/adapters/secret-store/file/index.ts'
import { createLog } from '#src/lib/logging/log.ts'
import { createMetrics } from '#src/lib/metrics/metrics.ts'
import { createExporter } from '#src/lib/tracing/exporter.ts'
import { createTracer } from '#src/lib/tracing/tracer.ts'
import type { PortalMetrics } from '#src/compose/metrics.ts'
import { systemClock } from '#src/lib/ports/clock.ts'
import { createPortal } from '#src/compose/portal.ts'
import { createInstallation, median } from './support/installation.ts'

const ENTITIES = 1_000
/** Key that sealed the session of the installation. */
const SESSION_KEYS = `k1:${Buffer.alloc(32, 1).toString('base64')}`
const REQUESTS = 20_000
/** More than an installation of a thousand services has. */
const REQUESTS_PER_SECOND = 1_000
const rounds = Number(process.argv[2] ?? 15)

const installation = await createInstallation(ENTITIES)
const config = readConfig(
  {
    PUBLIC_URL: 'http://portal.bench',
    SESSION_KEYS,
    SECRET_STORE_KEYS: `s1:${Buffer.alloc(32, 4).toString('base64')}`,
    GITOPS_REPOSITORY: 'acme/gitops',
  },
  () => '',
)
if (!config.ok) throw new Error(JSON.stringify(config.error))
const database = await openDatabase(`sqlite:${join(installation.directory, 'portico.sqlite')}`)
if (!database.ok) throw new Error(database.error.reason)

const first = installation.files.find(({ path }) => path.startsWith('catalog/component/'))
const name = first?.path.split('/').at(-1)?.replace('.yaml', '')
const url = `http://portal.bench/api/v1/catalog/entities/component/${name}`
const headers = { host: 'portal.bench', cookie: installation.cookie }

const untraced: Pick<PortalMetrics, 'port'> = { port: (_, port) => port }

const open = (isCounted: boolean, { port }: Pick<PortalMetrics, 'port'> = untraced) => {
  const metrics = createMetrics({ clock: systemClock, build: { version: '', commit: '' } })
  const log = createLog({ level: 'silent', path: '/dev/null' })
  const portal = createPortal({
    gitHost: port('git_host', installation.git),
    secretStore: createFileSecretStore({
      versions: () => database.value.secretVersions,
      keyring: config.value.SESSION_KEYS,
    }),
    identity: noIdentityProvider,
    kubernetes: createKubernetes(),
    connections: [],
    clusterRegistry: () => [],
    assetCache: createDiskAssetCache({ directory: installation.directory, maxBytes: 1 }),
    database: port('database', database.value),
    keyring: config.value.SESSION_KEYS,
    digestKeyring: config.value.SESSION_KEYS,
    clock: systemClock,
    log: isCounted
      ? {
          ...log,
          access: {
            record(entry) {
              log.access.record(entry)
              metrics.record(entry)
            },
          },
        }
      : log,
    publicUrl: new URL('http://portal.bench'),
    config: config.value,
  })
  metrics.observe({
    routes: portal.app.elysia.routes.map(({ path }) => path),
    catalog: portal.catalog,
    readiness: portal.readiness,
    connections: portal.connections,
    database: { lastBackup: async () => ({ ok: true, value: null }) },
    sessions: portal.sessions,
  })
  return {
    fetch: portal.app.fetch,
    routes: portal.app.elysia.routes.map(({ path }) => path),
    metrics,
  }
}

async function microsecondsPerRequest({
  fetch,
}: Pick<ReturnType<typeof open>, 'fetch'>): Promise<number> {
  const startedAt = performance.now()
  for (let count = 0; count < REQUESTS; count++) {
    const response = await fetch(new Request(url, { headers }))
    if (response.status !== 200) throw new Error(String(response.status))
  }
  return ((performance.now() - startedAt) * 1_000) / REQUESTS
}

const plain = open(false)
const counted = open(true)
const collector = Bun.spawn(
  [
    process.execPath,
    '-e',
    'console.log(String(Bun.serve({ port: 0, fetch: () => new Response() }).url))',
  ],
  { stdout: 'pipe' },
)
const { value: address } = await collector.stdout.getReader().read()
const exporter = createExporter({
  url: new URL(new TextDecoder().decode(address).trim()),
  headers: {},
  resource: { 'service.name': 'portico' },
  version: '',
  onSent: (_, dropped) => void (lost += dropped),
})
let lost = 0
let spans = 0
const tracer = createTracer({ followsParent: true, share: 1 }, (span) => {
  spans += 1
  exporter.add(span)
})
const { fetch: untracedFetch, routes } = open(false, tracer)
const withoutPeers = tracer.fetch((request) => untracedFetch(request), routes)
const traced = { fetch: async (request: Request) => withoutPeers(request, null) }
const kinds = { plain, counted, traced }
const figures = { plain: [] as number[], counted: [] as number[], traced: [] as number[] }
for (const portal of Object.values(kinds)) await microsecondsPerRequest(portal)
for (let round = 0; round < rounds; round++) {
  const order = ['plain', 'counted', 'traced'] as const
  for (const which of round % 2 === 0 ? order : order.toReversed()) {
    figures[which].push(await microsecondsPerRequest(kinds[which]))
  }
}
collector.kill()
const answer = { method: 'GET', path: new URL(url).pathname, status: 200, ms: 0.007 }
const startedAt = performance.now()
for (let count = 0; count < 1_000_000; count++) counted.metrics.record(answer)
const alone = performance.now() - startedAt
const scrapeAt = performance.now()
const bytes = (await counted.metrics.text()).length

console.log(`single entity, not counted  ${median(figures.plain).toFixed(2)} µs`)
console.log(`single entity, counted      ${median(figures.counted).toFixed(2)} µs`)
console.log(`single entity, traced       ${median(figures.traced).toFixed(2)} µs`)
const tracedMicroseconds = median(figures.traced) - median(figures.plain)
console.log(
  `traces of ${REQUESTS_PER_SECOND} requests a second  ${((tracedMicroseconds * REQUESTS_PER_SECOND) / 10_000).toFixed(1)} % of a processor`,
)
console.log(`spans, and those dropped    ${spans}, ${lost}`)
console.log(`counting alone              ${(alone / 1_000).toFixed(3)} µs`)
console.log(
  `a scrape                    ${(performance.now() - scrapeAt).toFixed(2)} ms, ${bytes} B`,
)
process.exit(0)
