import { expect, test } from 'bun:test'
import { chmod, cp, readdir, readFile, rename, rm, truncate } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { deflateSync } from 'node:zlib'
import { createObjectReader, type ReadRequest } from '#src/lib/git/object-reader.ts'
import { objectReader, readBlobs, resolveObjects } from '#src/lib/git/objects.ts'
import { findEntries } from '#src/lib/git/trees.ts'
import { oid, path, value } from '#tests/contracts/git-host.ts'
import { git, type LocalFixture, openLocal } from '#tests/adapters/hosts/open-local.ts'
import { until } from '#tests/support/until.ts'

const NOWHERE = oid('0'.repeat(40))
const info = (...names: readonly string[]): ReadRequest => ({ command: 'info', names })

/** Writes one blob per text, packed. */
async function blobs({ scratch, bare }: LocalFixture, texts: readonly string[]) {
  const marks = join(scratch, crypto.randomUUID())
  const script = texts.map(
    (text, index) => `blob\nmark :${index + 1}\ndata ${text.length}\n${text}\n`,
  )
  const args = [`--git-dir=${bare}`, 'fast-import', '--quiet', `--export-marks=${marks}`]
  await git(scratch, args, script.join(''))
  const lines = (await Bun.file(marks).text()).trim().split('\n')
  const ids = new Map(lines.map((line) => [Number(line.slice(1, line.indexOf(' '))), line]))
  return texts.map((_, index) => oid(ids.get(index + 1)?.split(' ')[1] ?? ''))
}

const looseFile = ({ bare }: LocalFixture, id: string) =>
  join(bare, 'objects', id.slice(0, 2), id.slice(2))

async function looseBlob(fixture: LocalFixture, text: string) {
  const { scratch, bare } = fixture
  const args = [`--git-dir=${bare}`, 'hash-object', '-w', '--stdin']
  const id = oid((await git(scratch, args, text)).trim())
  await chmod(looseFile(fixture, id), 0o600)
  return id
}

/** Ids of the git processes that read this repository. */
async function readersOf(bare: string): Promise<readonly number[]> {
  const ids = (await readdir('/proc')).filter((name) => /^\d+$/.test(name))
  const commands = await Promise.all(
    ids.map((id) => readFile(`/proc/${id}/cmdline`, 'utf8').catch(() => '')),
  )
  return ids
    .filter((_, index) => commands[index]?.includes(`--git-dir=${bare}\0cat-file\0`))
    .map(Number)
}

const texts = (count: number) =>
  Array.from({ length: count }, (_, index) => `${index} ${'x'.repeat(900)}`)

test('names are answered in their order; one that git does not know or may not see is none', async () => {
  await using fixture = await openLocal()
  const { commit } = value(await fixture.host.head(fixture.repository))
  const names = [
    'main',
    'nothing',
    `${commit}:README.md`,
    'a\nb',
    '',
    'x'.repeat(5_000),
    `${commit}:no such file`,
    NOWHERE,
    `${commit}:catalog`,
  ]
  const found = value(await resolveObjects(fixture.bare, names))
  expect(found.map((one) => one && `${one.type} ${one.sizeBytes > 0}`)).toStrictEqual([
    'commit true',
    null,
    'blob true',
    null,
    null,
    null,
    null,
    null,
    'tree true',
  ])
  expect(found[0]?.id).toBe(commit)
  expect(value(await resolveObjects(fixture.bare, []))).toStrictEqual([])
})

test('what is missing, damaged, changed, too large or no blob concerns only itself', async () => {
  await using fixture = await openLocal()
  const { bare, scratch } = fixture
  const [first, last] = await blobs(fixture, ['first', 'last'])
  if (first === undefined || last === undefined) throw new Error('no blobs')
  const cut = await looseBlob(fixture, 'y'.repeat(50_000))
  await truncate(looseFile(fixture, cut), 60)
  const changed = await looseBlob(fixture, 'changed')
  await Bun.write(looseFile(fixture, changed), deflateSync('blob 7\0CHANGED'))
  const bomb = await looseBlob(fixture, '\0'.repeat(30_000_000))
  const tree = oid((await git(scratch, [`--git-dir=${bare}`, 'rev-parse', 'main:'])).trim())
  const ids = [first, NOWHERE, cut, changed, bomb, tree, last]
  const read = await Array.fromAsync(readBlobs(bare, ids, 100_000))
  expect(read.map(value)).toStrictEqual([
    { kind: 'read', id: first, bytes: new Uint8Array(Buffer.from('first')) },
    { kind: 'unreadable', id: NOWHERE },
    { kind: 'unreadable', id: cut },
    { kind: 'unreadable', id: changed },
    { kind: 'read', id: bomb, bytes: null },
    { kind: 'unreadable', id: tree },
    { kind: 'read', id: last, bytes: new Uint8Array(Buffer.from('last')) },
  ])
})

test('an object that is larger than was asked for is not held', async () => {
  await using fixture = await openLocal()
  const reader = createObjectReader()
  const bomb = await looseBlob(fixture, '\0'.repeat(30_000_000))
  const [small = NOWHERE] = await blobs(fixture, ['small'])
  const request = { command: 'contents', names: [small, bomb, small], bytesMax: 10 } as const
  const answers = value(await reader.ask(fixture.bare, request))
  expect(answers.map((one) => one?.bytes.length)).toStrictEqual([5, undefined, 5])
})

test('contents of all sizes arrive whole', async () => {
  await using fixture = await openLocal()
  const sizes = [0, 1, 4_095, 4_096, 65_535, 65_536, 3_000_000, 5_000_000, 2, 0]
  const contents = sizes.map((size, index) => String(index).repeat(size))
  const ids = await blobs(fixture, contents)
  const read = await Array.fromAsync(readBlobs(fixture.bare, ids, 10_000_000))
  const lengths = read.map((one) => (one.ok && one.value.kind === 'read' ? one.value.bytes : null))
  expect(lengths.map((bytes) => bytes?.length)).toStrictEqual(sizes)
})

test('who stops reading early disturbs nobody', async () => {
  await using fixture = await openLocal()
  const ids = await blobs(fixture, texts(3_000))
  for await (const read of readBlobs(fixture.bare, ids, 1_000)) {
    expect(value(read).id).toBe(ids[0] ?? NOWHERE)
    break
  }
  const read = await Array.fromAsync(readBlobs(fixture.bare, ids.toReversed(), 1_000))
  expect(read.map((one) => value(one).id)).toStrictEqual(ids.toReversed())
})

test('a thousand readers at once share one process', async () => {
  await using fixture = await openLocal()
  const { host, repository } = fixture
  const { commit } = value(await host.head(repository))
  const before = objectReader.starts()
  const wanted = [{ path: path('catalog/a.yaml') }]
  const read = await Promise.all(
    Array.from({ length: 1_000 }, () =>
      Array.fromAsync(host.readFiles(repository, commit, wanted, 1_000)),
    ),
  )
  expect(read.every(([one]) => one?.ok === true && one.value.bytes !== null)).toBe(true)
  expect(objectReader.starts() - before).toBe(1)
  expect(await readersOf(fixture.bare)).toHaveLength(1)
})

test('a process that is killed in the middle is replaced, and every object arrives', async () => {
  await using fixture = await openLocal()
  const ids = await blobs(fixture, texts(3_000))
  const before = objectReader.starts()
  let arrived = 0
  for await (const read of readBlobs(fixture.bare, ids, 1_000)) {
    expect(value(read)).toMatchObject({ kind: 'read', id: ids[arrived] ?? '' })
    arrived += 1
    if (arrived % 1_000 === 1) {
      for (const id of await readersOf(fixture.bare)) process.kill(id, 'SIGKILL')
    }
  }
  expect(arrived).toBe(3_000)
  expect(objectReader.starts() - before).toBeGreaterThan(1)
})

test('a process that hangs is killed after the deadline, and the next request gets another', async () => {
  await using fixture = await openLocal()
  const reader = createObjectReader({ deadlineMs: 300 })
  value(await reader.ask(fixture.bare, info('main')))
  const [hanging = 0] = await readersOf(fixture.bare)
  process.kill(hanging, 'SIGSTOP')
  const late = await reader.ask(fixture.bare, info('main'))
  expect(late).toStrictEqual({ ok: false, error: { kind: 'git_host_timeout' } })
  expect(value(await reader.ask(fixture.bare, info('main')))[0]?.type).toBe('commit')
  await until(async () => !(await readersOf(fixture.bare)).includes(hanging))
  expect(reader.starts()).toBe(2)
})

test('an idle process ends, and so does that of the least recently read repository', async () => {
  await using one = await openLocal()
  await using other = await openLocal()
  const reader = createObjectReader({ idleMs: 100 })
  value(await reader.ask(one.bare, info('main')))
  expect(await readersOf(one.bare)).toHaveLength(1)
  await until(async () => (await readersOf(one.bare)).length === 0)
  expect(value(await reader.ask(one.bare, info('main')))[0]?.type).toBe('commit')
  expect(reader.starts()).toBe(2)

  const narrow = createObjectReader({ processesMax: 1 })
  value(await narrow.ask(one.bare, info('main')))
  value(await narrow.ask(other.bare, info('main')))
  await until(async () => (await readersOf(one.bare)).length === 0)
  expect(await readersOf(other.bare)).toHaveLength(1)
})

test('a repository that was replaced at the same path is read anew', async () => {
  await using fixture = await openLocal()
  const { bare } = fixture
  const away = `${bare}.away`
  const [id = NOWHERE] = await blobs(fixture, ['of the old one'])
  const has = async () => (value(await resolveObjects(bare, [id]))[0] ?? null) !== null
  await cp(bare, away, { recursive: true })
  for (const replace of [() => rename(bare, `${bare}.old`), () => rm(bare, { recursive: true })]) {
    expect(await has()).toBe(true)
    await replace()
    expect(await resolveObjects(bare, [id])).toMatchObject({ error: { kind: 'git_host_error' } })
    await git(fixture.scratch, ['init', '--quiet', '--bare', bare])
    expect(await has()).toBe(false)
    await rm(bare, { recursive: true })
    await cp(away, bare, { recursive: true })
  }
  expect(await has()).toBe(true)
})

test('objects that arrive in a pack later are found, and those that move into one are not lost', async () => {
  await using fixture = await openLocal()
  const { bare, scratch } = fixture
  const loose = await looseBlob(fixture, 'loose')
  value(await resolveObjects(bare, [loose, 'main']))
  const [packed = NOWHERE] = await blobs(fixture, ['packed'])
  expect(value(await resolveObjects(bare, [packed]))[0]?.type).toBe('blob')
  await git(scratch, [`--git-dir=${bare}`, 'repack', '-adk', '--quiet'])
  const read = await Array.fromAsync(readBlobs(bare, [loose, packed], 100))
  expect(read.map((one) => value(one).kind)).toStrictEqual(['read', 'read'])
})

test('a folder that is no repository is a failure for all who ask, after one start', async () => {
  await using fixture = await openLocal()
  const reader = createObjectReader()
  const asked = Array.from({ length: 100 }, () => reader.ask(fixture.scratch, info('main')))
  for (const answer of await Promise.all(asked)) {
    expect(answer).toMatchObject({ error: { kind: 'git_host_error' } })
  }
  expect(reader.starts()).toBe(1)
})

test('a living process does not keep ours', async () => {
  await using fixture = await openLocal()
  const script = `
    const { createObjectReader } = await import('./src/lib/git/object-reader.ts')
    const request = { command: 'info', names: ['main'] }
    console.log((await createObjectReader().ask(${JSON.stringify(fixture.bare)}, request)).ok)`
  const child = Bun.spawn([process.execPath, '-e', script], {
    cwd: resolve(import.meta.dir, '../..'),
    stdout: 'pipe',
  })
  expect([await new Response(child.stdout).text(), await child.exited]).toStrictEqual(['true\n', 0])
  await until(async () => (await readersOf(fixture.bare)).length === 0)
})

test('of a path whose folder is damaged nobody says that it does not exist', async () => {
  await using fixture = await openLocal()
  const { bare, scratch } = fixture
  const { commit } = value(await fixture.host.head(fixture.repository))
  const files = [path('catalog/a.yaml'), path('catalog/none.yaml'), path('none/none.yaml')]
  const found = value(await findEntries(bare, commit, files))
  expect([...found.keys()].toSorted()).toStrictEqual(['', 'catalog', 'catalog/a.yaml'])
  const tree = (await git(scratch, [`--git-dir=${bare}`, 'rev-parse', 'main:catalog'])).trim()
  await rm(looseFile(fixture, tree))
  expect(await findEntries(bare, commit, files)).toMatchObject({
    error: { kind: 'git_host_error' },
  })
  const at = { commit, directory: path('catalog'), filesMax: 10 }
  const listed = await fixture.host.listFiles(fixture.repository, at)
  expect(listed).toMatchObject({ error: { kind: 'git_host_error' } })
})
