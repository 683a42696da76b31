import { describe, expect, test } from 'bun:test'
import { mkdir, readdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { olderRelease, replaceRelease } from '#scripts/release/older-release.ts'
import { refusalOf } from './refusal.ts'
import { folderOfTests } from '#tests/support/folder-of-tests.ts'

const place = folderOfTests()

const SUMS = 'SHA256SUMS'
const FILES = [SUMS, 'portico-0.5.0.cdx.json', 'portico-linux-amd64', 'portico-windows-amd64.exe']

async function folderWith(name: string, files: readonly string[]): Promise<string> {
  const folder = join(place, name)
  await mkdir(folder)
  for (const file of files) await Bun.write(join(folder, file), name)
  return folder
}

const allBelow = async (folder: string) => (await readdir(folder, { recursive: true })).toSorted()

describe('an older release', () => {
  test('makes room for the new one', async () => {
    const folder = await folderWith('older', FILES)
    const made = await folderWith('new', [SUMS, 'portico-linux-arm64'])
    await replaceRelease(made, folder)
    expect(await allBelow(folder)).toStrictEqual([SUMS, 'portico-linux-arm64'])
    expect(await Bun.file(join(folder, SUMS)).text()).toBe('new')
    expect(await readdir(place)).toStrictEqual(['older'])
  })

  test('may be missing, or an empty folder', async () => {
    for (const folder of [join(place, 'missing'), await folderWith('empty', [])]) {
      expect(await olderRelease(folder)).toStrictEqual([])
      await replaceRelease(await folderWith('made', [SUMS]), folder)
      expect(await allBelow(folder)).toStrictEqual([SUMS])
    }
  })

  test.each([
    ['a file of somebody else', ['thesis.txt']],
    ['only a name that is like ours', ['my-portico-linux-amd64']],
    ['a hidden file', ['.env']],
    ['a folder called as a file of ours', ['portico-backup/thesis.txt']],
  ])('is no folder with %s', async (what, more) => {
    const folder = await folderWith(what, [...FILES, ...more])
    const before = await allBelow(folder)
    const made = await folderWith(`made instead of ${what}`, [SUMS])
    const refusal = `${folder} exists and is not a release`
    expect(await refusalOf(olderRelease(folder))).toBe(refusal)
    expect(await refusalOf(replaceRelease(made, folder))).toBe(refusal)
    expect(await allBelow(folder)).toStrictEqual(before)
  })

  test("has checksums: executables alone are somebody else's", async () => {
    const folder = await folderWith('builds', ['portico-linux-arm64'])
    expect(await refusalOf(olderRelease(folder))).toEndWith('is not a release')
  })

  test('is no file, and no link to a release', async () => {
    const target = await folderWith('target', FILES)
    const [file, link] = [join(place, 'file'), join(place, 'link')]
    await Bun.write(file, '')
    await symlink(target, link)
    for (const each of [file, link]) {
      expect(await refusalOf(olderRelease(each))).toBe(`${each} exists and is not a release`)
    }
    expect(await allBelow(target)).toStrictEqual(FILES)
  })
})
