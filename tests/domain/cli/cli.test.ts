import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { createLocalGitHost } from '#src/lib/adapters/git-host/local/index.ts'
import { createCli } from '#src/lib/domain/cli/cli.ts'
import type { DownloadEvent } from '#src/lib/domain/cli/downloads.ts'
import { platforms } from '#src/lib/domain/cli/platform.ts'
import { parseRepositoryId, RepositoryPath } from '#src/lib/names.ts'
import type { AssetCache } from '#src/lib/ports/asset-cache.ts'
import { systemClock } from '#src/lib/ports/clock.ts'
import type { GitHost } from '#src/lib/ports/git-host.ts'
import { openDiskCache } from '#tests/adapters/asset-cache/open-disk-cache.ts'
import { newProgram } from '#tests/support/cli-shelf.ts'
import { startReleaseHost } from '#tests/support/release-host.ts'

const [LINUX] = platforms
const repository = parseRepositoryId('acme/cli')

/** The client of a host, by way of a cache on disk, for people who wait `patienceMs`. */
function clientOf(
  gitHost: Pick<GitHost, 'releases'>,
  cache: AssetCache,
  log: (event: DownloadEvent) => void,
  patienceMs: number,
) {
  if (repository === undefined) throw new Error('no repository')
  const cli = createCli({
    gitHost,
    cache,
    repository,
    tagPrefix: 'portico',
    assetPattern: '',
    clock: systemClock,
    stopping: new AbortController().signal,
    log,
    patienceMs,
  })
  return async (version: string) => {
    const found = await cli.find(LINUX, version)
    if (!found.ok) return found.error.kind
    const opened = await found.value.open()
    return opened.ok ? opened.value.sha256 : opened.error.kind
  }
}

async function open(patienceMs = 50) {
  const [host, disk] = [await startReleaseHost(), await openDiskCache()]
  const logged: DownloadEvent[] = []
  return {
    host,
    logged,
    download: clientOf(host, disk.cache, (event) => void logged.push(event), patienceMs),
    async [Symbol.asyncDispose]() {
      await host[Symbol.asyncDispose]()
      await disk[Symbol.asyncDispose]()
    },
  }
}

test('who waits too long is told to come again, and then finds what was fetched meanwhile', async () => {
  await using opened = await open()
  const { host, logged } = opened
  const { digest, ...file } = newProgram()
  host.publish('portico-v1.0.0', [file])
  const go = Promise.withResolvers<void>()
  host.answer(file.filename, (response) => void go.promise.then(() => response.end(file.bytes)))
  expect(await opened.download('1.0.0')).toBe('asset_pending')
  expect(await opened.download('1.0.0')).toBe('asset_pending')
  go.resolve()
  while (logged.length === 0) await Bun.sleep(1)
  expect<string>(await opened.download('1.0.0')).toBe(digest)
  expect(host.opened).toHaveLength(1)
  expect(logged).toStrictEqual([{ kind: 'fetched', filename: file.filename }])
})

test('four are fetched at once, and the others after them', async () => {
  await using opened = await open()
  const { host } = opened
  const versions = ['1.0.0', '1.1.0', '1.2.0', '1.3.0', '1.4.0', '1.5.0']
  const programs = versions.map((version) => ({ version, ...newProgram(100_000) }))
  for (const { version, filename, bytes } of programs)
    host.publish(`portico-v${version}`, [{ filename, bytes }])
  const silent: (() => void)[] = []
  const [{ filename } = newProgram()] = programs
  host.answer(filename, (response) => {
    response.writeHead(200)
    silent.push(() => void response.end())
  })
  const all = Promise.all(versions.map(opened.download))
  while (silent.length < 4) await Bun.sleep(1)
  expect(new Set(await all)).toStrictEqual(new Set(['asset_pending']))
  expect(host.opened).toHaveLength(4)
  host.answer(filename)
  for (const end of silent) end()
  while (host.opened.length < 6) await Bun.sleep(1)
})

test('who waited for its turn looks first whether the file came meanwhile', async () => {
  await using opened = await open(5_000)
  const { digest, ...file } = newProgram(100_000)
  const versions = Array.from({ length: 12 }, (_, minor) => `1.${minor}.0`)
  for (const version of versions) opened.host.publish(`portico-v${version}`, [file])
  const all = await Promise.all(versions.map(opened.download))
  expect(new Set<string>(all)).toStrictEqual(new Set([digest]))
  expect(opened.host.opened).toHaveLength(4)
})

test('the embedded git host is a release host', async () => {
  await using disk = await openDiskCache()
  const directory = join(disk.directory, 'git')
  const host = createLocalGitHost({ directory, publicUrl: 'http://portal.test' })
  if (repository === undefined) throw new Error('no repository')
  const author = { name: 'Ann', email: 'ann@acme.example' }
  const first = { description: '', marker: 'test', message: 'First', author }
  const files = [
    { kind: 'write', path: RepositoryPath.of('README'), bytes: new Uint8Array() },
  ] as const
  await host.createRepository(repository, { ...first, files })
  const { digest, filename, bytes } = newProgram(900_001)
  const release = { name: '', notes: '', assets: [{ filename, bytes }] }
  await host.publishRelease(repository, { tag: 'portico-v1.0.0', ...release })
  const download = clientOf(host, disk.cache, () => {}, 5_000)
  expect<string>(await download('1.0.0')).toBe(digest)
  expect<string>(await download('1.0.0')).toBe(digest)
})
