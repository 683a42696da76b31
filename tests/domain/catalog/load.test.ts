import { describe, expect, test } from 'bun:test'
import { loadSnapshot } from '#src/lib/domain/catalog/load.ts'
import type { Snapshot } from '#src/lib/domain/catalog/snapshot.ts'
import type { ObjectId } from '#src/lib/names.ts'
import { ok, type Result } from '#src/lib/result.ts'
import type { FileContent, GitFailure } from '#src/lib/ports/git-host.ts'
import { value } from '#tests/contracts/git-host.ts'
import { entity } from '#tests/support/hostile-yaml.ts'
import {
  type Call,
  createRepository,
  directParser,
  DOWN,
  type Files,
  sourceOf,
} from './repository.ts'

const A = { 'catalog/a.yaml': entity('a') }
const B = { 'catalog/b.yaml': entity('b') }

function world(files: Files = { ...A, ...B }) {
  const repository = createRepository(files)
  const source = sourceOf(repository)
  const load = (previous?: Snapshot) => loadSnapshot(source, previous)
  /** What the next load asks for. */
  const forget = () => {
    repository.calls.length = 0
    repository.read.length = 0
  }
  return { repository, load, forget }
}

/** Another process, which begins with what was remembered before. */
function later(
  { repository }: Pick<ReturnType<typeof world>, 'repository'>,
  recalled: Snapshot | null,
) {
  const warmed: true[] = []
  const parsed: number[] = []
  const remembered: ObjectId[][] = []
  const source = {
    ...sourceOf(repository),
    parser: {
      ...directParser,
      warm: () => void warmed.push(true),
      parse(files: readonly Uint8Array[]) {
        parsed.push(files.length)
        return directParser.parse(files)
      },
    },
    kept: {
      recall: async () =>
        new Map([...(recalled?.files.values() ?? [])].map(({ blob, parsed }) => [blob, parsed])),
      restore: async () => undefined,
      remember: ({ files }: Snapshot) =>
        void remembered.push([...files.values()].map(({ blob }) => blob)),
      confirm: () => undefined,
    },
  }
  const load = (previous?: Snapshot) => loadSnapshot(source, previous)
  return { load, warmed, parsed, remembered }
}

const namesOf = ({ entities }: Snapshot) => entities.map(({ card }) => card.name)

describe('reads only what it does not know', () => {
  test('at first everything, the same content once', async () => {
    const { repository, load } = world({ ...A, 'catalog/copy.yml': entity('a'), ...B })
    const snapshot = value(await load())
    expect(repository.read).toHaveLength(2)
    expect(repository.calls).toStrictEqual(['head', 'listFiles', 'readFiles'])
    expect(snapshot.files.size).toBe(3)
    expect(snapshot.commit).toBe(repository.head)
  })

  test('the same commit: nothing but the head', async () => {
    const { repository, load, forget } = world()
    const snapshot = value(await load())
    forget()
    expect(value(await load(snapshot))).toBe(snapshot)
    expect(repository.calls).toStrictEqual(['head'])
  })

  test('another commit with the same folder: no file, the same entities', async () => {
    const { repository, load, forget } = world()
    const before = value(await load())
    const commit = repository.commit({ ...A, ...B, 'overlays/x.yaml': 'a: 1' })
    forget()
    const after = value(await load(before))
    expect(repository.calls).toStrictEqual(['head', 'listFiles'])
    expect(after.entities).toBe(before.entities)
    expect(after).toStrictEqual({ ...before, commit })
  })

  // prettier-ignore
  test.each<[string, Files, string[], string[]]>([
    ['a changed file',   { ...A, 'catalog/b.yaml': entity('b2') },  [entity('b2')],  ['a', 'b2']],
    ['a new file',       { ...A, ...B, 'catalog/c/d.yml': entity('c') }, [entity('c')], ['a', 'b', 'c']],
    ['a file less',      A,                                         [],              ['a']],
    ['a new name',       { ...A, 'catalog/z.yaml': entity('b') },   [],              ['a', 'b']],
    ['a copy',           { ...A, ...B, 'catalog/z.yaml': entity('b') }, [],          ['a', 'b']],
    ['two swapped',      { 'catalog/a.yaml': entity('b'), 'catalog/b.yaml': entity('a') }, [], ['a', 'b']],
    ['another ending',   { ...A, 'catalog/b.yaml': entity('b'), 'catalog/c.txt': entity('c'), 'catalog/yaml': 'x', 'catalog/d.YAML': 'x' }, [], ['a', 'b']],
    ['another folder',   { ...A, ...B, 'catalogue/c.yaml': entity('c') }, [],        ['a', 'b']],
  ])('%s', async (_, files, contents, names) => {
    const { repository, load, forget } = world()
    const before = value(await load())
    repository.commit(files)
    forget()
    const after = value(await load(before))
    const blobs = contents.map((content) => new Bun.CryptoHasher('sha1').update(content).digest('hex'))
    expect<string[]>(repository.read).toStrictEqual(blobs)
    expect(namesOf(after)).toStrictEqual(names)
    expect(after).toStrictEqual(value(await load()))
  })

  test('a branch that was forced back', async () => {
    const { repository, load } = world()
    const old = repository.head
    const before = value(await load())
    repository.commit({ ...A, 'catalog/b.yaml': entity('b2') })
    const between = value(await load(before))
    repository.head = old
    expect(value(await load(between))).toStrictEqual(before)
  })
})

describe('keeps the old snapshot', () => {
  test.each<Call>(['head', 'listFiles', 'readFiles'])('when %s fails', async (call) => {
    const { repository, load } = world()
    const before = value(await load())
    const copy = structuredClone(before)
    repository.commit({ ...A, ...B, 'catalog/c.yaml': entity('c') })
    repository.failing.add(call)
    expect(await load(before)).toStrictEqual({ ok: false, error: DOWN })
    expect(structuredClone(before)).toStrictEqual(copy)

    repository.failing.clear()
    expect(namesOf(value(await load(before)))).toStrictEqual(['a', 'b', 'c'])
  })

  type Delivery = (contents: readonly FileContent[]) => readonly Result<FileContent, GitFailure>[]
  // prettier-ignore
  test.each<[string, Delivery, GitFailure]>([
    ['breaks off in the middle',    (contents) => [...contents.slice(1).map((file) => ok(file)), { ok: false, error: DOWN }], DOWN],
    ['leaves a file out',           (contents) => contents.slice(1).map((file) => ok(file)), { kind: 'git_host_error', reason: 'files are missing' }],
    ['delivers nothing',            () => [], { kind: 'git_host_error', reason: 'files are missing' }],
    ['delivers something else',     (contents) => contents.map((file) => ok({ ...file, blob: file.blob.replaceAll(/./g, '0') as typeof file.blob })), { kind: 'git_host_error', reason: 'files are missing' }],
  ])('when the host %s', async (_, deliver, error) => {
    const { repository, load } = world()
    const before = value(await load())
    repository.commit({ 'catalog/c.yaml': entity('c'), 'catalog/d.yaml': entity('d') })
    repository.deliver = deliver
    expect(await load(before)).toStrictEqual({ ok: false, error })
    expect(namesOf(before)).toStrictEqual(['a', 'b'])
  })

  test.each<[string, Files]>([
    ['the folder is gone', { 'README.md': '' }],
    ['the branch is empty', {}],
    ['no file of the folder is YAML', { 'catalog/README.md': '' }],
  ])('when %s', async (_, files) => {
    const { repository, load } = world()
    const before = value(await load())
    repository.commit(files)
    expect(await load(before)).toStrictEqual({ ok: false, error: { kind: 'catalog_empty' } })
    repository.commit(A)
    expect(namesOf(value(await load(before)))).toStrictEqual(['a'])
  })
})

test('an empty repository is an empty catalog, as long as there was nothing', async () => {
  const { repository, load } = world({})
  const empty = value(await load())
  expect(empty.entities).toStrictEqual([])
  repository.commit({ x: '1' })
  expect(value(await load(empty)).entities).toStrictEqual([])
  repository.commit(A)
  expect(namesOf(value(await load(empty)))).toStrictEqual(['a'])
})

test('what is delivered twice, or without being asked for, changes nothing', async () => {
  const { repository, load } = world()
  repository.deliver = (contents) =>
    [...contents, ...contents].flatMap((file) => [
      ok(file),
      ok({ ...file, blob: file.blob.replaceAll(/./g, 'f') as typeof file.blob }),
    ])
  const snapshot = value(await load())
  expect(namesOf(snapshot)).toStrictEqual(['a', 'b'])
  expect([...snapshot.files.keys()]).toHaveLength(2)
})

test('a huge file is a problem', async () => {
  const { load } = world({ ...A, 'catalog/huge.yaml': `#${'x'.repeat(1024 * 1024)}` })
  const snapshot = value(await load())
  expect(namesOf(snapshot)).toStrictEqual(['a'])
  expect(snapshot.problems).toMatchObject([{ path: 'catalog/huge.yaml', code: 'file_too_large' }])
})

test('more files than fit into one batch', async () => {
  const files = Object.fromEntries(
    Array.from({ length: 600 }, (_, index) => [`catalog/${index}.yaml`, entity(`e${index}`)]),
  )
  const { load } = world(files)
  expect(value(await load()).entities).toHaveLength(600)
})

test('a parser that fails is a failure of the load, and of nothing else', async () => {
  const repository = createRepository(A)
  const parser = { ...directParser, parse: () => Promise.reject(new Error('no thread')) }
  const source = { ...sourceOf(repository), parser }
  expect(await loadSnapshot(source, undefined)).toStrictEqual({
    ok: false,
    error: { kind: 'catalog_parser_failed', reason: 'Error: no thread' },
  })
  repository.deliver = (contents) => [
    ...Array.from({ length: 300 }, () => contents.map((file) => ok(file))).flat(),
    { ok: false, error: DOWN },
  ]
  expect(await loadSnapshot(source, undefined)).toStrictEqual({ ok: false, error: DOWN })
})

describe('what an earlier process parsed', () => {
  test('is neither read nor parsed again, needs no thread, and is the same', async () => {
    const first = world()
    const before = value(await first.load())
    first.forget()
    const second = later(first, before)
    const after = value(await second.load())
    expect(first.repository.read).toStrictEqual([])
    expect([second.parsed, second.warmed]).toStrictEqual([[], []])
    expect(after).toEqual(before)
  })

  test('spares what did not change', async () => {
    const first = world()
    const before = value(await first.load())
    first.repository.commit({ ...A, 'catalog/c.yaml': entity('c') })
    first.forget()
    const second = later(first, before)
    expect(namesOf(value(await second.load()))).toStrictEqual(['a', 'c'])
    expect(second.parsed).toStrictEqual([1])
    expect(first.repository.read).toHaveLength(1)
    expect(second.remembered.map(({ length }) => length)).toStrictEqual([2])
  })

  test('is recalled once: later loads go by what is served', async () => {
    const first = world()
    const before = value(await first.load())
    const second = later(first, before)
    const served = value(await second.load())
    first.repository.commit({ ...A, ...B, 'catalog/c.yaml': entity('c') })
    value(await second.load(served))
    expect([second.parsed, second.warmed]).toStrictEqual([[1], [true]])
  })

  test('may be nothing: then everything is parsed, and remembered', async () => {
    const first = world()
    const second = later(first, null)
    value(await second.load())
    expect([second.parsed, second.warmed]).toStrictEqual([[2], [true]])
    expect(second.remembered.map(({ length }) => length)).toStrictEqual([2])
  })
})
