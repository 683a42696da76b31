import { expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { moveFolder } from '#src/lib/adapters/secret-store/file/move-folder.ts'
import { sealVersion } from '#src/lib/adapters/secret-store/file/sealed-version.ts'
import { SERVICE } from '#src/lib/ports/secret-store.ts'
import { resealSecrets, resealVersions } from '#src/cli/secrets/reseal.ts'
import { openFileStore } from '#tests/adapters/secret-store/file/open-file-store.ts'
import { KEY_1, KEY_2, keyringOf } from '#tests/support/fixed-keyring.ts'
import { mergeAnyhow, pathOf, SHOP } from '#tests/support/secret-entries.ts'

const CANARY = 'canary-5b77d1'
const SITE = pathOf('payments', 'site')
const BOTH = `${KEY_2},${KEY_1}`

async function openData() {
  const fixture = await openFileStore()
  return {
    ...fixture,
    async reseal(keys: string, dryRun = false, directory = fixture.directory) {
      const lines: string[] = []
      const source = {
        environment: { DATA_DIR: directory, SECRET_STORE_KEYS: keys },
        readFile: () => '',
      }
      const done = await resealSecrets({ dryRun, print: (line) => lines.push(line) }, source)
      expect(lines.join('\n')).not.toContain(CANARY)
      return { ok: done.ok && done.value, lines: lines.flatMap((line) => line.split('\n')) }
    },
  }
}

test('leaves a version alone that a writer removes meanwhile', async () => {
  await using data = await openData()
  const { versions } = data
  await mergeAnyhow(data.store, SHOP, { A: CANARY })
  const names = [
    { path: SHOP, version: 1 },
    { path: SHOP, version: 2 },
  ]
  const replace = async () => ({ ok: true, value: false }) as const
  const rows = { keyring: keyringOf(BOTH), versions: { ...versions, replace }, names }
  const lines: string[] = []
  expect(await resealVersions(rows, false, (line) => void lines.push(line))).toBe(true)
  expect(lines.slice(0, 2)).toStrictEqual(['k2 seals, and holds nothing.', 'k1 holds nothing.'])
})

test('retires a key: every kept version has the first key, its number and its values', async () => {
  await using data = await openData()
  await mergeAnyhow(data.store, SHOP, { A: `${CANARY}-old` })
  await mergeAnyhow(data.store, SHOP, { A: CANARY })
  await mergeAnyhow(data.under(BOTH), SITE, { B: CANARY })
  expect(await data.reseal(BOTH, true)).toStrictEqual({
    ok: true,
    lines: [
      `${SHOP}, version 1: is sealed by k1, and would be resealed`,
      `${SHOP}, version 2: is sealed by k1, and would be resealed`,
      'k2 seals, and holds 1 version.',
      'k1 holds 2 versions.',
      'Nothing was written: this was a dry run.',
    ],
  })
  expect((await data.under(KEY_2).describe(SHOP, SERVICE)).ok).toBe(false)

  expect(await data.reseal(BOTH)).toStrictEqual({
    ok: true,
    lines: [
      `${SHOP}, version 1: was sealed by k1, and is resealed`,
      `${SHOP}, version 2: was sealed by k1, and is resealed`,
      'k2 seals, and holds 3 versions.',
      'k1 holds nothing.',
      'k1: can leave SECRET_STORE_KEYS once every process seals with k2.',
    ],
  })
  expect(await data.under(KEY_2).describe(SHOP, SERVICE)).toMatchObject({
    value: { version: 2, keys: ['A'] },
  })
  expect(await data.reseal(KEY_2)).toStrictEqual({
    ok: true,
    lines: ['k2 seals, and holds 3 versions.'],
  })
})

test('names what no key opens and what is damaged, and reseals the rest', async () => {
  await using data = await openData()
  await mergeAnyhow(data.store, SHOP, { A: CANARY })
  await mergeAnyhow(data.under(KEY_2), SITE, { A: CANARY })
  await data.plant({ path: SITE, version: 2, keyId: '', sealed: Buffer.from(CANARY) })
  const key3 = KEY_1.replace('k1:', 'k3:')
  expect(await data.reseal(`${key3},${KEY_2}`)).toStrictEqual({
    ok: false,
    lines: [
      `${SHOP}, version 1: FAILED: it is sealed by k1, and no key of SECRET_STORE_KEYS opens it`,
      `${SITE}, version 1: was sealed by k2, and is resealed`,
      `${SITE}, version 2: FAILED: it is damaged`,
      'k3 seals, and holds 1 version.',
      'k2 holds nothing.',
      'k1, an unknown key, holds 1 version.',
    ],
  })
})

test('says where it looked when there is nothing, and makes no database there', async () => {
  await using data = await openData()
  const nowhere = join(data.directory, 'nowhere')
  for (const dryRun of [true, false]) {
    expect(await data.reseal(KEY_1, dryRun, nowhere)).toStrictEqual({
      ok: false,
      lines: [`There is no database in ${nowhere}: see DATA_DIR.`],
    })
    expect(existsSync(nowhere)).toBe(false)
  }
})

test('refuses a folder of an earlier release that is not copied, and writes nothing', async () => {
  await using data = await openData()
  const name = { path: SHOP, version: 3 }
  const { keyId, sealed } = sealVersion(keyringOf(KEY_1), name, new Map([['A', CANARY]]))
  const file = JSON.stringify({ format: 1, keyId, sealed: sealed.toBase64() })
  const without = join(data.directory, 'without-a-database')
  for (const directory of [data.directory, without]) {
    const folder = join(directory, 'secrets')
    await Bun.write(join(folder, SHOP, '3.sealed'), file)
    for (const dryRun of [true, false]) {
      expect(await data.reseal(BOTH, dryRun, directory)).toStrictEqual({
        ok: false,
        lines: [
          `The database does not have all secrets of ${folder}: start the service once with SECRET_STORE=file, which copies them.`,
        ],
      })
    }
    expect(await readdir(folder, { recursive: true })).toHaveLength(5)
  }
  expect(await data.rows()).toStrictEqual([])
  expect(await readdir(without)).toStrictEqual(['secrets'])

  const { versions, directory } = data
  await moveFolder(join(directory, 'secrets'), versions, keyringOf(KEY_1))
  expect((await data.reseal(BOTH)).lines[0]).toBe(
    `${SHOP}, version 3: was sealed by k1, and is resealed`,
  )
  expect((await data.reseal(BOTH)).ok).toBe(true)
})

test('loses nothing beside writers that remove versions and seal with the old key', async () => {
  await using data = await openData()
  const writers = [`${KEY_1},${KEY_2}`, BOTH].map(async (keys, writer) => {
    for (let index = 0; index < 20; index += 1) {
      await mergeAnyhow(data.under(keys), SHOP, { [`W${writer}_${index}`]: CANARY })
      await Bun.sleep(0)
    }
  })
  for (let round = 0; round < 5; round += 1) expect((await data.reseal(BOTH)).ok).toBe(true)
  await Promise.all(writers)
  expect((await data.reseal(BOTH)).ok).toBe(true)
  const entry = await data.under(KEY_2).describe(SHOP, SERVICE)
  expect(entry.ok && entry.value.kind === 'present' && entry.value.keys).toHaveLength(40)
})
