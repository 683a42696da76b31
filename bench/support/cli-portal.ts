/**
 * A portal with a release host. Arguments: data directory, file with the host's authority, then for each release from 1.0.0 on
 * a URL and `<size in bytes>:<SHA-256>`. Prints its port and a cookie; then, for each line of input, its resident and its peak
 * memory in MB, and resets the peak. The line `forget` empties the cache first.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { readConfig } from '#src/config/config.ts'
import { createDiskAssetCache } from '#src/lib/adapters/asset-cache/disk.ts'
import { createKubernetes } from '#src/lib/adapters/clusters/index.ts'
import { openDatabase } from '#src/lib/adapters/database/index.ts'
import { openAssetOverHttp } from '#src/lib/adapters/hosts/hosted/api/asset.ts'
import { createLocalGitHost } from '#src/lib/adapters/hosts/forge/index.ts'
import { noIdentityProvider } from '#src/lib/adapters/identity/none.ts'
import { createFileSecretStore } from '#src/lib/adapters/secret-store/file/index.ts'
import { createLog } from '#src/lib/logging/log.ts'
import { systemClock as clock } from '#src/lib/ports/clock.ts'
import type { Releases } from '#src/lib/ports/git-host.ts'
import { ok } from '#src/lib/result.ts'
import { createPortal } from '#src/compose/portal.ts'

const [directory = '', authorityFile = '', ...given] = process.argv.slice(2)
const authority = readFileSync(authorityFile, 'utf8')
const maxBytes = 2e9

const releases: Releases = {
  list: () =>
    Promise.resolve(
      ok(
        given.flatMap((url, index) => {
          const [sizeBytes, sha256 = null] = (given[index + 1] ?? '').split(':')
          if (index % 2 === 1) return []
          return {
            tag: `portico-v1.${index / 2}.0`,
            name: '',
            notes: '',
            draft: false,
            prerelease: false,
            publishedAt: 0,
            assets: [
              { id: url, filename: 'portico-linux-amd64', sizeBytes: Number(sizeBytes), sha256 },
            ],
          }
        }),
      ),
    ),
  openAsset: (_, { id }, signal) =>
    openAssetOverHttp({ url: new URL(id), headers: {}, authority }, signal),
}

const config = readConfig(
  {
    PUBLIC_URL: 'http://portal.bench',
    SESSION_KEYS: `k1:${Buffer.alloc(32, 7).toString('base64')}`,
    SECRET_STORE_KEYS: `s1:${Buffer.alloc(32, 8).toString('base64')}`,
    GITOPS_REPOSITORY: 'acme/gitops',
  },
  () => '',
)
if (!config.ok) throw new Error(JSON.stringify(config.error))
const database = await openDatabase(`sqlite:${join(directory, 'portico.sqlite')}`)
if (!database.ok) throw new Error(database.error.reason)
const log = createLog({ level: 'info', path: join(directory, 'log') })
const gitHost = { ...createLocalGitHost({ directory, publicUrl: 'http://portal.bench' }), releases }
const portal = createPortal({
  gitHost,
  secretStore: createFileSecretStore({
    versions: () => database.value.secretVersions,
    keyring: config.value.SESSION_KEYS,
  }),
  identity: noIdentityProvider,
  kubernetes: createKubernetes(),
  connections: [],
  clusterRegistry: () => [],
  assetCache: createDiskAssetCache({ directory: join(directory, 'cli-assets'), maxBytes }),
  database: database.value,
  keyring: config.value.SESSION_KEYS,
  digestKeyring: config.value.SESSION_KEYS,
  clock,
  log,
  publicUrl: config.value.PUBLIC_URL,
  config: config.value,
})
const opened = await portal.sessions.open({
  principal: {
    issuer: 'https://id.acme.example',
    subject: 'ann',
    name: 'Ann',
    email: null,
    groups: { kind: 'known', names: ['payments'] },
  },
  tokens: null,
  sid: null,
  address: null,
  userAgent: null,
})
if (!opened.ok) throw new Error(opened.error.reason)
const server = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  idleTimeout: 0,
  fetch: portal.app.fetch,
})
console.log(JSON.stringify({ port: server.port, cookie: `portal_session=${opened.value.token}` }))

const peakMb = () =>
  (Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) * 1024) / 1e6
for await (const line of console) {
  if (line === 'forget') {
    const copies = join(directory, 'cli-assets', 'sha256')
    for (const name of await readdir(copies).catch(() => [])) await rm(join(copies, name))
  }
  console.log(JSON.stringify({ residentMb: process.memoryUsage.rss() / 1e6, peakMb: peakMb() }))
  writeFileSync('/proc/self/clear_refs', '5')
}
