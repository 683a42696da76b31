import { expect, spyOn, test } from 'bun:test'
import { chmod, rm, truncate } from 'node:fs/promises'
import { join } from 'node:path'
import { deflateSync } from 'node:zlib'
import { objectReader, resolveObjects } from '#src/lib/git/objects.ts'
import { value, BYTES_MAX, MAIN, path } from '#tests/contracts/git-host.ts'
import { git, type LocalFixture, openLocal } from './open-local.ts'

/** Writes a tree of these lines of `git ls-tree`. */
const tree = async ({ scratch, bare }: LocalFixture, lines: readonly string[]) =>
  (await git(scratch, [`--git-dir=${bare}`, 'mktree', '--missing'], `${lines.join('\n')}\n`)).trim()

/** Adds trees to the catalog of the default branch. */
async function plantFolders(fixture: LocalFixture, folders: Readonly<Record<string, string>>) {
  const { scratch, bare, host, repository } = fixture
  const inBare = (args: readonly string[], stdin = '') =>
    git(scratch, [`--git-dir=${bare}`, ...args], stdin)
  const before = (await inBare(['ls-tree', 'main:catalog'])).trim().split('\n')
  const added = Object.entries(folders).map(([name, id]) => `040000 tree ${id}\t${name}`)
  const root = await tree(fixture, [
    `040000 tree ${await tree(fixture, [...before, ...added])}\tcatalog`,
  ])
  const commit = await inBare(['commit-tree', '-p', 'main', '-m', 'planted', root])
  await inBare(['update-ref', 'refs/heads/main', commit.trim()])
  return value(await host.head(repository)).commit
}

const BLOB = 'ce013625030ba8dba906f756967f9e9ca394464a'
const DIGITS = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]

test('eight small trees that are a hundred million paths cost only themselves', async () => {
  await using fixture = await openLocal()
  const { host, repository } = fixture
  let bomb = await tree(
    fixture,
    DIGITS.map((digit) => `100644 blob ${BLOB}\t${digit}.yaml`),
  )
  for (let level = 1; level < 8; level++) {
    bomb = await tree(
      fixture,
      DIGITS.map((digit) => `040000 tree ${bomb}\t${digit}`),
    )
  }
  const commit = await plantFolders(fixture, { bomb })
  const at = { commit, directory: path('catalog'), filesMax: 1_000 }
  const { files, skipped } = value(await host.listFiles(repository, at))
  expect(files).toHaveLength(1_000)
  expect(files.slice(0, 2).map((file) => String(file.path))).toStrictEqual([
    'catalog/a.yaml',
    'catalog/bomb/0/0/0/0/0/0/0/0.yaml',
  ])
  expect(files.at(-1)?.path).toBe(path('catalog/deep/b.yaml'))
  expect(skipped).toStrictEqual([{ rawPath: 'catalog/bomb', reason: 'too_many_files' }])
})

test('a chain of folders without an end, and a folder whose tree is missing, hide only themselves', async () => {
  await using fixture = await openLocal()
  const { host, repository } = fixture
  const missing = '1'.repeat(40)
  let chain = await tree(fixture, [`100644 blob ${BLOB}\tlast.yaml`])
  for (let depth = 0; depth < 80; depth++) {
    chain = await tree(fixture, [`040000 tree ${chain}\td`, `100644 blob ${BLOB}\tx.yaml`])
  }
  const commit = await plantFolders(fixture, { chain, gone: missing })
  const at = { commit, directory: path('catalog'), filesMax: 70 }
  const { files, skipped } = value(await host.listFiles(repository, at))
  expect(files.map((file) => String(file.path))).toContain('catalog/deep/b.yaml')
  expect(skipped.map(({ rawPath }) => rawPath).toSorted()).toStrictEqual([
    'catalog/chain',
    'catalog/gone',
  ])
})

/** A loose tree with a huge folder's files and, where given, a folder `0`. Git itself would take a second for each. */
async function hugeTree({ bare }: LocalFixture, folder: string | null): Promise<string> {
  const id = Buffer.from(folder ?? '', 'hex')
  const first = folder === null ? [] : [Buffer.from('40000 0\0'), id]
  const bytes = Buffer.concat([...first, HUGE])
  const object = Buffer.concat([Buffer.from(`tree ${bytes.length}\0`), bytes])
  const name = new Bun.CryptoHasher('sha1').update(object).digest('hex')
  const file = join(bare, 'objects', name.slice(0, 2), name.slice(2))
  await Bun.write(file, deflateSync(object, { level: 1 }))
  return name
}

/** 32,000 entries of 128 bytes. */
const HUGE = Buffer.concat(
  Array.from({ length: 32_000 }, (_, index) => [
    Buffer.from(`100644 ${`1${String(index).padStart(5, '0')}`.padEnd(100, 'x')}\0`),
    Buffer.from(BLOB, 'hex'),
  ]).flat(),
)

/** Bytes of the objects that git was asked for during the work. */
async function bytesAskedFor(work: () => Promise<void>): Promise<number> {
  using asked = spyOn(objectReader, 'ask')
  await work()
  const ids = asked.mock.calls.flatMap(([directory, { command, names }]) =>
    command === 'contents' ? names.map((name) => [directory, name] as const) : [],
  )
  let bytes = 0
  for (const [directory, name] of ids) {
    bytes += value(await resolveObjects(directory, [name]))[0]?.sizeBytes ?? 0
  }
  return bytes
}

test('a folder is too deep for a small listing from the 64th on', async () => {
  await using fixture = await openLocal()
  const { host, repository } = fixture
  const seed = value(await host.head(repository)).commit
  const listed: string[] = []
  let chain = await tree(fixture, [`100644 blob ${BLOB}\tlast.yaml`])
  for (let depth = 1; depth < 67; depth++) {
    if (depth >= 63) {
      const at = { commit: await plantFolders(fixture, { chain }), directory: path('catalog') }
      const { files, skipped } = value(await host.listFiles(repository, { ...at, filesMax: 1_000 }))
      listed.push(`${depth}: ${skipped.length === 0 ? files.length : 'cut'}`)
      await fixture.resetBranch(MAIN, seed)
    }
    chain = await tree(fixture, [`040000 tree ${chain}\td`])
  }
  expect(listed).toStrictEqual(['63: 3', '64: cut', '65: cut', '66: cut'])
})

test('a chain of huge folders is read up to the bytes of one listing, and hides only itself', async () => {
  await using fixture = await openLocal()
  const { host, repository } = fixture
  let chain = await hugeTree(fixture, null)
  for (let level = 1; level < 20; level++) chain = await hugeTree(fixture, chain)
  const commit = await plantFolders(fixture, { chain })
  const at = { commit, directory: path('catalog') }
  const bytes = await bytesAskedFor(async () => {
    const { files, skipped } = value(await host.listFiles(repository, { ...at, filesMax: 1_000 }))
    // The folder that is not read takes its share, too.
    expect(files).toHaveLength(999)
    expect(files.at(-1)?.path).toBe(path('catalog/deep/b.yaml'))
    expect(skipped).toStrictEqual([{ rawPath: 'catalog/chain', reason: 'too_many_files' }])
  })
  const listingMax = 64 * 1024 * 1024
  expect(bytes).toBeGreaterThan(listingMax - HUGE.length - 1_000)
  expect(bytes).toBeLessThan(listingMax + 1_000)
  expect((await host.listFiles(repository, at)).ok).toBe(false)
})

test('a folder whose tree is missing is left out of a small listing too; the root cannot be', async () => {
  await using fixture = await openLocal()
  const { host, repository, scratch, bare } = fixture
  const commit = await plantFolders(fixture, { gone: '1'.repeat(40) })
  const at = { commit, directory: path('catalog') }
  const { files, skipped } = value(await host.listFiles(repository, { ...at, filesMax: 1_000 }))
  expect(files.map((file) => String(file.path))).toStrictEqual([
    'catalog/a.yaml',
    'catalog/deep/b.yaml',
  ])
  expect(skipped).toStrictEqual([{ rawPath: 'catalog/gone', reason: 'too_many_files' }])
  expect((await host.listFiles(repository, at)).ok).toBe(false)

  const root = (await git(scratch, [`--git-dir=${bare}`, 'rev-parse', 'main^{tree}'])).trim()
  await rm(join(bare, 'objects', root.slice(0, 2), root.slice(2)))
  expect((await host.listFiles(repository, { ...at, filesMax: 1_000 })).ok).toBe(false)
})

test('of files whose content is missing, cut off, empty or changed each is named, and the others are read', async () => {
  await using fixture = await openLocal()
  const { host, repository, scratch, bare } = fixture
  const inBare = (args: readonly string[], stdin = '') =>
    git(scratch, [`--git-dir=${bare}`, ...args], stdin)
  const contents = Object.fromEntries(
    DIGITS.map((digit) => [`${digit}.yaml`, `${digit}`.repeat(5_000)]),
  )
  const blobs: string[] = []
  for (const content of Object.values(contents)) {
    blobs.push((await inBare(['hash-object', '-w', '--stdin'], content)).trim())
  }
  const folder = await tree(
    fixture,
    blobs.map((blob, digit) => `100644 blob ${blob}\t${digit}.yaml`),
  )
  const commit = await plantFolders(fixture, { folder })
  const at = { commit, directory: path('catalog/folder') }
  const fileOf = (digit: number) => {
    const blob = blobs[digit] ?? ''
    return join(bare, 'objects', blob.slice(0, 2), blob.slice(2))
  }
  const damaged = [2, 3, 5, 7]
  for (const digit of damaged) await chmod(fileOf(digit), 0o600)
  await rm(fileOf(2))
  await truncate(fileOf(3), 20)
  await truncate(fileOf(7), 0)
  // With a wrong checksum git ends in the middle.
  const bytes = await Bun.file(fileOf(5)).bytes()
  await Bun.write(fileOf(5), [bytes.subarray(0, -1), Uint8Array.of((bytes.at(-1) ?? 0) ^ 1)])

  const { files } = value(await host.listFiles(repository, at))
  expect(files).toHaveLength(10)
  const read = await Array.fromAsync(host.readFiles(repository, commit, files, BYTES_MAX))
  const outcomes = read.map((one) =>
    one.ok
      ? one.value.bytes?.length
      : one.error.kind === 'git_file_unreadable'
        ? one.error.path
        : one.error.kind,
  )
  expect<unknown[]>(outcomes).toStrictEqual(
    DIGITS.map((digit) => (damaged.includes(digit) ? `catalog/folder/${digit}.yaml` : 5_000)),
  )
})
