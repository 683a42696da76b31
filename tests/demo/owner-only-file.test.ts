import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'bun:test'
import { keepOwnerOnly, writeOwnerOnly } from '#src/demo/owner-only-file.ts'
import { openFolder } from '#tests/support/open-folder.ts'

const modeOf = async (path: string) => (await stat(path)).mode & 0o777

test('a file is for its owner, and so is the folder that is made for it', async () => {
  await using folder = await openFolder()
  const path = join(folder.path, 'tls', 'key')
  writeOwnerOnly(path, 'one')
  writeOwnerOnly(path, 'two')
  expect(await Bun.file(path).text()).toBe('two')
  expect([await modeOf(path), await modeOf(join(path, '..'))]).toStrictEqual([0o600, 0o700])
  expect(await readdir(join(path, '..'))).toStrictEqual(['key'])
})

test('what is kept is made once', async () => {
  await using folder = await openFolder()
  const path = join(folder.path, 'key')
  expect(keepOwnerOnly(path, () => 'one')).toBe('one')
  expect(keepOwnerOnly(path, () => 'two')).toBe('one')
})
