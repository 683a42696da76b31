import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createFileSecretStore } from '#src/lib/adapters/secret-store/file/index.ts'
import { createStoredEntries } from '#src/lib/adapters/secret-store/file/stored-entries.ts'
import { KEY_1, KEY_2, keyringOf } from '#tests/support/fixed-keyring.ts'
import { runPortico, spawnPortico } from '#tests/support/portico-process.ts'
import { mergeAnyhow, pathOf, value } from '#tests/support/secret-entries.ts'

const CANARY = 'canary-c04d19'
const COMMAND = ['secrets', 'reseal']
const paths = Array.from({ length: 20 }, (_, index) => pathOf('payments', `shop-${index + 10}`))

let directory = ''
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'portico-reseal-'))
  const store = createFileSecretStore({
    directory: join(directory, 'secrets'),
    keyring: keyringOf(KEY_1),
  })
  for (const path of paths) await mergeAnyhow(store, path, { A: CANARY })
})
afterAll(() => rm(directory, { recursive: true, force: true }))

const variables = (keys: string) => ({ DATA_DIR: directory, SECRET_STORE_KEYS: keys })

test('portico secrets reseal ends in the same state wherever it was killed before', async () => {
  const both = `${KEY_2},${KEY_1}`
  const { child, end } = spawnPortico(COMMAND, variables(both))
  const isSealedAnew = () =>
    Bun.file(join(directory, 'secrets', paths[0] ?? '', '1.sealed'))
      .text()
      .then((text) => text.includes('"k2"'))
  while (child.exitCode === null && !(await isSealedAnew())) await Bun.sleep(1)
  child.kill('SIGKILL')
  await end()

  const { exitCode, stdout, stderr } = await runPortico(COMMAND, variables(both))
  expect({ exitCode, stderr, end: stdout.trim().split('\n').slice(-3) }).toStrictEqual({
    exitCode: 0,
    stderr: '',
    end: [
      'k2 seals, and holds 20 versions.',
      'k1 holds nothing.',
      'k1: can leave SECRET_STORE_KEYS once every process seals with k2.',
    ],
  })
  expect(stdout).not.toContain(CANARY)
  const entries = createStoredEntries({
    directory: join(directory, 'secrets'),
    keyring: keyringOf(KEY_2),
  })
  for (const path of paths) {
    expect(value(await entries.read(path))).toStrictEqual({
      version: 1,
      values: new Map([['A', CANARY]]),
    })
  }
})

test('its status says whether something is left, and whether the settings are right', async () => {
  const other = `k3:${Buffer.alloc(32, 3).toString('base64')}`
  expect(await runPortico(COMMAND, variables(other))).toMatchObject({ exitCode: 1, stderr: '' })
  expect(await runPortico(COMMAND, { DATA_DIR: directory })).toMatchObject({
    exitCode: 78,
    stderr: expect.stringContaining('SECRET_STORE_KEYS is missing'),
  })
})
