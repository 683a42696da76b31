import { expect, test } from 'bun:test'
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
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
  await writeFile(`${place.path}.new`, 'half of something that was longer than this')
  await place.open('one').keep(parts('a'))
  expect(await readdir(place.folder)).toStrictEqual(['kept'])
  expect((await stat(place.path)).mode & 0o777).toBe(0o600)
})

test('where nothing can be written that is said', async () => {
  const kept = createKeptFile({ path: '/proc/no/such/folder/kept', writer: 'one' })
  expect(await kept.keep(parts('a'))).toMatchObject({ error: { kind: 'not_kept' } })
  expect(await kept.read()).toBeNull()
})
