import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { chmod, copyFile, mkdir, open, readdir, rename, stat, utimes } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { createFileSecretStore } from '#src/lib/adapters/secret-store/file/index.ts'
import { sealVersion } from '#src/lib/adapters/secret-store/file/sealed-version.ts'
import {
  removeOldVersions,
  stageVersion,
} from '#src/lib/adapters/secret-store/file/version-folder.ts'
import {
  absent,
  conflict,
  present,
  secretStoreContract,
  written,
} from '#tests/contracts/secret-store.ts'
import { KEY_1, KEY_2, keyringOf } from '#tests/support/fixed-keyring.ts'
import { mergeAnyhow, pathOf, SHOP, value } from '#tests/support/secret-entries.ts'
import { filesOf, openFileStore } from './open-file-store.ts'
import { SERVICE } from '#src/lib/ports/secret-store.ts'

secretStoreContract('file', openFileStore)

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
  test('keeps keys and values out of every file, answer and failure', async () => {
    await using fixture = await openFileStore()
    const { store, directory } = fixture
    const canary = 'canary-6f1d0a'
    const answers: unknown[] = [
      await store.merge(SHOP, 0, { [`KEY_${canary}`]: canary, A: canary.repeat(50) }, SERVICE),
      await store.merge(SHOP, 0, { A: canary }, SERVICE),
      await store.merge(SHOP, 1, { A: canary.repeat(100_000) }, SERVICE),
      await store.describe(SHOP, SERVICE),
    ]
    await Bun.write(fixture.fileOf(2), `{"format":1,"keyId":"${canary}","sealed":"${canary}"`)
    answers.push(
      await store.describe(SHOP, SERVICE),
      await store.merge(SHOP, 2, { A: canary }, SERVICE),
    )
    const shown = JSON.stringify(answers).replaceAll(`KEY_${canary}`, '')
    expect(shown).not.toContain(canary)

    const stored = [...(await filesOf(directory))].filter(([name]) => !name.endsWith('2.sealed'))
    expect(stored).toHaveLength(1)
    // In base64 a text has three forms, by where it begins.
    const forms = [canary, ...['', '-', '--'].map((before) => btoa(before + canary).slice(4, -4))]
    for (const form of forms) expect(JSON.stringify(stored)).not.toContain(form)
  })

  test('does not open at another path, nor an older version as a newer one', async () => {
    await using fixture = await openFileStore()
    const { store, fileOf } = fixture
    const other = pathOf('payments', 'other')
    value(await store.merge(SHOP, 0, { A: 'a' }, SERVICE))
    value(await store.merge(other, 0, { B: 'b' }, SERVICE))
    await copyFile(fileOf(1, other), fileOf(1))
    expect(await store.describe(SHOP, SERVICE)).toStrictEqual(sealed)
    expect(await store.merge(SHOP, 1, { C: 'c' }, SERVICE)).toStrictEqual(sealed)
    expect(await store.describe(other, SERVICE)).toStrictEqual(present(1, 'B'))

    value(await store.merge(other, 1, { B: 'newer' }, SERVICE))
    await copyFile(fileOf(1, other), fileOf(3, other))
    expect(await store.describe(other, SERVICE)).toStrictEqual(sealed)
    await rename(fileOf(2, other), fileOf(3, other))
    expect(await store.describe(other, SERVICE)).toStrictEqual(sealed)
  })

  test('with another key is a sealed store, and stays as it is', async () => {
    await using fixture = await openFileStore()
    const { directory } = fixture
    value(await fixture.store.merge(SHOP, 0, { A: 'a' }, SERVICE))
    const before = await filesOf(directory)
    const sameName = KEY_2.replace('k2', 'k1')
    for (const keys of [KEY_2, sameName]) {
      const stranger = createFileSecretStore({
        directory,
        keyring: keyringOf(keys),
      })
      expect(await stranger.describe(SHOP, SERVICE)).toStrictEqual(sealed)
      expect(await stranger.merge(SHOP, 1, { A: 'b' }, SERVICE)).toStrictEqual(sealed)
      expect(await stranger.merge(SHOP, 0, { A: 'b' }, SERVICE)).toStrictEqual(sealed)
    }
    expect(await filesOf(directory)).toStrictEqual(before)
  })

  test('opens to who has one of its keys, and is denied to who has none', async () => {
    await using fixture = await openFileStore()
    const { directory } = fixture
    const under = (keys: string) => createFileSecretStore({ directory, keyring: keyringOf(keys) })
    const open = { ok: true, value: undefined } as const
    expect(await under(KEY_2).access()).toStrictEqual(open)
    value(await under(KEY_1).merge(SHOP, 0, { A: 'a' }, SERVICE))
    value(await under(KEY_1).merge(pathOf('payments', 'other'), 0, { B: 'b' }, SERVICE))
    expect(await under(KEY_2).access()).toStrictEqual({
      ok: false,
      error: {
        kind: 'secret_store_denied',
        what: 'SECRET_STORE_KEYS: no key opens any of 2 entries',
      },
    })
    expect(await under(`${KEY_2},${KEY_1}`).access()).toStrictEqual(open)
    value(await under(KEY_2).merge(pathOf('shipping', 'cart'), 0, { C: 'c' }, SERVICE))
    expect(await under(KEY_2).access()).toStrictEqual(open)
  })

  test('follows a rotation: the new key seals the next version, the old one is then not needed', async () => {
    await using fixture = await openFileStore()
    const { directory } = fixture
    const under = (keys: string) => createFileSecretStore({ directory, keyring: keyringOf(keys) })
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
    const bytes = await Bun.file(fixture.fileOf(1)).bytes()
    for (let length = 0; length < bytes.length; length += 1) {
      await plant(1, bytes.subarray(0, length))
      expect(await store.describe(SHOP, SERVICE)).toStrictEqual(damaged)
    }
    for (let index = 0; index < bytes.length; index += 1) {
      await plant(1, bytes.with(index, (bytes[index] ?? 0) ^ 1))
      expect(await store.describe(SHOP, SERVICE)).toBeOneOf([damaged, sealed])
    }
    // The last character before the padding has bits that decode to nothing.
    const digits = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/'
    const respelt = (digit: string) => digits[digits.indexOf(digit) + 1] ?? ''
    await plant(1, new TextDecoder().decode(bytes).replace(/.(?==)/, respelt))
    expect(await store.describe(SHOP, SERVICE)).toStrictEqual(damaged)
    const strange = ['null', '[]', '{}', '"x"', '\0', '{"format":2,"keyId":"k1","sealed":""}']
    for (const content of [...strange, '{"format":1,"keyId":"k1","sealed":"*"}']) {
      await plant(1, content)
      expect(await store.describe(SHOP, SERVICE)).toStrictEqual(damaged)
      expect(await store.merge(SHOP, 1, { A: 'b' }, SERVICE)).toStrictEqual(damaged)
    }
    await plant(1, '{"format":1,"keyId":"k1","sealed":""}')
    expect(await store.describe(SHOP, SERVICE)).toStrictEqual(sealed)
    await plant(1, bytes)
    expect(await store.describe(SHOP, SERVICE)).toStrictEqual(present(1, 'A'))
  })

  test('but is not ours inside is damaged, and is not quoted', async () => {
    await using fixture = await openFileStore()
    const { store, plant } = fixture
    const keyring = keyringOf(KEY_1)
    for (const content of ['hunter2', '{"values":{"A":"hunter2"}}', '{"values":[["A",2]]}', '']) {
      const { keyId, sealed } = keyring.seal(`secret-store/${SHOP}/1`, Buffer.from(content))
      await plant(1, JSON.stringify({ format: 1, keyId, sealed: sealed.toBase64() }))
      expect(await store.describe(SHOP, SERVICE)).toStrictEqual(damaged)
    }
  })
})

describe('file: on the disk', () => {
  test('only the owner reads it, and names that are not ours mean nothing', async () => {
    await using fixture = await openFileStore()
    const { store, directory, folder } = fixture
    value(await store.merge(SHOP, 0, { A: 'a' }, SERVICE))
    for (let path = folder; path !== dirname(directory); path = dirname(path))
      expect((await stat(path)).mode & 0o777).toBe(0o700)
    expect((await stat(fixture.fileOf(1))).mode & 0o777).toBe(0o600)
    for (const name of ['02.sealed', '2.sealed~', '2.sealed.bak', '-3.sealed', '1e3.sealed', '4'])
      await Bun.write(join(folder, name), 'x')
    expect(await store.merge(SHOP, 1, { B: 'b' }, SERVICE)).toStrictEqual(written)
  })

  test('the newest ten versions stay, and nothing else', async () => {
    await using fixture = await openFileStore()
    const { store, folder } = fixture
    for (let version = 0; version < 25; version += 1)
      value(await store.merge(SHOP, version, { A: `${version}` }, SERVICE))
    const kept = Array.from({ length: 10 }, (_, index) => `${16 + index}.sealed`)
    expect((await readdir(folder)).toSorted()).toStrictEqual(kept)
  })

  test('what a dead writer left is cleared away by the next, what a living one stages is not', async () => {
    await using fixture = await openFileStore()
    const { store, folder } = fixture
    value(await store.merge(SHOP, 0, { A: '1' }, SERVICE))
    const staged = (version: number) =>
      `${version}.0197a1b2-0000-7000-8000-00000000000${version}.staged`
    for (const version of [1, 2, 3]) await Bun.write(join(folder, staged(version)), 'half a fi')
    expect(await store.describe(SHOP, SERVICE)).toStrictEqual(present(1, 'A'))
    expect(await store.merge(SHOP, 1, { A: '2' }, SERVICE)).toStrictEqual(written)
    expect((await readdir(folder)).toSorted()).toStrictEqual(['1.sealed', '2.sealed', staged(3)])
    expect(await store.merge(SHOP, 2, { A: '3' }, SERVICE)).toStrictEqual(written)
    expect((await readdir(folder)).toSorted()).toStrictEqual(['1.sealed', '2.sealed', '3.sealed'])
  })

  test('a writer that slept while its version was written and removed does not succeed', async () => {
    await using fixture = await openFileStore()
    const { store, folder } = fixture
    value(await store.merge(SHOP, 0, { A: 'a' }, SERVICE))
    const bytes = sealVersion(keyringOf(KEY_1), SHOP, 2, new Map([['MINE', 'lost']]))
    await using sleeper = await stageVersion(folder, 2, bytes)
    for (let version = 1; version < 30; version += 1)
      value(await store.merge(SHOP, version, { A: `${version}` }, SERVICE))
    expect(await Bun.file(fixture.fileOf(2)).exists()).toBe(false)
    expect(await sleeper?.publish()).toBe(false)
    expect(await store.describe(SHOP, SERVICE)).toStrictEqual(present(30, 'A'))
    expect(await readdir(folder)).toHaveLength(10)
  })

  test('the first write of a process clears away what dead writers left in any entry', async () => {
    await using fixture = await openFileStore()
    const { directory } = fixture
    const other = join(directory, 'payments/other')
    const staged = (version: number) =>
      `${version}.0197a1b2-0000-7000-8000-00000000000${version}.staged`
    for (const version of [1, 2]) await Bun.write(join(other, staged(version)), 'half a fi')
    const yesterday = new Date(Date.now() - 24 * 60 * 60_000)
    await utimes(join(other, staged(1)), yesterday, yesterday)
    value(await fixture.another().merge(SHOP, 0, { A: '1' }, SERVICE))
    while ((await readdir(other)).length > 1) await Bun.sleep(5)
    expect(await readdir(other)).toStrictEqual([staged(2)])
  })

  test('a version is staged for nobody who comes late or early', async () => {
    await using fixture = await openFileStore()
    const { store, folder } = fixture
    value(await store.merge(SHOP, 0, { A: 'a' }, SERVICE))
    for (const version of [1, 3]) {
      await using staged = await stageVersion(folder, version, new Uint8Array(1))
      expect(staged).toBeUndefined()
    }
    expect(await readdir(folder)).toStrictEqual(['1.sealed'])
  })

  test('versions that cannot be removed are no failure of the write', async () => {
    await using fixture = await openFileStore()
    const { store, folder } = fixture
    const stuck = join(folder, '1.0197a1b2-0000-7000-8000-000000000001.staged')
    await mkdir(stuck, { recursive: true })
    expect(await removeOldVersions(folder, 1, 1).catch(() => 'stuck')).toBe('stuck')
    expect(await store.merge(SHOP, 0, { A: 'a' }, SERVICE)).toStrictEqual(written)
  })

  test('an entry that is too large is refused, and stays as it was', async () => {
    await using fixture = await openFileStore()
    const { store, plant, directory } = fixture
    const kib = (count: number) => 'x'.repeat(count * 1024)
    value(await store.merge(SHOP, 0, { A: kib(700) }, SERVICE))
    const before = await filesOf(directory)
    const refused = storeError('version_too_large')
    expect(await store.merge(SHOP, 1, { B: kib(100) }, SERVICE)).toStrictEqual(refused)
    expect(await filesOf(directory)).toStrictEqual(before)
    expect(await store.merge(SHOP, 1, { A: '', B: kib(100) }, SERVICE)).toStrictEqual(written)
    await plant(3, kib(1025))
    expect(await store.describe(SHOP, SERVICE)).toStrictEqual(refused)
  })
})

describe('file: a place that cannot be used', () => {
  test('is a failure with the code of the system alone', async () => {
    await using fixture = await openFileStore()
    const { folder } = fixture
    value(await fixture.store.merge(SHOP, 0, { A: 'a' }, SERVICE))
    const below = join(fixture.fileOf(1), 'below')
    const inFile = createFileSecretStore({
      directory: below,
      keyring: keyringOf(KEY_1),
    })
    expect(await inFile.describe(SHOP, SERVICE)).toStrictEqual(storeError('ENOTDIR'))
    expect(await inFile.merge(SHOP, 0, { A: 'a' }, SERVICE)).toStrictEqual(storeError('ENOTDIR'))

    await mkdir(fixture.fileOf(2))
    expect(await fixture.store.describe(SHOP, SERVICE)).toStrictEqual(storeError('EISDIR'))
    expect(await fixture.store.merge(SHOP, 2, { A: 'b' }, SERVICE)).toStrictEqual(
      storeError('EISDIR'),
    )
    expect((await readdir(folder)).toSorted()).toStrictEqual(['1.sealed', '2.sealed'])
  })

  test('is missing: absent entries, and made by the first write', async () => {
    await using fixture = await openFileStore()
    const { store, directory } = fixture
    expect(await store.describe(SHOP, SERVICE)).toStrictEqual(absent(0))
    expect(await store.merge(SHOP, 1, { A: 'a' }, SERVICE)).toStrictEqual(conflict)
    expect(await stat(directory).catch(() => 'none')).toBe('none')
    expect(await store.merge(SHOP, 0, { A: 'a' }, SERVICE)).toStrictEqual(written)
    expect((await stat(directory)).mode & 0o777).toBe(0o700)
  })

  const isRoot = process.getuid?.() === 0
  test.skipIf(isRoot)('may not be written (skipped for root, whom modes do not stop)', async () => {
    await using fixture = await openFileStore()
    const { store, directory, folder } = fixture
    value(await store.merge(SHOP, 0, { A: 'a' }, SERVICE))
    for (const path of [folder, directory]) await chmod(path, 0o500)
    expect(await store.merge(SHOP, 1, { A: 'b' }, SERVICE)).toStrictEqual(storeError('EACCES'))
    expect(await store.describe(SHOP, SERVICE)).toStrictEqual(present(1, 'A'))
    for (const path of [folder, directory]) await chmod(path, 0o700)
    expect(await store.merge(SHOP, 1, { A: 'b' }, SERVICE)).toStrictEqual(written)
  })

  const namespace = ['unshare', '--user', '--map-root-user', '--mount']
  const mountable =
    Bun.which('unshare') !== null &&
    Bun.spawnSync([...namespace, 'mount', '-t', 'tmpfs', 'none', '/mnt']).exitCode === 0
  test.skipIf(!mountable)(
    'is full or read-only (skipped where nothing can be mounted)',
    async () => {
      await using fixture = await openFileStore()
      await mkdir(fixture.directory)
      const command = [...namespace, process.execPath, peer('small-disk.ts'), fixture.directory]
      const child = Bun.spawn(command, { stdout: 'pipe', stderr: 'inherit' })
      expect(JSON.parse(await child.stdout.text())).toStrictEqual({
        small: { ok: true },
        'larger than the disk': storeError('ENOSPC'),
        afterwards: present(1, 'A'),
        'files afterwards': `./${SHOP}/1.sealed`,
        'small, on a full disk': storeError('ENOSPC'),
        'files of a full disk': `./${SHOP}/1.sealed`,
        'with room again': { ok: true },
        'on a read-only disk': storeError('EROFS'),
        'read from it': present(2, 'A', 'B'),
      })
    },
  )

  test('hangs: the call ends in time, and does not write when the place comes back', async () => {
    await using fixture = await openFileStore()
    const { directory, folder, fileOf } = fixture
    const keyring = keyringOf(KEY_1)
    const store = createFileSecretStore({ directory, keyring, deadlineMs: 50 })
    await mkdir(folder, { recursive: true })
    // Whoever opens a pipe to read from it waits for somebody who writes into it.
    expect(Bun.spawnSync(['mkfifo', fileOf(1)]).exitCode).toBe(0)
    const merging = store.merge(SHOP, 1, { B: 'b' }, SERVICE)
    expect(await merging).toStrictEqual({
      ok: false,
      error: { kind: 'secret_store_timeout' },
    })

    // On a busy machine the call may have ended before it opened the pipe: this does not wait for a reader.
    const pipe = await open(fileOf(1), 'r+')
    await pipe.writeFile(sealVersion(keyring, SHOP, 1, new Map([['A', 'a']])))
    await pipe.close()
    await Bun.sleep(300)
    expect(await readdir(folder)).toStrictEqual(['1.sealed'])
  })
})

describe('file: other processes', () => {
  const start = (directory: string, prefix: string, count: number) =>
    Bun.spawn(
      [process.execPath, peer('write-secrets.ts'), directory, KEY_1, prefix, String(count)],
      { stdout: 'pipe', stderr: 'inherit' },
    )

  test('two that write one entry keep each other’s keys, and a reader always finds it', async () => {
    await using fixture = await openFileStore()
    const { store, directory } = fixture
    const children = ['A', 'B'].map((prefix) => start(directory, prefix, 60))
    const written = Promise.all(children.map((child) => child.stdout.text()))
    const reading = { goesOn: true }
    const seen: number[] = []
    const reader = (async () => {
      while (reading.goesOn) seen.push(value(await store.describe(SHOP, SERVICE)).version)
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
    const { store, directory, folder } = fixture
    // Makes each write long enough to be killed in.
    const bulk = 'x'.repeat(500 * 1024)
    value(await store.merge(SHOP, 0, { BULK: bulk }, SERVICE))
    const model = new Map([['BULK', bulk]])
    let killedInWrite = 0
    for (let round = 0; round < 16 || killedInWrite < 5; round += 1) {
      const child = start(directory, `R${round}_`, 2_000)
      const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader()
      let told = (await reader.read()).value ?? ''
      await Bun.sleep(Math.random() * 10)
      // At any time, and every other time in a write or soon after it.
      if (round % 2 === 1) while ((await readdir(folder)).length < 2) await Bun.sleep(0)
      await Bun.sleep(Math.random() * 3)
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
      const expected = present(model.size, ...[...model.keys()].toSorted())
      expect(await store.describe(SHOP, SERVICE)).toStrictEqual(expected)
      if ((await readdir(folder)).length > 1) killedInWrite += 1
    }
    await mergeAnyhow(store, SHOP, { LAST: '' })
    const entry = value(await store.describe(SHOP, SERVICE))
    const files = (await readdir(folder)).filter((name) => !name.endsWith('.sealed'))
    expect([entry.version, files]).toStrictEqual([model.size + 1, []])
  })
})

test('file: any text is a value', async () => {
  await using fixture = await openFileStore()
  let version = 0
  // UTF-16 that is not well formed as well: it is ours to keep, though no application can read it.
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

describe('file: what config check --connect says', () => {
  test('a folder that is not there yet stays missing, and one that is there stays as it is', async () => {
    await using fixture = await openFileStore()
    const { store, directory } = fixture
    expect(await store.check()).toStrictEqual([
      {
        ok: true,
        text: `The sealed secrets of applications go to ${directory}, which the first start makes.`,
      },
    ])
    expect(await readdir(dirname(directory))).toStrictEqual([])
    value(await store.merge(SHOP, 0, { A: 'a' }, SERVICE))
    const before = await readdir(directory)
    expect(await store.check()).toStrictEqual([
      {
        ok: true,
        text: `The sealed secrets of applications can be written to ${directory}.`,
      },
    ])
    expect(await readdir(directory)).toStrictEqual(before)
  })
})
