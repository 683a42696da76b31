import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { SecretVersionRow } from '#src/lib/ports/database/secret-versions.ts'
import { SERVICE } from '#src/lib/ports/secret-store.ts'
import { present, secretStoreContract, written } from '#tests/contracts/secret-store.ts'
import { KEY_1, KEY_2, keyringOf } from '#tests/support/fixed-keyring.ts'
import { mergeAnyhow, pathOf, SHOP, value } from '#tests/support/secret-entries.ts'
import { openFileStore } from './open-file-store.ts'

secretStoreContract('file', openFileStore)

const OTHER = pathOf('payments', 'other')
const sealed = {
  ok: false as const,
  error: { kind: 'secret_store_sealed' as const },
}
const storeError = (reason: string) => ({
  ok: false as const,
  error: { kind: 'secret_store_error' as const, reason },
})
const damaged = storeError('version_damaged')
const peer = (name: string) => new URL(`../../../peers/${name}`, import.meta.url).pathname

describe('file: what is sealed', () => {
  test('keeps keys and values out of every row, answer and failure', async () => {
    await using fixture = await openFileStore()
    const { store } = fixture
    const canary = 'canary-6f1d0a'
    const answers: unknown[] = [
      await store.merge(SHOP, 0, { [`KEY_${canary}`]: canary, A: canary.repeat(50) }, SERVICE),
      await store.merge(SHOP, 0, { A: canary }, SERVICE),
      await store.merge(SHOP, 1, { A: canary.repeat(100_000) }, SERVICE),
      await store.describe(SHOP, SERVICE),
    ]
    expect(JSON.stringify(answers).replaceAll(`KEY_${canary}`, '')).not.toContain(canary)
    const [row] = await fixture.rows()
    expect(Buffer.from(row?.sealed ?? []).toString('latin1')).not.toContain(canary)
    expect({ ...row, sealed: '' }).toStrictEqual({
      path: SHOP,
      version: 1,
      keyId: 'k1',
      sealed: '',
    })
  })

  test('does not open at another path, nor an older version as a newer one', async () => {
    await using fixture = await openFileStore()
    const { store, plant } = fixture
    value(await store.merge(SHOP, 0, { A: 'a' }, SERVICE))
    value(await store.merge(OTHER, 0, { B: 'b' }, SERVICE))
    const [other, shop] = await fixture.rows()
    if (other === undefined || shop === undefined) throw new Error('no rows')
    await plant({ ...other, path: SHOP })
    expect(await store.describe(SHOP, SERVICE)).toStrictEqual(sealed)
    expect(await store.merge(SHOP, 1, { C: 'c' }, SERVICE)).toStrictEqual(sealed)
    await plant(shop)
    await plant({ ...shop, version: 2 })
    expect(await store.describe(SHOP, SERVICE)).toStrictEqual(sealed)
    expect(await store.describe(OTHER, SERVICE)).toStrictEqual(present(1, 'B'))
  })

  test('with another key is a sealed store, and stays as it is', async () => {
    await using fixture = await openFileStore()
    value(await fixture.store.merge(SHOP, 0, { A: 'a' }, SERVICE))
    const before = await fixture.rows()
    for (const keys of [KEY_2, KEY_2.replace('k2', 'k1')]) {
      const stranger = fixture.under(keys)
      expect(await stranger.describe(SHOP, SERVICE)).toStrictEqual(sealed)
      expect(await stranger.merge(SHOP, 1, { A: 'b' }, SERVICE)).toStrictEqual(sealed)
      expect(await stranger.merge(SHOP, 0, { A: 'b' }, SERVICE)).toStrictEqual(sealed)
    }
    expect(await fixture.rows()).toStrictEqual(before)
  })

  test('opens to who has one of its keys, and is denied to who has none', async () => {
    await using fixture = await openFileStore()
    const { under } = fixture
    const open = { ok: true, value: undefined } as const
    expect(await under(KEY_2).access()).toStrictEqual(open)
    value(await under(KEY_1).merge(SHOP, 0, { A: 'a' }, SERVICE))
    value(await under(KEY_1).merge(OTHER, 0, { B: 'b' }, SERVICE))
    const what = 'SECRET_STORE_KEYS: no key opens any of 2 versions'
    expect(await under(KEY_2).access()).toStrictEqual({
      ok: false,
      error: { kind: 'secret_store_denied', what },
    })
    expect(await under(`${KEY_2},${KEY_1}`).access()).toStrictEqual(open)
    value(await under(KEY_2).merge(pathOf('shipping', 'cart'), 0, { C: 'c' }, SERVICE))
    expect(await under(KEY_2).access()).toStrictEqual(open)
  })

  test('follows a rotation: the new key seals the next version, the old one is then not needed', async () => {
    await using fixture = await openFileStore()
    const { under } = fixture
    value(await under(KEY_1).merge(SHOP, 0, { A: 'a' }, SERVICE))
    expect(await under(`${KEY_2},${KEY_1}`).describe(SHOP, SERVICE)).toStrictEqual(present(1, 'A'))
    value(await under(`${KEY_2},${KEY_1}`).merge(SHOP, 1, { B: 'b' }, SERVICE))
    expect(await under(KEY_2).describe(SHOP, SERVICE)).toStrictEqual(present(2, 'A', 'B'))
    expect(await under(KEY_1).describe(SHOP, SERVICE)).toStrictEqual(sealed)
  })

  test('and then cut short at any place, changed or replaced is a failure, never an entry', async () => {
    await using fixture = await openFileStore()
    const { store, plant } = fixture
    value(await store.merge(SHOP, 0, { A: 'a' }, SERVICE))
    const [row] = await fixture.rows()
    if (row === undefined) throw new Error('no row')
    for (let index = 0; index < row.sealed.length; index += 1) {
      await plant({ ...row, sealed: row.sealed.subarray(0, index) })
      expect(await store.describe(SHOP, SERVICE)).toStrictEqual(sealed)
      await plant({ ...row, sealed: row.sealed.with(index, (row.sealed[index] ?? 0) ^ 1) })
      expect(await store.describe(SHOP, SERVICE)).toStrictEqual(sealed)
    }
    await plant({ ...row, keyId: '' })
    expect(await store.describe(SHOP, SERVICE)).toStrictEqual(damaged)
    expect(await store.merge(SHOP, 1, { A: 'b' }, SERVICE)).toStrictEqual(damaged)
    await plant(row)
    expect(await store.describe(SHOP, SERVICE)).toStrictEqual(present(1, 'A'))
  })

  test('but is not ours inside is damaged, and is not quoted', async () => {
    await using fixture = await openFileStore()
    for (const content of ['hunter2', '{"values":{"A":"hunter2"}}', '{"values":[["A",2]]}', '']) {
      const seal = keyringOf(KEY_1).seal(`secret-store/${SHOP}/1`, Buffer.from(content))
      await fixture.plant({ path: SHOP, version: 1, ...seal })
      expect(await fixture.store.describe(SHOP, SERVICE)).toStrictEqual(damaged)
    }
  })

  test('is any text, also UTF-16 that is not well formed', async () => {
    await using fixture = await openFileStore()
    let version = 0
    const text = fc.string({
      unit: fc.integer({ min: 0, max: 0xffff }).map((c) => String.fromCharCode(c)),
    })
    await fc.assert(
      fc.asyncProperty(text, async (text) => {
        value(await fixture.store.merge(SHOP, version, { A: text }, SERVICE))
        version += 1
        expect(await fixture.values(SHOP)).toStrictEqual(new Map([['A', text]]))
      }),
    )
  })
})

test('file: the newest ten versions stay', async () => {
  await using fixture = await openFileStore()
  for (let version = 0; version < 25; version += 1)
    value(await fixture.store.merge(SHOP, version, { A: `${version}` }, SERVICE))
  const kept = (await fixture.rows()).map(({ version }: SecretVersionRow) => version)
  expect(kept).toStrictEqual(Array.from({ length: 10 }, (_, index) => 16 + index))
})

test('file: an entry that is too large is refused, and stays as it was', async () => {
  await using fixture = await openFileStore()
  const { store } = fixture
  const kib = (count: number) => 'x'.repeat(count * 1024)
  value(await store.merge(SHOP, 0, { A: kib(700) }, SERVICE))
  const before = await fixture.rows()
  const refused = storeError('version_too_large')
  expect(await store.merge(SHOP, 1, { B: kib(100) }, SERVICE)).toStrictEqual(refused)
  expect(await fixture.rows()).toStrictEqual(before)
  expect(await store.merge(SHOP, 1, { A: '', B: kib(100) }, SERVICE)).toStrictEqual(written)
})

test('file: without its database the store cannot be reached', async () => {
  await using fixture = await openFileStore()
  await fixture.close()
  const unreachable = { ok: false, error: { kind: 'secret_store_unreachable' } } as const
  expect(await fixture.store.describe(SHOP, SERVICE)).toStrictEqual(unreachable)
  expect(await fixture.store.merge(SHOP, 0, {}, SERVICE)).toStrictEqual(unreachable)
  expect(await fixture.store.access()).toStrictEqual(unreachable)
})

describe('file: other processes', () => {
  const start = (url: string, prefix: string, count: number) =>
    Bun.spawn([process.execPath, peer('write-secrets.ts'), url, KEY_1, prefix, String(count)], {
      stdout: 'pipe',
      stderr: 'inherit',
    })

  test('two that write one entry keep each other’s keys, and a reader always finds it', async () => {
    await using fixture = await openFileStore()
    const { store, url } = fixture
    const children = ['A', 'B'].map((prefix) => start(url, prefix, 60))
    const written = Promise.all(children.map((child) => child.stdout.text()))
    const reading = { goesOn: true }
    const seen: number[] = []
    const reader = (async () => {
      while (reading.goesOn) {
        seen.push(value(await store.describe(SHOP, SERVICE)).version)
        // SQLite answers within a tick: nothing else would run.
        await Bun.sleep(0)
      }
    })()
    const keys = (await written).flatMap((text) => text.trim().split('\n'))
    reading.goesOn = false
    await reader
    expect(seen).toStrictEqual(seen.toSorted((a, b) => a - b))
    expect(keys).toHaveLength(120)
    expect(await store.describe(SHOP, SERVICE)).toStrictEqual(present(120, ...keys.toSorted()))
  })

  test('one that is killed at any time leaves the entry before a write or after it', async () => {
    await using fixture = await openFileStore()
    const { store, url } = fixture
    // Makes each write long enough to be killed in.
    const bulk = 'x'.repeat(500 * 1024)
    value(await store.merge(SHOP, 0, { BULK: bulk }, SERVICE))
    const model = new Map([['BULK', bulk]])
    for (let round = 0; round < 5; round += 1) {
      const child = start(url, `R${round}_`, 2_000)
      const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader()
      let told = (await reader.read()).value ?? ''
      await Bun.sleep(Math.random() * 13)
      child.kill('SIGKILL')
      await child.exited
      for (let read = await reader.read(); !read.done; read = await reader.read())
        told += read.value
      const keys = told.split('\n').slice(0, -1)
      const values = await fixture.values(SHOP)
      // At most one write was done that it had no time to tell of.
      const next = `R${round}_${keys.length}`
      if (values?.has(next) === true) keys.push(next)
      for (const key of keys) model.set(key, `${key} `.repeat(100))
      expect(values).toStrictEqual(model)
    }
    await mergeAnyhow(store, SHOP, { LAST: '' })
    expect(value(await store.describe(SHOP, SERVICE)).version).toBe(model.size + 1)
  })
})
