/**
 * A portal with one cluster. Arguments: port of the API server, its authority. Prints its port and the cookies of five people;
 * then, for each line of input, its resident and peak memory in MB and the longest stall in ms since the previous line.
 */
import { readFileSync } from 'node:fs'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readConfig } from '#src/config/config.ts'
import { createDiskAssetCache } from '#src/lib/adapters/asset-cache/disk.ts'
import { createKubernetes } from '#src/lib/adapters/clusters/index.ts'
import { openDatabase } from '#src/lib/adapters/database/index.ts'
import { createLocalGitHost } from '#src/lib/adapters/hosts/forge/index.ts'
import { createFileSecretStore } from '#src/lib/adapters/secret-store/file/index.ts'
import { createDemoIdentity } from '#src/demo/identity.ts'
import { people } from '#src/demo/people.ts'
import { keepSigningKey } from '#src/demo/keys.ts'
import { createLog } from '#src/lib/logging/log.ts'
import { systemClock as clock } from '#src/lib/ports/clock.ts'
import { createPortal } from '#src/compose/portal.ts'
import { Label } from '#src/lib/names.ts'
import { sampleStalls } from './stalls.ts'

const PEOPLE = 5
const [apiPort = '', pem = ''] = process.argv.slice(2)
const directory = mkdtempSync(join(tmpdir(), 'portico-bench-'))
process.on('exit', () => rmSync(directory, { recursive: true, force: true }))
const config = readConfig(
  {
    PUBLIC_URL: 'http://127.0.0.1:8080',
    SESSION_KEYS: `k1:${Buffer.alloc(32, 7).toString('base64')}`,
    SECRET_STORE_KEYS: `s1:${Buffer.alloc(32, 8).toString('base64')}`,
    GITOPS_REPOSITORY: 'acme/gitops',
  },
  () => '',
)
if (!config.ok) throw new Error(JSON.stringify(config.error))
const database = await openDatabase(`sqlite:${join(directory, 'portico.sqlite')}`)
if (!database.ok) throw new Error(database.error.reason)
const identity = createDemoIdentity(keepSigningKey(join(directory, 'key')), clock)
const log = createLog({ level: 'info', path: join(directory, 'log') })
const gitHost = createLocalGitHost({ directory, publicUrl: config.value.PUBLIC_URL.origin })
const portal = createPortal({
  gitHost,
  secretStore: createFileSecretStore({
    versions: () => database.value.secretVersions,
    keyring: config.value.SESSION_KEYS,
  }),
  identity,
  kubernetes: createKubernetes({ requestsAtOnce: config.value.BUN_CONFIG_MAX_HTTP_REQUESTS }),
  connections: [],
  clusterRegistry: () => [
    {
      id: Label.of('dev-east'),
      name: 'Development East',
      apiServer: `https://127.0.0.1:${apiPort}`,
      trust: { kind: 'authority', pem },
      tlsServerName: null,
      groups: ['*'],
      auth: { mode: 'passthrough' },
      labels: {},
      environments: [],
    },
  ],
  assetCache: createDiskAssetCache({ directory, maxBytes: 1 }),
  database: database.value,
  keyring: config.value.SESSION_KEYS,
  digestKeyring: config.value.SESSION_KEYS,
  clock,
  log,
  publicUrl: config.value.PUBLIC_URL,
  config: config.value,
})
const cookies: string[] = []
for (let person = 0; person < PEOPLE; person++) {
  const { principal, tokens } = await identity.signInAs(people.dev)
  const opened = await portal.sessions.open({
    principal: { ...principal, subject: `person-${person}` },
    tokens,
    sid: null,
    address: null,
    userAgent: null,
  })
  if (opened.ok) cookies.push(`portal_session=${opened.value.token}`)
}
const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  idleTimeout: 0,
  fetch: portal.app.fetch,
})
console.log(JSON.stringify({ port: server.port, cookies, host: '127.0.0.1:8080' }))

const longestStallMs = sampleStalls()
const peakMb = () =>
  (Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) * 1024) / 1e6
for await (const line of console) {
  const stallMs = longestStallMs()
  if (line === 'collect') Bun.gc(true)
  console.log(
    JSON.stringify({ residentMb: process.memoryUsage.rss() / 1e6, peakMb: peakMb(), stallMs }),
  )
  // Discards the stall of the measurement itself.
  longestStallMs()
}
