import { describe, expect, test } from 'bun:test'
import { rmSync } from 'node:fs'
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createFileSecretStore } from '#src/lib/adapters/secret-store/file/index.ts'
import { createSealedVersions } from '#src/lib/adapters/secret-store/file/sealed-versions.ts'
import { createStoredEntries } from '#src/lib/adapters/secret-store/file/stored-entries.ts'
import { resealSecrets } from '#src/secrets/reseal/secrets-reseal.ts'
import { KEY_1, KEY_2, keyringOf } from '#tests/support/fixed-keyring.ts'
import { mergeAnyhow, pathOf, SHOP, value } from '#tests/support/secret-entries.ts'

const CANARY = 'canary-5b77d1'
const SITE = pathOf('payments', 'site')

async function openData() {
  const dataDirectory = await mkdtemp(join(tmpdir(), 'portico-reseal-'))
  const directory = join(dataDirectory, 'secrets')
  return {
    directory,
    storeOf: (keys: string) => createFileSecretStore({ directory, keyring: keyringOf(keys) }),
    /** The current values of an entry. */
    async valuesOf(keys: string, path = SHOP) {
      const { values } = value(
        await createStoredEntries({ directory, keyring: keyringOf(keys) }).read(path),
      )
      return Object.fromEntries(values ?? [])
    },
    async reseal(keys: string, dryRun = false) {
      const lines: string[] = []
      const source = {
        environment: { DATA_DIR: dataDirectory, SECRET_STORE_KEYS: keys },
        readFile: () => '',
      }
      const done = await resealSecrets({ dryRun, print: (line) => lines.push(line) }, source)
      expect(lines.join('\n')).not.toContain(CANARY)
      return { ok: done.ok && done.value, lines: lines.flatMap((line) => line.split('\n')) }
    },
    [Symbol.asyncDispose]: () => rm(dataDirectory, { recursive: true, force: true }),
  }
}

describe('portico secrets reseal', () => {
  test('leaves a version alone that a writer removes meanwhile', async () => {
    await using data = await openData()
    await mergeAnyhow(data.storeOf(KEY_1), SHOP, { A: CANARY })
    const folder = join(data.directory, SHOP)
    const keyring = keyringOf(`${KEY_2},${KEY_1}`)
    const seal = (context: string, content: Uint8Array) => {
      rmSync(join(folder, '1.sealed'), { force: true })
      return keyring.seal(context, content)
    }
    const { directory } = data
    const versions = createSealedVersions({ directory, keyring: { ...keyring, seal } })
    expect(await versions.reseal(SHOP, 1, false)).toMatchObject({ value: { kind: 'gone' } })
    expect(await readdir(folder)).toStrictEqual([])
  })

  test('retires a key: every kept version has the first key, its number and its values', async () => {
    await using data = await openData()
    await mergeAnyhow(data.storeOf(KEY_1), SHOP, { A: `${CANARY}-old` })
    await mergeAnyhow(data.storeOf(KEY_1), SHOP, { A: CANARY })
    await mergeAnyhow(data.storeOf(`${KEY_2},${KEY_1}`), SITE, { B: CANARY })
    expect(await data.reseal(`${KEY_2},${KEY_1}`, true)).toStrictEqual({
      ok: true,
      lines: [
        `${SHOP}, version 1: is sealed by k1, and would be resealed`,
        `${SHOP}, version 2: is sealed by k1, and would be resealed`,
        'k2 seals, and holds 1 version.',
        'k1 holds 2 versions.',
        'Nothing was written: this was a dry run.',
      ],
    })
    expect((await data.storeOf(KEY_2).describe(SHOP, { kind: 'service' })).ok).toBe(false)

    expect(await data.reseal(`${KEY_2},${KEY_1}`)).toStrictEqual({
      ok: true,
      lines: [
        `${SHOP}, version 1: was sealed by k1, and is resealed`,
        `${SHOP}, version 2: was sealed by k1, and is resealed`,
        'k2 seals, and holds 3 versions.',
        'k1 holds nothing.',
        'k1: can leave SECRET_STORE_KEYS once every process seals with k2.',
      ],
    })
    expect(await data.valuesOf(KEY_2)).toStrictEqual({ A: CANARY })
    expect(await data.reseal(KEY_2)).toStrictEqual({
      ok: true,
      lines: ['k2 seals, and holds 3 versions.'],
    })
    const files = (await readdir(join(data.directory, SHOP))).toSorted()
    expect(files).toStrictEqual(['1.sealed', '2.sealed'])
    const { mode } = await stat(join(data.directory, SHOP, '1.sealed'))
    expect(mode & 0o777).toBe(0o600)
  })

  test('names what no key opens and what is damaged, and reseals the rest', async () => {
    await using data = await openData()
    await mergeAnyhow(data.storeOf(KEY_1), SHOP, { A: CANARY })
    await mergeAnyhow(data.storeOf(KEY_2), SITE, { A: CANARY })
    await Bun.write(join(data.directory, SITE, '2.sealed'), CANARY)
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

  test('says where it looked when there is nothing', async () => {
    await using data = await openData()
    expect(await data.reseal(KEY_1)).toStrictEqual({
      ok: false,
      lines: [`There is no folder ${data.directory}: see DATA_DIR.`],
    })
  })

  test('loses nothing beside processes that write, remove versions and seal with the old key', async () => {
    await using data = await openData()
    const both = `${KEY_2},${KEY_1}`
    const writers = [KEY_1 + `,${KEY_2}`, both].map(async (keys, writer) => {
      for (let index = 0; index < 20; index += 1) {
        await mergeAnyhow(data.storeOf(keys), SHOP, { [`W${writer}_${index}`]: CANARY })
      }
    })
    const written = Promise.all(writers)
    const versions = createSealedVersions({ directory: data.directory, keyring: keyringOf(both) })
    await mergeAnyhow(data.storeOf(both), SHOP, {})
    for (let round = 0; round < 10; round += 1) {
      for (const version of value(await versions.list(SHOP))) {
        expect(value(await versions.reseal(SHOP, version, false)).kind).not.toBe('unopened')
      }
    }
    await written
    await data.reseal(both)
    expect(Object.keys(await data.valuesOf(KEY_2))).toHaveLength(40)
    expect(
      (await readdir(join(data.directory, SHOP))).some((name) => name.endsWith('staged')),
    ).toBe(false)
  })
})
