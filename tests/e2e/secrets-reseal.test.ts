import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readEntry } from '#src/lib/adapters/secret-store/file/index.ts'
import {
  type FileFixture,
  openFileStore,
} from '#tests/adapters/secret-store/file/open-file-store.ts'
import { KEY_1, KEY_2, keyringOf } from '#tests/support/fixed-keyring.ts'
import { runPortico, spawnPortico } from '#tests/support/portico-process.ts'
import { mergeAnyhow, pathOf, value } from '#tests/support/secret-entries.ts'

const CANARY = 'canary-c04d19'
const COMMAND = ['secrets', 'reseal']
const paths = Array.from({ length: 20 }, (_, index) => pathOf('payments', `shop-${index + 10}`))

let data: FileFixture
beforeAll(async () => {
  data = await openFileStore()
  for (const path of paths) await mergeAnyhow(data.store, path, { A: CANARY })
})
afterAll(() => data[Symbol.asyncDispose]())

const variables = (keys: string) => ({ DATA_DIR: data.directory, SECRET_STORE_KEYS: keys })

test('portico secrets reseal ends in the same state wherever it was killed before', async () => {
  const both = `${KEY_2},${KEY_1}`
  const { child, end } = spawnPortico(COMMAND, variables(both))
  const isSealedAnew = async () => (await data.rows())[0]?.keyId === 'k2'
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
  for (const path of paths) {
    expect(value(await readEntry(data.versions, keyringOf(KEY_2), path))).toStrictEqual({
      version: 1,
      values: new Map([['A', CANARY]]),
    })
  }
})

test('its status says whether something is left, and whether the settings are right', async () => {
  const other = `k3:${Buffer.alloc(32, 3).toString('base64')}`
  expect(await runPortico(COMMAND, variables(other))).toMatchObject({ exitCode: 1, stderr: '' })
  expect(await runPortico(COMMAND, { DATA_DIR: data.directory })).toMatchObject({
    exitCode: 78,
    stderr: expect.stringContaining('SECRET_STORE_KEYS is missing'),
  })
})
