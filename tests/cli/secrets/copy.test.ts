import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { sealVersion } from '#src/lib/adapters/secret-store/file/sealed-version.ts'
import { RunId } from '#src/lib/names.ts'
import { type SecretStore, SERVICE } from '#src/lib/ports/secret-store.ts'
import { err } from '#src/lib/result.ts'
import { copyEntries } from '#src/cli/secrets/copy.ts'
import { namesIn } from '#src/cli/secrets/sealed-rows.ts'
import {
  type FileFixture,
  openFileStore,
} from '#tests/adapters/secret-store/file/open-file-store.ts'
import { openVaultFixture } from '#tests/adapters/secret-store/vault/open-vault-store.ts'
import { type OpenBao, openbaoProgram, startOpenBao } from '#tests/peers/openbao.ts'
import { KEY_1, KEY_2, keyringOf } from '#tests/support/fixed-keyring.ts'
import { mergeAnyhow, pathOf, SHOP, value } from '#tests/support/secret-entries.ts'

const CANARY = 'canary-81f2c7'
const keyring = keyringOf(KEY_1)
const SITE = pathOf('payments', 'site')
const DOCS = pathOf('platform', 'docs', 'staging')

/** The printed lines, and whether everything was copied. */
async function copy(
  { versions }: Pick<FileFixture, 'versions'>,
  target: Pick<SecretStore, 'describe' | 'merge' | 'label'>,
  choices: { readonly dryRun?: boolean; readonly overwrite?: boolean } = {},
) {
  const all = { dryRun: false, overwrite: false, ...choices }
  const lines: string[] = []
  const names = await namesIn(versions)
  if (!names.ok) throw new Error(names.error.reason)
  const source = { keyring, versions, names: names.value }
  const ok = await copyEntries(source, target, all, (line) => void lines.push(line))
  expect(lines.join('\n')).not.toContain(CANARY)
  return { ok, lines }
}

describe.skipIf(openbaoProgram === null)('copying secrets to vault', () => {
  let openbao: OpenBao
  beforeAll(async () => {
    openbao = await startOpenBao()
  })
  afterAll(() => openbao[Symbol.asyncDispose]())

  test('makes absent entries with all their keys, and labels them', async () => {
    await using folder = await openFileStore()
    const vault = openVaultFixture({ openbao })
    await mergeAnyhow(folder.store, SHOP, { B: `${CANARY}-old`, A: CANARY })
    await mergeAnyhow(
      folder.store,
      SHOP,
      Object.fromEntries([
        ['B', CANARY],
        ['__proto__', CANARY],
      ]),
    )
    await mergeAnyhow(folder.store, DOCS, {})
    expect(await copy(folder, vault.store)).toStrictEqual({
      ok: true,
      lines: [
        'payments/shop/dev/env: made, 3 keys (A, B, __proto__)',
        'platform/docs/staging/env: made, without keys',
        '2 entries: 2 made.',
      ],
    })
    expect(await vault.values(SHOP)).toStrictEqual(
      new Map([
        ['A', CANARY],
        ['B', CANARY],
        ['__proto__', CANARY],
      ]),
    )
    expect(value(await vault.store.describe(DOCS, SERVICE))).toStrictEqual({
      kind: 'present',
      version: 1,
      keys: [],
      origin: { run: null },
    })
  })

  test('adds missing keys to an entry, and leaves the others as they are', async () => {
    await using folder = await openFileStore()
    const vault = openVaultFixture({ openbao })
    await mergeAnyhow(vault.store, SHOP, { A: 'of vault', Z: 'of vault' })
    await mergeAnyhow(folder.store, SHOP, { A: CANARY, B: CANARY })
    expect(await copy(folder, vault.store)).toStrictEqual({
      ok: true,
      lines: [
        'payments/shop/dev/env: 1 key (B) added; 1 key (A) left as in vault',
        '1 entry: 1 changed.',
        'Keys that vault has already stay as they are; --overwrite replaces them.',
      ],
    })
    expect(await vault.values(SHOP)).toStrictEqual(
      new Map([
        ['A', 'of vault'],
        ['B', CANARY],
        ['Z', 'of vault'],
      ]),
    )
  })

  test('writes nothing the second time', async () => {
    await using folder = await openFileStore()
    const vault = openVaultFixture({ openbao })
    await mergeAnyhow(folder.store, SHOP, { A: CANARY })
    await mergeAnyhow(folder.store, DOCS, {})
    await copy(folder, vault.store)
    const { lines } = await copy(folder, vault.store)
    expect(lines).toStrictEqual([
      'payments/shop/dev/env: 1 key (A) left as in vault',
      'platform/docs/staging/env: there already, without keys',
      '2 entries: 2 unchanged.',
      'Keys that vault has already stay as they are; --overwrite replaces them.',
    ])
    expect(value(await vault.store.describe(SHOP, SERVICE))).toMatchObject({ version: 1 })
  })

  test('leaves the label of the run that made an entry', async () => {
    await using folder = await openFileStore()
    const vault = openVaultFixture({ openbao })
    const run = RunId.of('0193a7c2-5b1e-7000-8000-000000000001')
    await mergeAnyhow(vault.store, SHOP, {})
    await vault.store.label(SHOP, { run }, SERVICE)
    await mergeAnyhow(folder.store, SHOP, { A: CANARY })
    await copy(folder, vault.store)
    expect(value(await vault.store.describe(SHOP, SERVICE))).toMatchObject({
      version: 2,
      origin: { run },
    })
  })

  test('replaces keys when told to', async () => {
    await using folder = await openFileStore()
    const vault = openVaultFixture({ openbao })
    await mergeAnyhow(vault.store, SHOP, { A: 'of vault', Z: 'of vault' })
    await mergeAnyhow(folder.store, SHOP, { A: CANARY, B: CANARY })
    expect((await copy(folder, vault.store, { overwrite: true })).lines).toStrictEqual([
      'payments/shop/dev/env: 1 key (B) added; 1 key (A) replaced',
      '1 entry: 1 changed.',
    ])
    expect(await vault.values(SHOP)).toStrictEqual(
      new Map([
        ['A', CANARY],
        ['B', CANARY],
        ['Z', 'of vault'],
      ]),
    )
  })

  test('a dry run says the same, and writes nothing', async () => {
    await using folder = await openFileStore()
    const vault = openVaultFixture({ openbao })
    await mergeAnyhow(vault.store, SITE, { A: 'of vault' })
    await mergeAnyhow(folder.store, SITE, { A: CANARY, B: CANARY })
    await mergeAnyhow(folder.store, SHOP, { A: CANARY })
    expect(
      (await copy(folder, vault.store, { dryRun: true, overwrite: true })).lines,
    ).toStrictEqual([
      'payments/shop/dev/env: would be made, 1 key (A)',
      'payments/site/dev/env: 1 key (B) would be added; 1 key (A) would be replaced',
      '2 entries: 1 made, 1 changed.',
      'Nothing was written: this was a dry run.',
    ])
    expect(await vault.values(SHOP)).toBeUndefined()
    expect(value(await vault.store.describe(SITE, SERVICE))).toMatchObject({
      version: 1,
      origin: null,
    })
  })

  test('goes on after entries that cannot be read, and names them', async () => {
    await using folder = await openFileStore()
    const vault = openVaultFixture({ openbao })
    const at = (app: string) => ({ path: pathOf('payments', app), version: 1 })
    const values = new Map([['A', CANARY]])
    const sealed = sealVersion(keyring, { path: SHOP, version: 1 }, values)
    await folder.plant(sealVersion(keyringOf(KEY_2), at('other-key'), values))
    await folder.plant({ ...at('damaged'), keyId: '', sealed: Buffer.from(CANARY) })
    await folder.plant({ ...sealed, ...at('moved') })
    await folder.plant(sealVersion(keyring, at('tombstone'), null))
    await mergeAnyhow(folder.store, SHOP, { A: CANARY })
    expect(await copy(folder, vault.store)).toStrictEqual({
      ok: false,
      lines: [
        'payments/damaged/dev/env: FAILED: it is damaged',
        'payments/moved/dev/env: FAILED: no key of SECRET_STORE_KEYS opens it',
        'payments/other-key/dev/env: FAILED: no key of SECRET_STORE_KEYS opens it',
        'payments/shop/dev/env: made, 1 key (A)',
        'payments/tombstone/dev/env: deleted, and not copied',
        '5 entries: 1 made, 1 deleted, 3 failed.',
        'Not everything is copied. Mend what is named and run the command again; what is copied stays.',
      ],
    })
  })

  test('loses no key to writers that write the same entry meanwhile', async () => {
    await using folder = await openFileStore()
    const vault = openVaultFixture({ openbao })
    await mergeAnyhow(folder.store, SHOP, { COPIED: CANARY })
    const writers = Array.from({ length: 8 }, (_, index) =>
      mergeAnyhow(vault.another(), SHOP, { [`WRITTEN_${index}`]: 'by another' }),
    )
    const copies = [copy(folder, vault.store), copy(folder, vault.another())]
    const outcomes = await Promise.all(copies)
    await Promise.all(writers)
    expect(outcomes.map(({ ok }) => ok)).toStrictEqual([true, true])
    const values = await vault.values(SHOP)
    expect(values?.get('COPIED')).toBe(CANARY)
    expect(values?.size).toBe(9)
  })

  test('makes an entry anew that was deleted in vault, if the login may', async () => {
    await using folder = await openFileStore()
    const vault = openVaultFixture({ openbao })
    await mergeAnyhow(vault.store, SHOP, { Z: 'of vault' })
    await vault.remove(SHOP)
    await mergeAnyhow(folder.store, SHOP, { A: CANARY })
    expect((await copy(folder, vault.store)).lines[0]).toBe(
      'payments/shop/dev/env: made, 1 key (A)',
    )
    expect(await vault.values(SHOP)).toStrictEqual(new Map([['A', CANARY]]))
  })

  test('names what the policy refuses, and goes on', async () => {
    await using folder = await openFileStore()
    await openbao.policy(
      'dev-alone',
      `
      path "secret/data/+/+/+/dev/env" { capabilities = ["create", "patch"] }
      path "secret/metadata/+/+/+/dev/env" { capabilities = ["patch"] }
      path "secret/subkeys/+/+/+/+/env" { capabilities = ["read"] }
      path "auth/token/lookup-self" { capabilities = ["read"] }
    `,
    )
    const token = await openbao.token({ policies: ['dev-alone'] })
    const vault = openVaultFixture({ openbao, token })
    await mergeAnyhow(folder.store, DOCS, { A: CANARY })
    await mergeAnyhow(folder.store, pathOf('platform', 'site'), { A: CANARY })
    const { ok, lines } = await copy(folder, vault.store)
    expect(ok).toBe(false)
    expect(lines[0]).toMatch(
      /^platform\/docs\/staging\/env: FAILED: refused: create on secret\/data\/t\d+\/platform\/docs\/staging\/env\b/,
    )
    expect(lines.slice(1, 3)).toStrictEqual([
      'platform/site/dev/env: made, 1 key (A)',
      '2 entries: 1 made, 1 failed.',
    ])
  })

  test('copies a hundred entries, a few at a time', async () => {
    await using folder = await openFileStore()
    const vault = openVaultFixture({ openbao })
    const paths = Array.from({ length: 100 }, (_, index) => pathOf('payments', `app-${index}`))
    for (const path of paths) {
      await folder.plant(sealVersion(keyring, { path, version: 1 }, new Map([['A', CANARY]])))
    }
    let running = 0
    let most = 0
    const counted: typeof vault.store.describe = async (path, actor) => {
      running += 1
      most = Math.max(most, running)
      try {
        return await vault.store.describe(path, actor)
      } finally {
        running -= 1
      }
    }
    const { ok, lines } = await copy(folder, { ...vault.store, describe: counted })
    expect(ok).toBe(true)
    expect(lines).toHaveLength(101)
    expect(lines.at(-1)).toBe('100 entries: 100 made.')
    expect(most).toBeLessThanOrEqual(8)
    expect(await vault.values(pathOf('payments', 'app-99'))).toStrictEqual(new Map([['A', CANARY]]))
  })
})

test('stops when vault is away, and says what was not tried', async () => {
  await using folder = await openFileStore()
  for (let index = 10; index < 40; index += 1) {
    await mergeAnyhow(folder.store, pathOf('payments', `app-${index}`), { A: CANARY })
  }
  const away = async () => err({ kind: 'secret_store_sealed' as const })
  const { ok, lines } = await copy(folder, { describe: away, merge: away, label: away })
  expect(ok).toBe(false)
  expect(lines[0]).toBe('payments/app-10/dev/env: FAILED: the secret store is sealed')
  expect(lines[29]).toBe('payments/app-39/dev/env: not tried')
  expect(lines[30]).toMatch(/^30 entries: [1-8] failed, 2\d not tried\.$/)
})
