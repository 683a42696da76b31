import { expect, test } from 'bun:test'
import { mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createKeptFile } from '#src/lib/adapters/kept-bytes/file.ts'
import { keptBytesContract, parts, textOf } from '#tests/contracts/kept-bytes.ts'

async function at() {
  const folder = await mkdtemp(join(tmpdir(), 'portico-kept-'))
  const path = join(folder, 'kept')
  return {
    folder,
    path,
    open: (writer: string) => createKeptFile({ path, writer }),
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  }
}

keptBytesContract('file', at)

test('a file that is not as it was written is none, whichever byte of it', async () => {
  await using place = await at()
  const kept = place.open('one')
  await kept.keep(parts('content'))
  const whole = await readFile(place.path)
  for (let index = 0; index < whole.length; index++) {
    const changed = Buffer.from(whole)
    changed[index] = (whole[index] ?? 0) ^ 1
    await writeFile(place.path, changed)
    expect([index, await textOf(kept)]).toStrictEqual([index, null])
    await writeFile(place.path, whole.subarray(0, index))
    expect([index, await textOf(kept)]).toStrictEqual([index, null])
  }
  await writeFile(place.path, whole)
  expect(await textOf(kept)).toBe('content')
})

test('what a process that died left behind goes, and nothing else stays', async () => {
  await using place = await at()
  for (const [name, ageMs] of [
    ['kept.new', 600_000],
    ['kept.dead.new', 600_000],
    ['kept.alive.new', 0],
    ['kept.other', 600_000],
  ] as const) {
    await writeFile(join(place.folder, name), 'half of something that was longer than this')
    const at = new Date(Date.now() - ageMs)
    await utimes(join(place.folder, name), at, at)
  }
  await place.open('one').keep(parts('a'))
  expect((await readdir(place.folder)).toSorted()).toStrictEqual([
    'kept',
    'kept.alive.new',
    'kept.other',
  ])
  expect((await stat(place.path)).mode & 0o777).toBe(0o600)
})

test('processes that share a folder write at once', async () => {
  await using place = await at()
  const both = Promise.withResolvers<void>()
  let begun = 0
  async function* inStep(text: string) {
    if (++begun === 2) both.resolve()
    await both.promise
    yield* parts(text)
  }
  const kept = [place.open('one'), place.open('one')]
  expect(await Promise.all(kept.map((one) => one.keep(inStep('content'))))).toStrictEqual([
    { ok: true, value: undefined },
    { ok: true, value: undefined },
  ])
  expect(await textOf(place.open('one'))).toBe('content')
  expect(await readdir(place.folder)).toStrictEqual(['kept'])
})

test('where nothing can be written that is said', async () => {
  const kept = createKeptFile({ path: '/proc/no/such/folder/kept', writer: 'one' })
  expect(await kept.keep(parts('a'))).toMatchObject({ error: { kind: 'not_kept' } })
  expect(await kept.read()).toBeNull()
})
