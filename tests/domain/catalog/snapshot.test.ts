import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { loadSnapshot } from '#src/lib/domain/catalog/load.ts'
import { type Snapshot, versionOf } from '#src/lib/domain/catalog/snapshot.ts'
import { value } from '#tests/contracts/git-host.ts'
import { entity } from '#tests/support/hostile-yaml.ts'
import { createRepository, type Files, sourceOf } from './repository.ts'

function world(files: Files) {
  const repository = createRepository(files)
  const source = sourceOf(repository)
  const load = async (previous?: Snapshot) => value(await loadSnapshot(source, previous))
  return { repository, load }
}

const of = (kind: string, name: string) => entity(name).replace('Component', kind)
const placesOf = ({ entities }: Snapshot) => entities.map(({ ref, path }) => `${ref} ${path}`)
const problemsOf = ({ problems }: Snapshot) =>
  problems.map(({ severity, code, path, line, ref }) => [severity, code, path, line, ref])

test('entities are sorted by kind, without case, then name', async () => {
  const { load } = world({
    'catalog/1.yaml': [of('System', 'a'), of('component', 'b'), of('Component', 'c')].join('---\n'),
    'catalog/2.yaml': [of('API', 'z'), of('Component', 'a'), of('component', 'a-b')].join('---\n'),
  })
  expect((await load()).entities.map(({ ref }) => ref)).toStrictEqual([
    'api/z',
    'component/a',
    'component/a-b',
    'component/b',
    'component/c',
    'system/a',
  ])
})

test('an entity is found by its reference, with its JSON, path and line', async () => {
  const { load } = world({ 'catalog/x/a.yml': `${entity('a')}---\n${entity('b', 'x: 1\n')}` })
  const found = (await load()).byRef.get('component/b')
  expect(found).toMatchObject({ path: 'catalog/x/a.yml', line: 6, ref: 'component/b' })
  expect(JSON.parse(found?.json ?? '')).toStrictEqual({
    apiVersion: 'portico/v1',
    kind: 'Component',
    metadata: { name: 'b' },
    x: 1,
  })
})

describe('duplicates', () => {
  const first = { 'catalog/a.yaml': entity('twin', 'at: a\n') }
  const second = { 'catalog/b.yaml': entity('other') + '---\n' + entity('twin', 'at: b\n') }
  const third = { 'catalog/c.yaml': entity('twin').replace('Component', 'COMPONENT') }

  test('the first by path is served, and both are named', async () => {
    const { load } = world({ ...third, ...second, ...first })
    const snapshot = await load()
    expect(placesOf(snapshot)).toStrictEqual([
      'component/other catalog/b.yaml',
      'component/twin catalog/a.yaml',
    ])
    const path = snapshot.byRef.get('component/twin')?.path as string | undefined
    expect(path).toBe('catalog/a.yaml')
    expect(problemsOf(snapshot)).toStrictEqual([
      ['warning', 'entity_duplicate', 'catalog/a.yaml', 1, 'component/twin'],
      ['warning', 'entity_duplicate', 'catalog/a.yaml', 1, 'component/twin'],
      ['error', 'entity_duplicate', 'catalog/b.yaml', 6, 'component/twin'],
      ['error', 'entity_duplicate', 'catalog/c.yaml', 1, 'component/twin'],
    ])
    expect(snapshot.problems.map(({ message }) => message)).toStrictEqual([
      'served, and hides the same entity in catalog/b.yaml:6',
      'served, and hides the same entity in catalog/c.yaml:1',
      'hidden, because catalog/a.yaml:1 has the same entity and comes first',
      'hidden, because catalog/a.yaml:1 has the same entity and comes first',
    ])
  })

  test('within one file the first by line', async () => {
    const { load } = world({ 'catalog/a.yaml': `${entity('x')}---\n${entity('x')}` })
    const snapshot = await load()
    expect(snapshot.entities.map(({ line }) => line)).toStrictEqual([1])
    expect(problemsOf(snapshot).map(([severity, , , line]) => [severity, line])).toStrictEqual([
      ['warning', 1],
      ['error', 6],
    ])
  })

  test('comes back when what hid it goes', async () => {
    const { repository, load } = world({ ...first, ...second })
    const before = await load()
    repository.commit(second)
    const after = await load(before)
    expect(placesOf(after)).toContain('component/twin catalog/b.yaml')
    expect(after.problems).toStrictEqual([])
    repository.commit({ ...first, ...second })
    expect(await load(after)).toStrictEqual({ ...before, commit: repository.head })
  })
})

test('what cannot be read is a problem of its path', async () => {
  const { repository, load } = world({
    'catalog/a.yaml': entity('a'),
    'catalog/bad.yaml': 'a: [\n',
  })
  repository.skipped = [
    { rawPath: 'catalog/link.yaml', reason: 'symbolic_link' },
    { rawPath: 'catalog/sub.yml', reason: 'submodule' },
    { rawPath: 'catalog/a:b.yaml', reason: 'unsafe_path' },
    { rawPath: 'catalog/folder', reason: 'symbolic_link' },
    { rawPath: 'catalog/a:b.txt', reason: 'unsafe_path' },
  ]
  const snapshot = await load()
  expect(placesOf(snapshot)).toStrictEqual(['component/a catalog/a.yaml'])
  expect(problemsOf(snapshot)).toStrictEqual([
    ['error', 'file_unsafe_path', 'catalog/a:b.yaml', null, null],
    ['error', 'yaml_syntax', 'catalog/bad.yaml', 2, null],
    ['error', 'file_symbolic_link', 'catalog/folder', null, null],
    ['error', 'file_symbolic_link', 'catalog/link.yaml', null, null],
    ['error', 'file_submodule', 'catalog/sub.yml', null, null],
  ])
})

test('the version of an entity changes when its document does, and only then', async () => {
  const { repository, load } = world({
    'catalog/a.yaml': entity('a'),
    'catalog/b.yaml': entity('b'),
  })
  const versions = (snapshot: Snapshot) =>
    snapshot.entities.map((found) => versionOf(snapshot, found))
  const before = await load()
  repository.commit({ 'catalog/a.yaml': entity('a', 'x: 1\n'), 'catalog/b.yaml': entity('b') })
  const after = await load(before)
  expect(versions(after)[0]).not.toBe(versions(before)[0])
  expect(versions(after)[1]).toBe(versions(before)[1])
  repository.commit({ 'catalog/a.yaml': `${entity('a')}---\n${entity('b')}` })
  expect(new Set(versions(await load())).size).toBe(2)
})

test('after any commits, step by step is the same as at once', async () => {
  const content = fc.constantFrom(
    entity('a'),
    entity('b', 'spec: {lifecycle: what}\n'),
    `${entity('a', 'x: 1\n')}---\n${entity('c')}---\nnot: one\n`,
    `${entity('b')}---\n${entity('b')}`,
    of('API', 'a'),
    of('component', 'a'),
    'broken: [',
    '# nothing',
  )
  const name = fc.constantFrom('a.yaml', 'b.yaml', 'c.yml', 'd/a.yaml', 'B.yaml', 'z.txt')
  const files = fc.dictionary(
    name.map((file) => `catalog/${file}`),
    content,
    { maxKeys: 6, minKeys: 0 },
  )
  const state = (snapshot: Snapshot) => ({ ...snapshot, byRef: Object.fromEntries(snapshot.byRef) })
  await fc.assert(
    fc.asyncProperty(fc.array(files, { minLength: 1, maxLength: 6 }), async (commits) => {
      const keep = { 'catalog/keep.yaml': entity('keep') }
      const { repository, load } = world(keep)
      let snapshot = await load()
      for (const commit of commits) {
        repository.commit({ ...keep, ...commit })
        snapshot = await load(snapshot)
        expect(state(snapshot)).toStrictEqual(state(await load()))
      }
    }),
    { numRuns: 300 },
  )
})
