import { describe, expect, test } from 'bun:test'
import { mkdir, readdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { hasUnmoved, moveFolder } from '#src/lib/adapters/secret-store/file/move-folder.ts'
import { sealVersion } from '#src/lib/adapters/secret-store/file/sealed-version.ts'
import { err, ok } from '#src/lib/result.ts'
import { SERVICE } from '#src/lib/ports/secret-store.ts'
import { absent, present } from '#tests/contracts/secret-store.ts'
import { KEY_1, KEY_2, keyringOf } from '#tests/support/fixed-keyring.ts'
import { pathOf, SHOP } from '#tests/support/secret-entries.ts'
import { openFileStore } from './open-file-store.ts'

const SITE = pathOf('payments', 'site')
const done = ok(undefined)

const differing = (path: typeof SHOP, version: number) =>
  err({ kind: 'versions_differ', versions: [{ path, version }] } as const)

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
  return {
    ...fixture,
    folder,
    write,
    move: (versions: Parameters<typeof moveFolder>[1] = fixture.versions) =>
      moveFolder(folder, versions, keyringOf(KEY_1)),
    isUnmoved: () => hasUnmoved(folder, fixture.versions),
    inFolder: async () => (await readdir(folder, { recursive: true })).toSorted(),
    names: async () => (await fixture.rows()).map(({ path, version }) => `${path} ${version}`),
  }
}

describe('the folder of earlier releases', () => {
  test('becomes rows with their seals, and stays as it is', async () => {
    await using at = await openFolder()
    const { store, folder, write } = at
    expect(await at.move()).toStrictEqual(done)
    expect(await at.isUnmoved()).toStrictEqual(ok(false))
    await write(`${SHOP}/1.sealed`, fileOf(SHOP, 1, { A: 'a' }))
    await write(`${SHOP}/2.sealed`, fileOf(SHOP, 2, { A: 'a', B: 'b' }))
    await write(`${SITE}/7.sealed`, fileOf(SITE, 7, { C: 'c' }))
    for (const other of ['02.sealed', '3.sealed~', `3.${crypto.randomUUID()}.staged`])
      await write(`${SHOP}/${other}`, 'x')
    await write('.DS_Store', 'x')
    await symlink(join(folder, SHOP), join(folder, 'payments/linked'))
    const before = await at.inFolder()
    expect(await at.isUnmoved()).toStrictEqual(ok(true))
    expect(await at.rows()).toStrictEqual([])
    expect(await at.move()).toStrictEqual(done)
    expect(await at.isUnmoved()).toStrictEqual(ok(false))
    expect(await store.describe(SHOP, SERVICE)).toStrictEqual(present(2, 'A', 'B'))
    expect(await at.values(SITE)).toStrictEqual(new Map([['C', 'c']]))
    expect(await at.names()).toStrictEqual([`${SHOP} 1`, `${SHOP} 2`, `${SITE} 7`])
    expect(await at.inFolder()).toStrictEqual(before)
  })

  test('is compared at each start: a version that an earlier release adds is copied', async () => {
    await using at = await openFolder()
    await at.write(`${SHOP}/1.sealed`, fileOf(SHOP, 1, { A: 'a' }))
    expect(await at.move()).toStrictEqual(done)
    await at.write(`${SHOP}/2.sealed`, fileOf(SHOP, 2, { A: 'a', B: 'late' }))
    expect(await at.isUnmoved()).toStrictEqual(ok(true))
    expect(await at.move()).toStrictEqual(done)
    expect(await at.store.describe(SHOP, SERVICE)).toStrictEqual(present(2, 'A', 'B'))
  })

  test('is copied into each database: nothing in the folder says that it was copied', async () => {
    await using at = await openFolder()
    await using other = await openFileStore()
    await at.write(`${SHOP}/1.sealed`, fileOf(SHOP, 1, { A: 'a' }))
    expect(await at.move(other.versions)).toStrictEqual(done)
    expect(await at.move()).toStrictEqual(done)
    expect(await at.store.describe(SHOP, SERVICE)).toStrictEqual(present(1, 'A'))
  })

  test('with another content than the database is named, and changes no row', async () => {
    await using at = await openFolder()
    await at.write(`${SHOP}/1.sealed`, fileOf(SHOP, 1, { A: 'a' }))
    expect(await at.move()).toStrictEqual(done)
    await at.store.merge(SHOP, 1, { B: 'of the database' }, SERVICE)
    const before = await at.rows()
    await at.write(`${SHOP}/2.sealed`, fileOf(SHOP, 2, { A: 'a', C: 'of the folder' }))
    await at.write(`${SHOP}/3.sealed`, fileOf(SHOP, 3, { A: 'a', C: 'later' }))
    await at.write(`${SITE}/1.sealed`, fileOf(SITE, 1, { A: 'a' }))
    for (let start = 0; start < 2; start += 1) {
      expect(await at.move()).toStrictEqual(differing(SHOP, 2))
      expect(await at.rows()).toEqual(expect.arrayContaining([...before]))
      expect(await at.names()).toStrictEqual([`${SHOP} 1`, `${SHOP} 2`, `${SITE} 1`])
    }
  })

  test('with a version that the database kept no longer is named', async () => {
    await using at = await openFolder()
    await at.write(`${SHOP}/1.sealed`, fileOf(SHOP, 1, { A: 'a' }))
    expect(await at.move()).toStrictEqual(done)
    for (let version = 1; version < 14; version += 1)
      await at.store.merge(SHOP, version, { A: `${version}` }, SERVICE)
    const before = await at.names()
    expect(before).not.toContain(`${SHOP} 1`)
    expect(await at.move()).toStrictEqual(done)
    expect(await at.names()).toStrictEqual(before)
    await at.write(`${SHOP}/2.sealed`, fileOf(SHOP, 2, { C: 'of the folder' }))
    expect(await at.move()).toStrictEqual(differing(SHOP, 2))
    expect(await at.names()).toStrictEqual(before)
  })

  test('with the same values under another seal is like the database, and a resealed row is not copied anew', async () => {
    await using at = await openFolder()
    await at.store.merge(SHOP, 0, { A: 'a' }, SERVICE)
    await at.write(`${SHOP}/1.sealed`, fileOf(SHOP, 1, { A: 'a' }))
    expect(await at.move()).toStrictEqual(done)
    await at.plant(sealVersion(keyringOf(KEY_2), { path: SHOP, version: 1 }, new Map([['A', 'a']])))
    const resealed = await at.rows()
    expect(await moveFolder(at.folder, at.versions, keyringOf(KEY_2))).toStrictEqual(done)
    expect(await at.rows()).toStrictEqual(resealed)
  })

  test('loses no version that is written while it is copied', async () => {
    await using at = await openFolder()
    await at.write(`${SHOP}/1.sealed`, fileOf(SHOP, 1, { A: 'of the folder' }))
    const versions: typeof at.versions = {
      ...at.versions,
      async add(row) {
        await at.store.merge(SHOP, 0, { A: 'of the database' }, SERVICE)
        return at.versions.add(row)
      },
    }
    expect(await at.move(versions)).toStrictEqual(differing(SHOP, 1))
    expect(await at.isUnmoved()).toStrictEqual(ok(true))
  })

  test('may be copied by processes that start together', async () => {
    await using at = await openFolder()
    for (let version = 1; version <= 10; version += 1)
      await at.write(`${SHOP}/${version}.sealed`, fileOf(SHOP, version, { A: `${version}` }))
    const starts = await Promise.all(Array.from({ length: 4 }, () => at.move()))
    expect(starts).toStrictEqual([done, done, done, done])
    expect(await at.names()).toHaveLength(10)
  })

  test('broken off after any row is moved by the next start, and changes no row that is there', async () => {
    const away = err({ kind: 'database_unavailable', reason: 'away' } as const)
    for (const broken of ['add', 'noteMoved'] as const) {
      for (let last = 0; last < 4; last += 1) {
        await using at = await openFolder()
        for (let version = 1; version <= 4; version += 1)
          await at.write(`${SHOP}/${version}.sealed`, fileOf(SHOP, version, { A: `${version}` }))
        let calls = 0
        const breaking = async () => ((calls += 1) > last ? away : null)
        const whole = at.versions
        const versions: typeof at.versions = {
          ...at.versions,
          add: async (row) => (broken === 'add' && (await breaking())) || whole.add(row),
          noteMoved: async (file) =>
            (broken === 'noteMoved' && (await breaking())) || whole.noteMoved(file),
        }
        expect(await at.move(versions)).toStrictEqual(away)
        const before = await at.rows()
        expect(before).toHaveLength(broken === 'add' ? last : last + 1)
        expect(await at.move()).toStrictEqual(done)
        expect(await at.rows()).toHaveLength(4)
        expect(await at.rows()).toEqual(expect.arrayContaining([...before]))
        expect(await at.store.merge(SHOP, 4, { B: 'b' }, SERVICE)).toStrictEqual(done)
        expect(await at.move()).toStrictEqual(done)
        expect(await at.store.describe(SHOP, SERVICE)).toStrictEqual(present(5, 'A', 'B'))
      }
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
    expect(await at.move()).toStrictEqual(done)
    expect(await at.store.describe(SHOP, SERVICE)).toStrictEqual({
      ok: false,
      error: { kind: 'secret_store_error', reason: 'version_damaged' },
    })
  })

  test('that cannot be read stops the start', async () => {
    await using at = await openFolder()
    await Bun.write(at.folder, 'a file')
    expect(at.move()).rejects.toThrow('ENOTDIR')
  })

  test('waits for no pipe, and moves no folder', async () => {
    await using at = await openFolder()
    await mkdir(join(at.folder, SHOP, '1.sealed'), { recursive: true })
    expect(Bun.spawnSync(['mkfifo', join(at.folder, SHOP, '2.sealed')]).exitCode).toBe(0)
    expect(await at.move()).toStrictEqual(done)
    expect(await at.store.describe(SHOP, SERVICE)).toStrictEqual(absent(0))
  })
})
