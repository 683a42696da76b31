import { describe, expect, test } from 'bun:test'
import { mkdir, readdir, rm, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { moveFolder } from '#src/lib/adapters/secret-store/file/move-folder.ts'
import { sealVersion } from '#src/lib/adapters/secret-store/file/sealed-version.ts'
import { err, ok } from '#src/lib/result.ts'
import { SERVICE } from '#src/lib/ports/secret-store.ts'
import { absent, present } from '#tests/contracts/secret-store.ts'
import { KEY_1, keyringOf } from '#tests/support/fixed-keyring.ts'
import { pathOf, SHOP } from '#tests/support/secret-entries.ts'
import { openFileStore } from './open-file-store.ts'

const SITE = pathOf('payments', 'site')
const MARK = 'moved-to-the-database'
const done = ok(undefined)

/** A file as earlier releases wrote it. */
function fileOf(path: typeof SHOP, version: number, values: Readonly<Record<string, string>>) {
  const name = { path, version }
  const { keyId, sealed } = sealVersion(keyringOf(KEY_1), name, new Map(Object.entries(values)))
  return JSON.stringify({ format: 1, keyId, sealed: sealed.toBase64() })
}

async function openFolder() {
  const fixture = await openFileStore()
  const folder = join(fixture.directory, 'secrets')
  const write = (name: string, text: string | Uint8Array) => Bun.write(join(folder, name), text)
  return { ...fixture, folder, write }
}

describe('the folder of earlier releases', () => {
  test('becomes rows with their seals, once, and stays', async () => {
    await using at = await openFolder()
    const { store, versions, folder, write } = at
    expect(await moveFolder(folder, versions)).toStrictEqual(done)
    await write(`${SHOP}/1.sealed`, fileOf(SHOP, 1, { A: 'a' }))
    await write(`${SHOP}/2.sealed`, fileOf(SHOP, 2, { A: 'a', B: 'b' }))
    await write(`${SITE}/7.sealed`, fileOf(SITE, 7, { C: 'c' }))
    for (const other of ['02.sealed', '3.sealed~', `3.${crypto.randomUUID()}.staged`])
      await write(`${SHOP}/${other}`, 'x')
    await write('.DS_Store', 'x')
    await symlink(join(folder, SHOP), join(folder, 'payments/linked'))
    expect(await moveFolder(folder, versions)).toStrictEqual(done)
    expect(await store.describe(SHOP, SERVICE)).toStrictEqual(present(2, 'A', 'B'))
    expect(await at.values(SITE)).toStrictEqual(new Map([['C', 'c']]))
    expect((await at.rows()).map(({ path, version }) => `${path} ${version}`)).toStrictEqual([
      `${SHOP} 1`,
      `${SHOP} 2`,
      `${SITE} 7`,
    ])
    expect(await readdir(join(folder, SHOP))).toHaveLength(5)

    await write(`${SHOP}/3.sealed`, fileOf(SHOP, 3, { A: 'late' }))
    expect(await moveFolder(folder, versions)).toStrictEqual(done)
    expect(await at.rows()).toHaveLength(3)
  })

  test('broken off after any row is moved by the next start, and changes no row that is there', async () => {
    for (let last = 0; last < 4; last += 1) {
      await using at = await openFolder()
      const { store, versions, folder, write } = at
      for (let version = 1; version <= 4; version += 1)
        await write(`${SHOP}/${version}.sealed`, fileOf(SHOP, version, { A: `${version}` }))
      let added = 0
      const away = err({ kind: 'database_unavailable', reason: 'away' } as const)
      const add: typeof versions.add = async (row) => {
        added += 1
        return added > last ? away : versions.add(row)
      }
      expect(await moveFolder(folder, { add })).toStrictEqual(away)
      expect(await readdir(folder)).not.toContain(MARK)
      expect(await at.rows()).toHaveLength(last)
      const before = await at.rows()
      expect(await moveFolder(folder, versions)).toStrictEqual(done)
      expect(await at.rows()).toHaveLength(4)
      expect(await at.rows()).toEqual(expect.arrayContaining([...before]))
      expect(await store.merge(SHOP, 4, { B: 'b' }, SERVICE)).toStrictEqual(done)
      await rm(join(folder, MARK))
      expect(await moveFolder(folder, versions)).toStrictEqual(done)
      expect(await store.describe(SHOP, SERVICE)).toStrictEqual(present(5, 'A', 'B'))
    }
  })

  test.each([
    ['text', 'canary'],
    ['half a file', fileOf(SHOP, 2, {}).slice(0, -9)],
    ['another format', '{"format":2,"keyId":"k1","sealed":""}'],
    ['no Base64', '{"format":1,"keyId":"k1","sealed":"*"}'],
    ['no key', '{"format":1,"keyId":"","sealed":""}'],
    ['too much', new Uint8Array(1024 * 1024 + 1)],
  ])('has a damaged version, and no older one in its place: %s', async (_, text) => {
    await using at = await openFolder()
    await at.write(`${SHOP}/1.sealed`, fileOf(SHOP, 1, { A: 'a' }))
    await at.write(`${SHOP}/2.sealed`, text)
    expect(await moveFolder(at.folder, at.versions)).toStrictEqual(done)
    expect(await at.store.describe(SHOP, SERVICE)).toStrictEqual({
      ok: false,
      error: { kind: 'secret_store_error', reason: 'version_damaged' },
    })
  })

  test('that cannot be read stops the start', async () => {
    await using at = await openFolder()
    await Bun.write(at.folder, 'a file')
    expect(moveFolder(at.folder, at.versions)).rejects.toThrow('ENOTDIR')
  })

  test('waits for no pipe, and moves no folder', async () => {
    await using at = await openFolder()
    await mkdir(join(at.folder, SHOP, '1.sealed'), { recursive: true })
    expect(Bun.spawnSync(['mkfifo', join(at.folder, SHOP, '2.sealed')]).exitCode).toBe(0)
    expect(await moveFolder(at.folder, at.versions)).toStrictEqual(done)
    expect(await at.store.describe(SHOP, SERVICE)).toStrictEqual(absent(0))
  })
})
