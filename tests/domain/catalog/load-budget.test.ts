import { describe, expect, test } from 'bun:test'
import { createCatalog } from '#src/lib/domain/catalog/catalog.ts'
import { type CatalogLimits, loadSnapshot } from '#src/lib/domain/catalog/load.ts'
import type { ParsedFile } from '#src/lib/domain/catalog/parse-file.ts'
import type { CatalogParser } from '#src/lib/domain/catalog/parser.ts'
import type { Snapshot } from '#src/lib/domain/catalog/snapshot.ts'
import { readEntity } from '#src/lib/domain/promotion/subject.ts'
import { createEntityLists } from '#src/lib/presenters/catalog/entity-lists.ts'
import { err, ok } from '#src/lib/result.ts'
import { branch, path, value } from '#tests/contracts/git-host.ts'
import { entity } from '#tests/support/hostile-yaml.ts'
import { until } from '#tests/support/until.ts'
import { createRepository, directParser, type Files, parse, sourceOf } from './repository.ts'

/** Takes a millisecond of its time for every slow file, and none for others. */
const slowParser: CatalogParser = {
  ...directParser,
  async parse(files, time = { leftMs: Infinity }) {
    const parsed: ParsedFile[] = []
    for (const file of files) {
      if (time.leftMs <= 0) break
      time.leftMs -= new TextDecoder().decode(file).includes('slow') ? 1 : 0
      parsed.push(parse(file))
    }
    return parsed
  },
}

function world(files: Files, limits: Partial<CatalogLimits>) {
  const repository = createRepository(files)
  const source = { ...sourceOf(repository), parser: slowParser, limits }
  return { repository, source, load: (previous?: Snapshot) => loadSnapshot(source, previous) }
}

const folder = (name: string, count: number, content: (name: string) => string): Files =>
  Object.fromEntries(
    Array.from({ length: count }, (_, index) => [
      `catalog/${name}/${100 + index}.yaml`,
      content(`${name}-${index}`),
    ]),
  )
const slow = (name: string) => `# slow ${'x'.repeat(3_000)}\n${entity(name)}`
const countOf = ({ entities }: Snapshot, prefix: string) =>
  entities.filter(({ card }) => card.name.startsWith(prefix)).length
const summary = ({ problems }: Snapshot) => problems.map((found) => `${found.path} ${found.code}`)

describe('the time of a load', () => {
  // 40 files of the slow folder are as many bytes as all others together.
  const files = { ...folder('aaa', 400, slow), ...folder('good', 30, entity) }

  test('ends it: the others are there, what is missing is named, and later loads go on', async () => {
    const { load, repository } = world(files, { firstParsingMaxMs: 50, parsingMaxMs: 100 })
    let snapshot = value(await load())
    expect([countOf(snapshot, 'good'), countOf(snapshot, 'aaa')]).toStrictEqual([30, 50])
    expect(summary(snapshot)).toStrictEqual(['catalog/aaa file_pending'])
    expect(snapshot.problems[0]?.message).toStartWith(
      '350 files of this folder, such as catalog/aaa/150.yaml: not read yet',
    )
    for (const known of [150, 250, 350, 400]) {
      repository.read.length = 0
      snapshot = value(await load(snapshot))
      expect(countOf(snapshot, 'aaa')).toBe(known)
    }
    expect(summary(snapshot)).toStrictEqual([])
    expect(value(await load(snapshot))).toBe(snapshot)
  })

  test('a push in the middle of it is in the next snapshot', async () => {
    const { load, repository } = world(files, { firstParsingMaxMs: 50, parsingMaxMs: 50 })
    const before = value(await load())
    repository.commit({ ...files, 'catalog/good/new.yaml': entity('new') })
    const after = value(await load(before))
    expect(after.byRef.has('component/new')).toBe(true)
    expect(countOf(after, 'aaa')).toBe(100)
  })

  test('the catalog goes on by itself, and its readers wait for one load at most', async () => {
    const { source } = world(files, { firstParsingMaxMs: 50, parsingMaxMs: 100 })
    const counts: number[] = []
    const finished = Promise.withResolvers<void>()
    const catalog = createCatalog({
      ...source,
      ttlSeconds: 300,
      maxStaleSeconds: 3_600,
      clock: { now: Date.now },
      onLoaded(outcome) {
        counts.push(countOf(value(outcome), 'aaa'))
        if (summary(value(outcome)).length === 0) finished.resolve()
      },
    })
    expect(countOf(value(await catalog.read()).value, 'aaa')).toBe(50)
    await finished.promise
    expect(counts).toStrictEqual([50, 150, 250, 350, 400])
  })
})

describe('a commit that changes every file', () => {
  const FILES = 120
  const formatted = (name: string) => `${slow(name)}spec: {lifecycle: production}\n`
  const limits = { parsingMaxMs: 20 }

  test('hides none: each is served as it was until it is read, stale until all are', async () => {
    const { source, repository } = world(folder('team', FILES, entity), limits)
    const seen: (readonly [entities: number, changed: number, stale: boolean])[] = []
    const caughtUp = Promise.withResolvers<void>()
    const catalog = createCatalog({
      ...source,
      ttlSeconds: 300,
      maxStaleSeconds: 3_600,
      clock: { now: Date.now },
      onLoaded() {
        const served = catalog.peek()
        if (served === undefined) return
        const { entities } = served.value
        const changed = entities.filter(({ card }) => card.lifecycle === 'production').length
        seen.push([entities.length, changed, served.stale])
        if (changed === FILES - 2) caughtUp.resolve()
      },
    })
    value(await catalog.read())
    const [, ...others] = Object.entries(folder('team', FILES, formatted))
    const [broken = ''] = others.pop() ?? []
    repository.commit({ ...Object.fromEntries(others), [broken]: '# slow\na: [' })
    catalog.invalidate()
    expect(value(await catalog.read())).toMatchObject({ stale: true })
    await caughtUp.promise
    expect(value(await catalog.read())).toMatchObject({ stale: false })
    // One file has gone, and one is broken, which is read among the first.
    expect(seen).toStrictEqual([
      [120, 0, false],
      [118, 19, true],
      [118, 39, true],
      [118, 59, true],
      [118, 79, true],
      [118, 99, true],
      [118, 118, false],
    ])
  })

  test('has other tags of its lists after each load, and refuses promotions of what is not read', async () => {
    const { load, repository } = world(folder('team', 60, entity), limits)
    const first = value(await load())
    repository.commit(folder('team', 60, formatted))
    const second = value(await load(first))
    const third = value(await load(second))
    const lists = createEntityLists()
    const page = { items: [], total: 0, query: '', link: null, isPart: false }
    const tags = [first, second, third].map((snapshot) => lists.add(snapshot, page).etag)
    expect(new Set(tags).size).toBe(3)

    const atHead = async () => ok({ branch: branch('main'), snapshot: second })
    const catalog = { atHead, invalidate: async () => {} }
    const read = (name: string) => readEntity({ catalog }, { kind: 'component', name })
    expect(await read('team-0')).toMatchObject({ ok: true })
    expect(await read('team-59')).toStrictEqual({ ok: false, error: { kind: 'catalog_loading' } })
  })
})

describe('the memory of a catalog', () => {
  const large = (name: string) => `${entity(name)}spec:\n  text: ${'x'.repeat(10_000)}\n`
  const files = { ...folder('aaa', 40, large), ...folder('good', 30, entity) }

  test('is shared fairly: a large folder loses its largest files and is named', async () => {
    const { load, repository } = world(files, { memoryMaxBytes: 300_000 })
    const snapshot = value(await load())
    expect(countOf(snapshot, 'good')).toBe(30)
    const left = countOf(snapshot, 'aaa')
    expect(left).toBeGreaterThan(5)
    expect(left).toBeLessThan(30)
    expect(summary(snapshot)).toStrictEqual(['catalog/aaa catalog_too_large'])
    expect(value(await load(snapshot))).toBe(snapshot)

    repository.commit({ ...files, 'catalog/good/new.yaml': entity('new') })
    repository.read.length = 0
    const after = value(await load(snapshot))
    expect(after.byRef.has('component/new')).toBe(true)
    expect(repository.read.length).toBeLessThan(10)
  })

  test('has room again for what was left out when others are gone', async () => {
    const { load, repository } = world(files, { memoryMaxBytes: 300_000 })
    const before = value(await load())
    repository.commit(folder('aaa', 12, large))
    const after = value(await load(before))
    expect([countOf(after, 'aaa'), summary(after)]).toStrictEqual([12, []])
  })

  test('counts a file at each of its paths', async () => {
    const same = folder('aaa', 100, () => large('same'))
    const { load } = world({ ...same, ...folder('good', 10, entity) }, { memoryMaxBytes: 200_000 })
    const snapshot = value(await load())
    expect(countOf(snapshot, 'good')).toBe(10)
    expect(snapshot.withDuplicates.length).toBeLessThan(30)
  })
})

describe('a file whose content the git host has lost', () => {
  const files = folder('good', 3, entity)
  const lost = path('catalog/good/101.yaml')
  function lose(repository: ReturnType<typeof createRepository>) {
    repository.deliver = (contents) =>
      contents.map((file) =>
        file.path === lost ? err({ kind: 'git_file_unreadable', path: lost }) : ok(file),
      )
  }

  test('hides itself alone, is named, and is there when it is found again', async () => {
    const { load, repository } = world(files, {})
    const { deliver } = repository
    lose(repository)
    const snapshot = value(await load())
    expect(countOf(snapshot, 'good')).toBe(2)
    expect(summary(snapshot)).toStrictEqual([`${lost} file_unreadable`])
    repository.deliver = deliver
    const found = value(await load(snapshot))
    expect([countOf(found, 'good'), summary(found)]).toStrictEqual([3, []])
  })

  test('is served on where it is known', async () => {
    const { load, repository } = world(files, {})
    const before = value(await load())
    lose(repository)
    repository.commit({ ...files, 'catalog/new.yaml': entity('new') })
    expect(countOf(value(await load(before)), 'good')).toBe(3)
  })
})

test('thousands of duplicates are few problems, and none of them can be promoted', async () => {
  const twins = Array.from({ length: 500 }, () => `---\n${entity('twin')}`).join('')
  const { load } = world({ 'catalog/a.yaml': twins, 'catalog/z.yaml': 'a: [' }, {})
  const snapshot = value(await load())
  expect(snapshot.problems).toHaveLength(22)
  expect(snapshot.problems[0]?.message).toBe('978 more entities of this file have duplicates')
  expect(snapshot.ambiguous.has('component/twin')).toBe(true)
})

test('while a load takes long, the last snapshot answers, and those who come later at once', async () => {
  const { source, repository } = world(folder('good', 1, entity), {})
  const gate = Promise.withResolvers<void>()
  const { head } = source.gitHost
  const catalog = createCatalog({
    ...source,
    ttlSeconds: 300,
    maxStaleSeconds: 3_600,
    clock: { now: Date.now },
    patienceMs: 20,
  })
  await until(async () => (await catalog.read()).ok)
  source.gitHost.head = async (repository) => {
    await gate.promise
    return head(repository)
  }
  repository.commit(folder('good', 2, entity))
  catalog.invalidate()
  const first = value(await catalog.read())
  expect([first.stale, first.value.entities.length]).toStrictEqual([true, 1])
  gate.resolve()
  await until(async () => !value(await catalog.read()).stale)
  expect(value(await catalog.read()).value.entities).toHaveLength(2)
})

test('before the first load is complete a reader is told so, or its failure', async () => {
  const { source } = world(folder('good', 1, entity), {})
  const { head } = source.gitHost
  const gate = Promise.withResolvers<void>()
  source.gitHost.head = async (repository) => {
    await gate.promise
    return head(repository)
  }
  const catalog = createCatalog({
    ...source,
    ttlSeconds: 300,
    maxStaleSeconds: 3_600,
    clock: { now: Date.now },
    patienceMs: 5,
  })
  expect(await catalog.read()).toStrictEqual({ ok: false, error: { kind: 'catalog_loading' } })
  expect(catalog.state()).toBe('loading')
  gate.resolve()
  while (catalog.state() === 'loading') await Bun.sleep(1)
  expect(value(await catalog.read())).toMatchObject({ stale: false })
})

test('a first load goes on when its memory is used up by files that are left out then', async () => {
  const bomb = (name: string) =>
    `${entity(name)}spec: {a: &a "${'x'.repeat(200)}", b: [${'*a,'.repeat(50)}]}\n`
  const files = { ...folder('aaa', 900, bomb), ...folder('good', 300, entity) }
  const { load } = world(files, { memoryMaxBytes: 2_000_000 })
  const snapshot = value(await load())
  expect([countOf(snapshot, 'good'), summary(snapshot)]).toStrictEqual([
    300,
    ['catalog/aaa catalog_too_large'],
  ])
})
