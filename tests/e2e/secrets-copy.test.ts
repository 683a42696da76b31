import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import {
  type FileFixture,
  openFileStore,
} from '#tests/adapters/secret-store/file/open-file-store.ts'
import { accessors, makeAppRole } from '#tests/peers/openbao-logins.ts'
import { startHttpProxy } from '#tests/peers/http-proxy.ts'
import { type OpenBao, openbaoProgram, startOpenBao } from '#tests/peers/openbao.ts'
import { KEY_1 } from '#tests/support/fixed-keyring.ts'
import { runPortico, spawnPortico } from '#tests/support/portico-process.ts'
import { mergeAnyhow, pathOf, SHOP } from '#tests/support/secret-entries.ts'

const CANARY = 'canary-03be91'
const COMMAND = ['secrets', 'copy', '--from', 'file', '--to', 'vault']
const SITE = pathOf('payments', 'site')

describe.skipIf(openbaoProgram === null)('portico secrets copy', () => {
  let openbao: OpenBao
  let data: FileFixture
  let directory: string
  let token: string
  beforeAll(async () => {
    openbao = await startOpenBao()
    const hcl = await Bun.file('deploy/vault/portico.hcl').text()
    await openbao.policy('portico', hcl.replaceAll('/+/+/+/env', '/+/+/+/+/env'))
    token = await openbao.token({ policies: ['portico'], ttl: '1h' })
    data = await openFileStore()
    directory = data.directory
    const { store } = data
    await mergeAnyhow(store, SHOP, { A: CANARY, B: CANARY })
    await mergeAnyhow(store, SITE, { A: CANARY, B: CANARY })
  })
  afterAll(async () => {
    await openbao[Symbol.asyncDispose]()
    await data[Symbol.asyncDispose]()
  })

  const variables = (prefix: string, address = openbao.url) => ({
    DATA_DIR: directory,
    SECRET_STORE_KEYS: KEY_1,
    VAULT_ADDR: address,
    VAULT_AUTH: 'token',
    VAULT_TOKEN: token,
    VAULT_PREFIX: prefix,
  })
  const putInVault = (prefix: string) =>
    openbao.must('POST', `secret/data/${prefix}/${SITE}`, { data: { A: 'of vault' } })

  /** Values, version and labels of both entries. */
  async function inVault(prefix: string) {
    const entries = [SHOP, SITE].map(async (path) => {
      const { json } = await openbao.request('GET', `secret/data/${prefix}/${path}`)
      const { data } = json as {
        data: { data: unknown; metadata: { version: number; custom_metadata: unknown } }
      }
      const { version, custom_metadata: labels } = data.metadata
      return { values: data.data, version, labels }
    })
    const [shop, site] = await Promise.all(entries)
    return { shop, site }
  }
  const labels = { 'managed-by': 'portico', team: 'payments', environment: 'dev' }
  const COPIED = {
    shop: { values: { A: CANARY, B: CANARY }, version: 1, labels: { ...labels, app: 'shop' } },
    site: { values: { A: 'of vault', B: CANARY }, version: 2, labels: { ...labels, app: 'site' } },
  }

  test('says what it did, and shows no value', async () => {
    await putInVault('said')
    const { exitCode, stdout, stderr } = await runPortico(COMMAND, variables('said'))
    expect({ exitCode, stderr, lines: stdout.split('\n') }).toStrictEqual({
      exitCode: 0,
      stderr: '',
      lines: [
        'payments/shop/dev/env: made, 2 keys (A, B)',
        'payments/site/dev/env: 1 key (B) added; 1 key (A) left as in vault',
        '2 entries: 1 made, 1 changed.',
        'Keys that vault has already stay as they are; --overwrite replaces them.',
        '',
      ],
    })
    expect(await inVault('said')).toStrictEqual(COPIED)
  })

  test('gives its login back', async () => {
    const { roleId, makeSecretId } = await makeAppRole(openbao, { token_policies: ['portico'] })
    const secretId = await makeSecretId()
    const before = await accessors(openbao)
    const { exitCode } = await runPortico(COMMAND, {
      DATA_DIR: directory,
      SECRET_STORE_KEYS: KEY_1,
      VAULT_ADDR: openbao.url,
      VAULT_AUTH: 'approle',
      VAULT_ROLE_ID: roleId,
      VAULT_SECRET_ID: secretId,
      VAULT_PREFIX: 'approle',
    })
    expect(exitCode).toBe(0)
    expect(await accessors(openbao)).toStrictEqual(before)
  })

  test('ends in the same state wherever it was killed before', async () => {
    const whole = startHttpProxy(openbao.url)
    await putInVault('whole')
    await runPortico(COMMAND, variables('whole', whole.url))
    const requests = whole.requests.length
    whole[Symbol.dispose]()
    // The version of the mount; of each entry a look, a write and a label.
    expect(requests).toBeGreaterThanOrEqual(7)
    const killedAfter = async (last: number) => {
      const prefix = `killed-${last}`
      await putInVault(prefix)
      let kill = () => {}
      using way = startHttpProxy(openbao.url, async (_, forward, index) => {
        const answer = index < last ? await forward() : undefined
        if (index + 1 === last) kill()
        return answer ?? new Promise(() => {})
      })
      const { child, end } = spawnPortico(COMMAND, variables(prefix, way.url))
      kill = () => child.kill('SIGKILL')
      await end()
      const { exitCode } = await runPortico(COMMAND, variables(prefix))
      return { last, signal: child.signalCode, exitCode, ...(await inVault(prefix)) }
    }
    const points = Array.from({ length: requests }, (_, index) => index + 1)
    const killed = []
    for (let index = 0; index < points.length; index += 2) {
      killed.push(...(await Promise.all(points.slice(index, index + 2).map(killedAfter))))
    }
    expect(killed).toStrictEqual(
      points.map((last) => ({ last, signal: 'SIGKILL' as const, exitCode: 0, ...COPIED })),
    )
  })

  test('ends with a status that says whether everything is copied', async () => {
    const run = async (command: readonly string[], changes: Readonly<Record<string, string>>) => {
      const { exitCode, stdout, stderr } = await runPortico(command, {
        ...variables('status'),
        ...changes,
      })
      expect(`${stdout}${stderr}`).not.toContain(CANARY)
      expect(`${stdout}${stderr}`).not.toContain(token)
      return [exitCode, ...`${stdout}${stderr}`.trim().split('\n')]
    }
    const sealed = await run(COMMAND, { SECRET_STORE_KEYS: `k2:${KEY_1.slice(3, -4)}AAA=` })
    expect(sealed.slice(0, 2)).toStrictEqual([
      1,
      'payments/shop/dev/env: FAILED: no key of SECRET_STORE_KEYS opens it',
    ])
    expect(
      await run(COMMAND, { VAULT_AUTH: 'nothing', SECRET_STORE_KEYS: 'nothing' }),
    ).toStrictEqual([
      78,
      expect.stringMatching(/^SECRET_STORE_KEYS /),
      expect.stringMatching(/^VAULT_AUTH /),
      '`portico config list` explains every variable; `portico demo` needs none of them.',
    ])
    expect(await run(COMMAND, { DATA_DIR: '/nowhere' })).toStrictEqual([
      1,
      'There is no database in /nowhere: see DATA_DIR.',
    ])
    expect(await run(['secrets', 'copy', '--from', 'vault', '--to', 'file'], {})).toStrictEqual([
      1,
      'Secrets can be copied from `file` to `vault`, and in no other direction.',
    ])
    const caFile = join(directory, 'ca.pem')
    await writeFile(caFile, CANARY)
    const [status, text] = await run(COMMAND, { VAULT_CA_FILE: caFile })
    expect([status, String(text)]).toStrictEqual([1, expect.stringContaining('VAULT_CA_FILE')])
  })
})
