import { describe, expect, test } from 'bun:test'
import { createKeptFiles } from '#src/lib/domain/catalog/kept-files.ts'
import { fileFinding } from '#src/lib/domain/catalog/problem.ts'
import {
  buildSnapshot,
  type Snapshot,
  type SnapshotFile,
} from '#src/lib/domain/catalog/snapshot.ts'
import { ObjectId } from '#src/lib/names.ts'
import type { KeptBytes, NotKept } from '#src/lib/ports/kept-bytes.ts'
import { err, ok } from '#src/lib/result.ts'
import { path } from '#tests/contracts/git-host.ts'
import { entity, hostileYaml } from '#tests/support/hostile-yaml.ts'
import { parse } from './repository.ts'

const AFTER_MS = 5
const idOf = (index: number) => ObjectId.of(index.toString(16).padStart(40, '0'))
const filesOf = (sources: readonly Uint8Array[]): SnapshotFile[] =>
  sources.map((source, index) => ({ blob: idOf(index), parsed: parse(source) }))
const many = (count: number) =>
  filesOf(Array.from({ length: count }, (_, index) => Buffer.from(entity(`e${index}`))))

const byPath = (files: readonly SnapshotFile[]) =>
  new Map(files.map((file, index) => [path(`catalog/${index}.yaml`), file]))

const COMMIT = ObjectId.of('c'.repeat(40))

const snapshotOf = (files: Snapshot['files'], leftOut: Snapshot['leftOut'] = new Map()) =>
  buildSnapshot(
    {
      commit: COMMIT,
      tree: null,
      directory: path('catalog'),
      files: [...files].map(([path, { blob }]) => ({ path, blob })),
      skipped: [{ rawPath: 'catalog/link.yaml', reason: 'symbolic_link' }],
      leftOut,
      weights: new Map(),
    },
    new Map([...files.values()].map(({ blob, parsed }) => [blob, parsed])),
    undefined,
  )

/** Kept in memory, where a test can look and change it. */
function world() {
  const state = {
    bytes: null as Uint8Array<ArrayBuffer> | null,
    confirmedAt: null as number | null,
    keeps: 0,
    kept: 0,
    isFull: false,
    /** A save waits for it. */
    disk: Promise.resolve(),
  }
  const failures: NotKept[] = []
  const kept: KeptBytes = {
    read: async () =>
      state.bytes && { bytes: state.bytes, confirmedAt: state.confirmedAt ?? Date.now() },
    async confirm(at) {
      state.confirmedAt = at
      return ok(undefined)
    },
    async keep(parts) {
      state.keeps++
      await state.disk
      if (state.isFull) return err({ kind: 'not_kept', reason: 'full' })
      state.bytes = Buffer.concat(await Array.fromAsync(parts))
      state.kept++
      return ok(undefined)
    },
  }
  function open() {
    const onNotKept = (failure: NotKept) => void failures.push(failure)
    const files = createKeptFiles({
      kept,
      pageOf: (commit) => `https://git.example/acme/gitops/${commit}`,
      directory: path('catalog'),
      onNotKept,
      delayMs: AFTER_MS,
    })
    return {
      ...files,
      async snapshot() {
        const kept = await files.restore()
        return kept && buildSnapshot(kept.source, kept.parsed, undefined)
      },
      rememberSnapshot: (snapshot: Snapshot) => files.remember(snapshot),
      remember: async (latest: readonly SnapshotFile[]) =>
        files.remember(await snapshotOf(byPath(latest))),
    }
  }
  const untilKept = async (times: number) => {
    while (state.kept < times) await Bun.sleep(1)
  }
  const remember = async (files: readonly SnapshotFile[]) => {
    await open().remember(files)
    await untilKept(1)
  }
  return { state, failures, open, remember, untilKept, recall: () => open().recall() }
}

describe('what is remembered is recalled', () => {
  test.each([0, 1, 255, 256, 257, 600])('%d files', async (count) => {
    const at = world()
    const files = many(count)
    await at.remember(files)
    const recalled = await at.recall()
    expect([...recalled.keys()]).toStrictEqual(files.map(({ blob }) => blob))
    expect([...recalled.values()]).toEqual(files.map(({ parsed }) => parsed))
  })

  test('whatever was in the files', async () => {
    const at = world()
    const files = filesOf([
      ...Object.values(hostileYaml).map(({ bytes }) => bytes),
      Buffer.from(`${entity('é')}---\n${entity('b', 'spec: {lifecycle: z}\n')}`),
      Buffer.from(''),
    ])
    await at.remember(files)
    expect([...(await at.recall()).values()]).toEqual(files.map(({ parsed }) => parsed))
  })

  test('once, at however many paths it was', async () => {
    const at = world()
    const [file] = many(1)
    if (file === undefined) throw new Error('no file')
    await at.remember([file, file])
    expect((await at.recall()).size).toBe(1)
  })
})

test('a file that was given up is tried again', async () => {
  const at = world()
  const [good, slow] = many(2)
  if (good === undefined || slow === undefined) throw new Error('no files')
  const findings = [fileFinding('yaml_too_slow', 'took too long')]
  await at.remember([{ ...slow, parsed: { entities: [], findings } }, good])
  expect([...(await at.recall()).keys()]).toStrictEqual([good.blob])
})

test('at first nothing is recalled', async () => {
  expect((await world().recall()).size).toBe(0)
})

test('bytes that break off in a line are nothing', async () => {
  const at = world()
  await at.remember(many(300))
  const whole = at.state.bytes ?? new Uint8Array()
  for (const length of [1, 7, 8, 100, whole.length - 1]) {
    at.state.bytes = whole.subarray(0, length)
    expect([length, (await at.recall()).size]).toStrictEqual([length, 0])
  }
  at.state.bytes = Buffer.concat([whole, Buffer.from('x')])
  expect((await at.recall()).size).toBe(0)
})

test.each([
  ['no JSON', '{\n'],
  ['no list', '{}\n'],
])('a line that is %s is nothing', async (_, line) => {
  const at = world()
  await at.remember([])
  expect(await at.open().restore()).toBeDefined()
  at.state.bytes = Buffer.concat([at.state.bytes ?? Buffer.from(''), Buffer.from(line)])
  expect(await at.open().restore()).toBeUndefined()
  expect((await at.recall()).size).toBe(0)
})

test('many changes are kept once, and the last of them', async () => {
  const at = world()
  const kept = at.open()
  const changes = [1, 2, 3, 4, 5].map((count) => snapshotOf(byPath(many(count))))
  for (const snapshot of await Promise.all(changes)) kept.rememberSnapshot(snapshot)
  await at.untilKept(1)
  await Bun.sleep(4 * AFTER_MS)
  expect([at.state.keeps, (await at.recall()).size]).toStrictEqual([1, 5])
  await kept.remember(many(6))
  await at.untilKept(2)
  expect([at.state.keeps, (await at.recall()).size]).toStrictEqual([2, 6])
})

test('saves that wait for a slow one write the last files, once', async () => {
  const at = world()
  const kept = at.open()
  const disk = Promise.withResolvers<void>()
  at.state.disk = disk.promise
  for (let count = 1; count <= 3; count++) {
    await kept.remember(many(count))
    await Bun.sleep(4 * AFTER_MS)
  }
  disk.resolve()
  await at.untilKept(2)
  expect([at.state.keeps, (await at.recall()).size]).toStrictEqual([2, 3])
})

test('what cannot be kept is told, and tried again with the next change', async () => {
  const at = world()
  const kept = at.open()
  at.state.isFull = true
  await kept.remember(many(1))
  while (at.failures.length === 0) await Bun.sleep(1)
  expect(at.failures).toStrictEqual([{ kind: 'not_kept', reason: 'full' }])
  at.state.isFull = false
  await kept.remember(many(2))
  await at.untilKept(1)
  expect((await at.recall()).size).toBe(2)
})

describe('a snapshot', () => {
  test('is restored as it was, at the time of its last confirmation', async () => {
    const at = world()
    const files = byPath(many(300))
    const leftOut = new Map([[path('catalog/x.yaml'), 'file_unreadable' as const]])
    const snapshot = await snapshotOf(files, leftOut)
    const kept = at.open()
    kept.rememberSnapshot(snapshot)
    kept.confirm(1_700_000_000_000)
    while (at.state.confirmedAt === null) await Bun.sleep(1)
    expect(at.state.keeps).toBe(1)
    expect(await at.open().snapshot()).toEqual(snapshot)
    expect((await at.open().restore())?.loadedAt).toBe(1_700_000_000_000)
  })

  test('whose file was given up is restored with that file pending', async () => {
    const at = world()
    const [good, slow] = many(2)
    if (good === undefined || slow === undefined) throw new Error('no files')
    const findings = [fileFinding('yaml_too_slow', 'took too long')]
    await at.remember([good, { ...slow, parsed: { entities: [], findings } }])
    const restored = await at.open().snapshot()
    expect([...(restored?.leftOut ?? [])]).toStrictEqual([[path('catalog/1.yaml'), 'file_pending']])
    expect(restored?.entities).toHaveLength(1)
  })

  test.each([
    ['repository', 'acme/gitops', 'acme/other'],
    ['folder', '"directory":"catalog"', '"directory":"other"'],
  ])('of another %s is not restored, and its parsed files are recalled', async (_, from, to) => {
    const at = world()
    await at.remember(many(2))
    const text = Buffer.from(at.state.bytes ?? []).toString()
    at.state.bytes = Buffer.from(text.replace(from, to))
    const next = at.open()
    expect(await next.restore()).toBeUndefined()
    expect((await next.recall()).size).toBe(2)
    await next.remember(many(2))
    await at.untilKept(2)
    expect(await at.open().restore()).toBeDefined()
  })

  test('of a commit that was kept whole is not written again', async () => {
    const at = world()
    await at.remember(many(2))
    const next = at.open()
    await next.recall()
    await next.remember(many(2))
    next.confirm(3)
    while (at.state.confirmedAt !== 3) await Bun.sleep(1)
    expect(at.state.keeps).toBe(1)
  })

  test('is not confirmed where it could not be written', async () => {
    const at = world()
    const kept = at.open()
    at.state.isFull = true
    await kept.remember(many(1))
    kept.confirm(1)
    while (at.failures.length === 0) await Bun.sleep(1)
    expect(at.state.confirmedAt).toBeNull()
    at.state.isFull = false
    kept.confirm(2)
    await at.untilKept(1)
    while (at.state.confirmedAt !== 2) await Bun.sleep(1)
  })
})
