import { describe, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { mkdir, stat, symlink, utimes, writeFile } from 'node:fs/promises'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { assetCacheContract, keep, ROOM_BYTES } from '#tests/contracts/asset-cache.ts'
import { errnoOf } from '#src/lib/files/errno.ts'
import { putInPlace } from '#src/lib/adapters/asset-cache/put-in-place.ts'
import { bytesOf, sha256Of, streamOf } from '#tests/support/assets.ts'
import { type DiskFixture, openDiskCache } from './open-disk-cache.ts'

assetCacheContract('disk', openDiskCache)

const A = bytesOf(300_000, 1)
const sha256 = sha256Of(A)
const peer = (name: string) => new URL(`../../peers/${name}`, import.meta.url).pathname

describe('disk: a copy that is not what it was', () => {
  const flip = async (file: string) => Bun.write(file, A.with(7, (A[7] ?? 0) ^ 1))

  test.each([
    ['has another byte', flip],
    ['is shorter', (file: string) => Bun.write(file, A.subarray(1))],
    ['is longer', (file: string) => Bun.write(file, bytesOf(300_001, 1))],
    ['is empty', (file: string) => Bun.write(file, '')],
  ])('%s: is not handed out, and goes', async (_, damage) => {
    for (const restarted of [true, false]) {
      await using fixture = await openDiskCache()
      const { cache, another, fileOf } = fixture
      await keep(cache, A)
      await damage(fileOf(sha256))
      expect(await (restarted ? another() : cache).find(sha256)).toBeUndefined()
      expect((await fixture.files()).copies).toStrictEqual([])
      expect((await keep(cache, A)).ok).toBe(true)
    }
  })

  test('with the time and the size that it had: a process that has not verified it finds out', async () => {
    await using fixture = await openDiskCache()
    const file = fixture.fileOf(sha256)
    await keep(fixture.cache, A)
    const { mtimeMs } = await stat(file)
    await flip(file)
    await utimes(file, Date.now() / 1000, mtimeMs / 1000)
    expect(await fixture.another().find(sha256)).toBeUndefined()
  })

  test.skipIf(!existsSync('/proc/self/io'))('is read once, however many ask for it', async () => {
    await using fixture = await openDiskCache()
    await keep(fixture.cache, A)
    const cache = fixture.another()
    const before = bytesRead()
    const found = await Promise.all(Array.from({ length: 50 }, () => cache.find(sha256)))
    expect(found.filter((copy) => copy?.sha256 === sha256)).toHaveLength(50)
    await cache.find(sha256)
    expect(bytesRead() - before).toBeLessThan(3 * A.length)
  })
})

test.skipIf(!existsSync('/proc/self/io'))(
  'disk: its own copies it does not read again',
  async () => {
    await using fixture = await openDiskCache()
    const before = bytesRead()
    await keep(fixture.cache, A)
    for (let time = 0; time < 5; time += 1) expect(await fixture.cache.find(sha256)).toBeDefined()
    expect(bytesRead() - before).toBeLessThan(A.length / 2)
  },
)

/** Bytes that this process has read from anywhere. */
const bytesRead = () => Number(/rchar: (\d+)/.exec(readFileSync('/proc/self/io', 'utf8'))?.[1])

describe('disk: what was left behind', () => {
  test('a killed process leaves no copy, and what it left goes when it is old', async () => {
    await using fixture = await openDiskCache()
    const { directory } = fixture
    const command = [process.execPath, peer('fill-cache.ts'), directory, '1000000', 'half']
    const child = Bun.spawn(command, { stdout: 'pipe', stderr: 'inherit' })
    await child.stdout.getReader().read()
    child.kill('SIGKILL')
    await child.exited
    const [left = ''] = (await fixture.files()).incoming
    await fixture.cache.sweep()
    expect((await fixture.files()).incoming).toStrictEqual([left])

    await utimes(join(directory, 'incoming', left), 1_000_000, 1_000_000)
    await fixture.cache.sweep()
    expect(await fixture.files()).toStrictEqual({ copies: [], incoming: [] })
    expect(await fixture.cache.find(sha256)).toBeUndefined()
    expect((await keep(fixture.cache, A)).ok).toBe(true)
  })

  test('what another container writes stays, though it has our host name and our number', async () => {
    await using fixture = await openDiskCache()
    await keep(fixture.cache, A)
    const incoming = join(fixture.directory, 'incoming')
    const host = Bun.hash(hostname()).toString(36)
    const id = crypto.randomUUID()
    const names = [`${host}.${process.pid}.${id}.${id}`, `${host}.4194304.${id}.${id}`, id]
    for (const name of names) await writeFile(join(incoming, name), 'x')
    await writeFile(join(incoming, 'old'), 'x')
    await utimes(join(incoming, 'old'), 1_000_000, 1_000_000)
    await fixture.cache.sweep()
    expect((await fixture.files()).incoming.toSorted()).toStrictEqual(names.toSorted())
  })

  test('counts, and is swept before anything is given up', async () => {
    await using fixture = await openDiskCache()
    const incoming = join(fixture.directory, 'incoming')
    await mkdir(incoming, { recursive: true })
    await writeFile(join(incoming, 'whatever'), new Uint8Array(ROOM_BYTES))
    expect(await keep(fixture.cache, A)).toMatchObject({ error: { kind: 'asset_cache_full' } })
    await utimes(join(incoming, 'whatever'), 1_000_000, 1_000_000)
    expect((await keep(fixture.cache, A)).ok).toBe(true)
  })
})

describe('disk: several processes fill it at once', () => {
  const start = (directory: string, bound: number, seeds: readonly number[]) =>
    Bun.spawn(
      [process.execPath, peer('fill-cache.ts'), directory, String(bound), ...seeds.map(String)],
      { stdout: 'pipe', stderr: 'inherit' },
    )

  test('and it stays whole', async () => {
    await using fixture = await openDiskCache()
    const { directory, fileOf } = fixture
    const work = [
      [1, 2, 3, 4],
      [4, 3, 2, 1],
      [5, 1, 6, 2],
    ] as const
    const children = work.map((seeds) => start(directory, 4_000_000, seeds))
    const printed = await Promise.all(children.map(({ stdout }) => stdout.text()))
    expect(printed).toStrictEqual(work.map(() => 'true\n'.repeat(4)))
    const { copies, incoming } = await fixture.files()
    expect(incoming).toStrictEqual([])
    expect(copies).toHaveLength(6)
    for (const seed of [1, 2, 3, 4, 5, 6]) {
      const bytes = bytesOf(300_000, seed)
      expect(sha256Of(await Bun.file(fileOf(sha256Of(bytes))).bytes())).toBe(sha256Of(bytes))
    }
  })

  test('and no copy takes it beyond its bounds', async () => {
    await using fixture = await openDiskCache()
    const children = [0, 10, 20].map((from) =>
      start(fixture.directory, 1_000_000, [from + 1, from + 2, from + 3]),
    )
    const all = Promise.all(children.map(({ stdout }) => stdout.text()))
    while (children.some(({ exitCode }) => exitCode === null)) {
      expect((await fixture.files()).copies.length).toBeWithin(0, 4)
      await Bun.sleep(1)
    }
    const outcomes = (await all).join('').trim().split('\n')
    expect([...new Set(outcomes)].toSorted()).toStrictEqual(['asset_cache_full', 'true'])
    expect((await fixture.files()).copies.length).toBeWithin(1, 4)
  })
})

describe('disk: that cannot be used', () => {
  test('is a failure of the keeper; the finder finds nothing', async () => {
    await using fixture = await openDiskCache()
    await writeFile(fixture.directory, 'a file')
    expect(await keep(fixture.cache, A)).toStrictEqual({
      ok: false,
      error: { kind: 'asset_cache_broken', reason: 'ENOTDIR' },
    })
    expect(await fixture.cache.find(sha256)).toBeUndefined()
    await fixture.cache.sweep()
  })

  const namespace = ['unshare', '--user', '--map-root-user', '--mount']
  const hasNamespaces =
    Bun.which('unshare') !== null && Bun.spawnSync([...namespace, 'true']).success

  test.skipIf(!hasNamespaces)('has no room, or may not be written to', async () => {
    await using fixture = await openDiskCache()
    await mkdir(fixture.directory)
    const command = [...namespace, process.execPath, peer('small-cache-disk.ts'), fixture.directory]
    const child = Bun.spawn(command, { stdout: 'pipe', stderr: 'inherit' })
    expect(JSON.parse(await child.stdout.text())).toStrictEqual({
      small: 'kept',
      'larger than the disk': { kind: 'asset_cache_full' },
      'when others have to go': 'kept',
      those: false,
      'filled by somebody else in the middle': { kind: 'asset_cache_full' },
      'left behind': '',
      'with room again': 'kept',
      'into the reserve': { kind: 'asset_cache_full' },
      'beside another that is not written yet': { kind: 'asset_cache_full' },
      'that other': 'kept',
      'into what is left free by itself': { kind: 'asset_cache_full' },
      'on a read-only disk': { kind: 'asset_cache_broken', reason: 'EROFS' },
      'read from it': true,
    })
  })
})

describe('disk: something else in the place of a copy', () => {
  test.each([
    ['a pipe', (path: string) => Bun.spawn(['mkfifo', path]).exited],
    ['an empty folder', (path: string) => mkdir(path)],
    ['a link to a file', (path: string) => symlink(import.meta.path, path)],
    ['a link to nothing', (path: string) => symlink('nothing', path)],
  ])('%s is no copy, and makes way for one', async (_, put) => {
    await using fixture = await openDiskCache()
    await mkdir(join(fixture.directory, 'sha256'), { recursive: true })
    await put(fixture.fileOf(sha256))
    expect(await fixture.cache.find(sha256)).toBeUndefined()
    await put(fixture.fileOf(sha256))
    expect((await keep(fixture.cache, A)).ok).toBe(true)
    expect(await fixture.another().find(sha256)).toBeDefined()
    expect(existsSync(import.meta.path)).toBe(true)
  })

  test('a folder with something in it is somebody’s: the keeper says that it cannot be used', async () => {
    await using fixture = await openDiskCache()
    await mkdir(join(fixture.fileOf(sha256), 'below'), { recursive: true })
    expect(await fixture.cache.find(sha256)).toBeUndefined()
    expect(await keep(fixture.cache, A)).toMatchObject({ error: { kind: 'asset_cache_broken' } })
    expect((await fixture.files()).copies).toStrictEqual([sha256])
  })

  test('what is no file is not taken for room', async () => {
    await using fixture = await openDiskCache()
    const large = join(fixture.directory, 'large')
    await keep(fixture.cache, A)
    await writeFile(large, new Uint8Array(ROOM_BYTES))
    await symlink(large, fixture.fileOf(sha256Of(bytesOf(10))))
    expect((await keep(fixture.cache, bytesOf(300_000, 2))).ok).toBe(true)
  })
})

describe('disk: another process was faster', () => {
  /** Keeps A, and acts before it is complete. */
  async function keepWhile(fixture: DiskFixture, meanwhile: () => Promise<unknown>) {
    async function* halves() {
      yield A.slice(0, 150_000)
      await meanwhile()
      yield A.slice(150_000)
    }
    const expected = { sizeBytes: A.length, sha256 }
    const { signal } = new AbortController()
    return fixture.cache.keep(expected, streamOf(halves()).stream, signal)
  }

  test('its copy stays, which others may be reading', async () => {
    await using fixture = await openDiskCache()
    let inode: number | undefined
    const kept = await keepWhile(fixture, async () => {
      await keep(fixture.another(), A)
      inode = (await stat(fixture.fileOf(sha256))).ino
    })
    expect(kept.ok && sha256Of(await kept.value.content.bytes())).toBe(sha256)
    expect((await stat(fixture.fileOf(sha256))).ino).toBe(inode ?? 0)
    expect((await fixture.files()).incoming).toStrictEqual([])
  })

  test('its copy is not believed: a bad one is replaced', async () => {
    await using fixture = await openDiskCache()
    const kept = await keepWhile(fixture, () =>
      writeFile(fixture.fileOf(sha256), bytesOf(300_000, 2)),
    )
    expect(kept.ok && sha256Of(await kept.value.content.bytes())).toBe(sha256)
  })

  test('where a file cannot have a second name, a rename does', async () => {
    await using fixture = await openDiskCache()
    await mkdir(fixture.directory, { recursive: true })
    const [from, to] = ['from', 'to'].map((name) => join(fixture.directory, name))
    if (from === undefined || to === undefined) throw new Error('no names')
    const refusing = (code: string) => () =>
      Promise.reject(Object.assign(new Error(code), { code }))
    for (const code of ['EPERM', 'EOPNOTSUPP', 'ENOTSUP', 'ENOSYS']) {
      await writeFile(from, code)
      expect(await putInPlace(from, to, refusing(code))).toBe('placed')
      expect(await Bun.file(to).text()).toBe(code)
    }
    await writeFile(from, 'x')
    expect(await putInPlace(from, to)).toBe('taken')
    expect(await putInPlace(from, to, refusing('EIO')).catch(errnoOf)).toBe('EIO')
    expect(await Bun.file(to).text()).toBe('ENOSYS')
  })
})

test('disk: only the owner reads it', async () => {
  await using fixture = await openDiskCache()
  await keep(fixture.cache, A)
  expect((await stat(join(fixture.directory, 'sha256'))).mode & 0o777).toBe(0o700)
  expect((await stat(fixture.fileOf(sha256))).mode & 0o777).toBe(0o600)
})
