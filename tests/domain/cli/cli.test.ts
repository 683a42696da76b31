import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { publishRelease, withReleases } from '#src/demo/releases.ts'
import { createLocalGitHost } from '#src/lib/adapters/hosts/forge/index.ts'
import { type CliEvent, createCli } from '#src/lib/domain/cli/cli.ts'
import { createDownloads } from '#src/lib/domain/cli/downloads.ts'
import { platforms } from '#src/lib/domain/cli/platform.ts'
import { parseRepositoryId, RepositoryPath, TeamName } from '#src/lib/names.ts'
import type { AssetCache } from '#src/lib/ports/asset-cache.ts'
import { type Clock, systemClock } from '#src/lib/ports/clock.ts'
import type { GitHost } from '#src/lib/ports/git-host.ts'
import { openDiskCache } from '#tests/adapters/asset-cache/open-disk-cache.ts'
import { newProgram } from '#tests/support/cli-shelf.ts'
import { startReleaseHost } from '#tests/support/release-host.ts'
import { valueOf } from '#tests/support/value-of.ts'

const [LINUX] = platforms
const repository = repositoryOf()

function repositoryOf() {
  const repository = parseRepositoryId('acme/cli')
  if (repository === undefined) throw new Error('no repository')
  return repository
}

/** Downloads from a host through a cache on disk, by clients that wait `patienceMs`. */
function clientOf(
  gitHost: Pick<GitHost, 'releases'>,
  cache: AssetCache,
  log: (event: CliEvent) => void,
  patienceMs: number,
  clock: Clock = systemClock,
) {
  const cli = createCli({
    gitHost,
    cache,
    repository,
    tagPrefix: 'portico',
    assetPattern: '',
    clock,
    stopping: new AbortController().signal,
    log,
    patienceMs,
  })
  return {
    download: async (version: string) => {
      const found = await cli.find(LINUX, version)
      if (!found.ok) return found.error.kind
      const opened = await found.value.open()
      return opened.ok ? opened.value.sha256 : opened.error.kind
    },
    /** Listed digests of the files for this platform, newest release first. */
    listed: async (): Promise<readonly (string | null | undefined)[]> => {
      const releases = valueOf(await cli.releases())
      return releases.map(({ assets }) => assets[0]?.sha256)
    },
  }
}

async function open(patienceMs = 50) {
  const [host, disk] = [await startReleaseHost(), await openDiskCache()]
  const logged: CliEvent[] = []
  return {
    host,
    disk,
    logged,
    ...clientOf(host, disk.cache, (event) => void logged.push(event), patienceMs),
    async [Symbol.asyncDispose]() {
      await host[Symbol.asyncDispose]()
      await disk[Symbol.asyncDispose]()
    },
  }
}

test('a client that waits too long is sent away, and later finds the fetched file', async () => {
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
  let found = await opened.download('1.0.0')
  while (found === 'asset_pending') found = await opened.download('1.0.0')
  expect<string>(found).toBe(digest)
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

test('a fetch whose turn comes first looks for the file in the cache', async () => {
  await using opened = await open(5_000)
  const { digest, ...file } = newProgram(100_000)
  const versions = Array.from({ length: 12 }, (_, minor) => `1.${minor}.0`)
  for (const version of versions) opened.host.publish(`portico-v${version}`, [file])
  const all = await Promise.all(versions.map(opened.download))
  expect(new Set<string>(all)).toStrictEqual(new Set([digest]))
  expect(opened.host.opened).toHaveLength(4)
})

test('the wait is bounded while an old copy is verified, too', async () => {
  await using opened = await open()
  const { host, disk } = opened
  host.publish('portico-v1.0.0', [newProgram()])
  const verified = Promise.withResolvers<undefined>()
  const slow = { ...disk.cache, find: () => verified.promise }
  const { download } = clientOf(host, slow, () => {}, 50)
  expect(await download('1.0.0')).toBe('asset_pending')
  verified.resolve(undefined)
})

test('a caller that demands a digest does not join a fetch that accepts any', async () => {
  await using opened = await open(5_000)
  const { host, disk } = opened
  const { digest: _, ...file } = newProgram()
  const demanded = newProgram().digest
  host.publish('portico-v1.0.0', [{ ...file, sha256: null }])
  const listed = await host.releases.list(repository)
  const [release] = listed.ok ? listed.value : []
  const [asset] = release?.assets ?? []
  if (asset === undefined) throw new Error('no asset')
  const go = Promise.withResolvers<void>()
  host.answer(file.filename, (response) => void go.promise.then(() => response.end(file.bytes)))
  const downloads = createDownloads({
    releases: host.releases,
    repository,
    cache: disk.cache,
    clock: systemClock,
    stopping: new AbortController().signal,
    log: () => {},
  })
  const taking = downloads.obtain(asset, null)
  const demanding = downloads.obtain(asset, demanded)
  go.resolve()
  expect((await taking).ok).toBe(true)
  expect(await demanding).toMatchObject({ error: { kind: 'asset_corrupt' } })
  expect((await downloads.obtain(asset, null)).ok).toBe(true)
})

describe('checksums that a release has in a file', () => {
  const published = (digest: string, filename: string) => ({
    filename: 'SHA256SUMS',
    bytes: new TextEncoder().encode(`${digest}  ${filename}\n`),
    sha256: null,
  })

  test('are listed for the newest ten releases, and verify downloads of all', async () => {
    await using opened = await open(5_000)
    const { host } = opened
    const programs = Array.from({ length: 12 }, () => newProgram(100))
    for (const [minor, { digest, filename, bytes }] of programs.entries()) {
      const sums = published(minor === 1 ? '0'.repeat(64) : digest, filename)
      host.publish(`portico-v1.${minor}.0`, [{ filename, bytes, sha256: null }, sums])
    }
    const newest = programs
      .map(({ digest }) => String(digest))
      .toReversed()
      .slice(0, 10)
    expect(await opened.listed()).toStrictEqual([...newest, null, null])
    expect(host.opened).toHaveLength(10)
    expect<string>(await opened.download('1.0.0')).toBe(programs[0]?.digest ?? '')
    expect(await opened.download('1.1.0')).toBe('asset_corrupt')
    expect(await opened.listed()).toStrictEqual([...newest, null, programs[0]?.digest])
    expect(host.opened).toHaveLength(14)
  })

  test('are read once per list of the host, for any number of requests', async () => {
    await using opened = await open(5_000)
    const { host, disk } = opened
    const { digest, filename, bytes } = newProgram(100)
    host.publish('portico-v1.0.0', [{ filename, bytes, sha256: null }, published(digest, filename)])
    host.answer('SHA256SUMS', (response) => void response.writeHead(500).end())
    let now = 0
    const { listed } = clientOf(host, disk.cache, () => {}, 5_000, { now: () => now })
    expect(await listed()).toStrictEqual([null])
    now += 9_000
    expect(await listed()).toStrictEqual([null])
    expect(host.opened).toHaveLength(1)
    host.answer('SHA256SUMS')
    now += 60_000
    expect(await listed()).toStrictEqual([digest])
  })

  test('that leave the file out keep it from being served, and the log says so', async () => {
    await using opened = await open(5_000)
    const { filename, bytes } = newProgram()
    const sums = published('0'.repeat(64), 'another')
    opened.host.publish('portico-v1.0.0', [{ filename, bytes, sha256: null }, sums])
    expect(await opened.download('1.0.0')).toBe('git_host_error')
    expect(await opened.listed()).toStrictEqual([null])
    const reason = 'a file of checksums leaves out the file'
    const failure = { kind: 'git_host_error', reason } as const
    expect(opened.logged).toStrictEqual([{ kind: 'digest_unusable', filename, failure }])
    expect(opened.host.opened).toStrictEqual(['SHA256SUMS'])
  })
})

test('the git host of the demo is a release host', async () => {
  await using disk = await openDiskCache()
  const directory = join(disk.directory, 'git')
  const local = createLocalGitHost({ directory, publicUrl: 'http://portal.test' })
  const host = withReleases(local, directory)
  const author = { name: 'Ann', email: 'ann@acme.example' }
  const first = {
    description: '',
    team: TeamName.of('platform'),
    marker: 'test',
    message: 'First',
    author,
  }
  const files = [
    { kind: 'write', path: RepositoryPath.of('README'), bytes: new Uint8Array() },
  ] as const
  await host.createRepository(repository, { ...first, files })
  const { digest, filename, bytes } = newProgram(900_001)
  const release = { tag: 'portico-v1.0.0', name: '', notes: '', assets: [{ filename, bytes }] }
  const head = valueOf(await host.head(repository))
  await publishRelease(join(directory, 'acme', 'cli.git'), release, head.commit, 1)
  const { download } = clientOf(host, disk.cache, () => {}, 5_000)
  expect<string>(await download('1.0.0')).toBe(digest)
  expect<string>(await download('1.0.0')).toBe(digest)
})
