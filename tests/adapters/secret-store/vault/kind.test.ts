import { describe, expect, test } from 'bun:test'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { vault } from '#src/lib/adapters/secret-store/vault/kind.ts'
import { EnvironmentName } from '#src/lib/names.ts'
import { systemClock } from '#src/lib/ports/clock.ts'
import { SERVICE } from '#src/lib/ports/secret-store.ts'
import { silentLog } from '#tests/adapters/hosts/github/silent-log.ts'
import { openbaoProgram, startOpenBao } from '#tests/peers/openbao.ts'
import { SHOP } from '#tests/support/secret-entries.ts'
import { until } from '#tests/support/until.ts'
import { openFolder } from '#tests/support/open-folder.ts'

type Variables = Readonly<Record<string, string>>

const ADDRESS = { VAULT_ADDR: 'https://vault.example.org:8200' }
const TOKEN = { ...ADDRESS, VAULT_AUTH: 'token', VAULT_TOKEN: 's.canary' }
const APPROLE = {
  ...ADDRESS,
  VAULT_AUTH: 'approle',
  VAULT_ROLE_ID: 'canary-role',
  VAULT_SECRET_ID: 'canary-secret',
}
const KUBERNETES = { ...ADDRESS, VAULT_AUTH: 'kubernetes', VAULT_ROLE: 'portico' }
const JWT = { ...KUBERNETES, VAULT_AUTH: 'jwt', VAULT_JWT_FILE: '/run/jwt' }
const USER = {
  ...KUBERNETES,
  VAULT_AUTH: 'user',
  VAULT_SERVICE_AUTH: 'kubernetes',
  VAULT_USER_ROLE: 'people',
}
const USER_BESIDE_TOKEN = {
  ...TOKEN,
  VAULT_AUTH: 'user',
  VAULT_SERVICE_AUTH: 'token',
  VAULT_USER_ROLE: 'people',
  VAULT_USER_MOUNT: 'oidc',
}
const without = (variables: Variables, ...names: readonly string[]): Variables =>
  Object.fromEntries(Object.entries(variables).filter(([name]) => !names.includes(name)))

const read = (environment: Variables) => vault.read({ environment, readFile: () => '' })
function mistakesOf(environment: Variables): readonly string[] {
  const settings = read(environment)
  const mistakes = settings.ok ? [] : settings.error
  expect(JSON.stringify(mistakes)).not.toContain('canary')
  return mistakes.map(({ variable, reason }) => `${variable} ${reason}`)
}
const means = {
  secretVersions: () => {
    throw new Error('Vault needs no database')
  },
  environments: [EnvironmentName.of('dev')],
  clock: systemClock,
  log: silentLog,
}
async function open(environment: Variables) {
  const settings = read(environment)
  return settings.ok ? settings.value(means) : settings
}

describe('settings of a login that works', () => {
  test.each<[string, Variables]>([
    ['token', TOKEN],
    ['token in a file', { ...without(TOKEN, 'VAULT_TOKEN'), VAULT_TOKEN_FILE: '/run/token' }],
    ['approle', APPROLE],
    ['approle at another mount', { ...APPROLE, VAULT_AUTH_MOUNT: 'machines/ci' }],
    [
      'approle with a file',
      { ...without(APPROLE, 'VAULT_SECRET_ID'), VAULT_SECRET_ID_FILE: '/run/id' },
    ],
    ['kubernetes', KUBERNETES],
    ['jwt', JWT],
    ['user beside a service account', USER],
    ['user beside a token', USER_BESIDE_TOKEN],
  ])('%s', (_, variables) => {
    expect(mistakesOf(variables)).toStrictEqual([])
  })
})

describe('settings that cannot work', () => {
  const unused = (variable: string, login: string) =>
    `${variable} is set, but the login is ${login} (VAULT_AUTH), which does not use it`

  test.each<[Variables, readonly string[]]>([
    [{}, ['VAULT_ADDR is missing', 'VAULT_AUTH is missing']],
    [
      { ...TOKEN, VAULT_AUTH: 'userpass' },
      ['VAULT_AUTH must be one of token, approle, kubernetes, jwt, user'],
    ],
    [without(TOKEN, 'VAULT_TOKEN'), ['VAULT_TOKEN is missing, and so is VAULT_TOKEN_FILE']],
    [
      { ...TOKEN, VAULT_TOKEN_FILE: '/run/token' },
      ['VAULT_TOKEN is set twice, also as VAULT_TOKEN_FILE'],
    ],
    [
      { ...TOKEN, VAULT_ROLE: 'portico', VAULT_AUTH_MOUNT: 'token' },
      [unused('VAULT_AUTH_MOUNT', 'token'), unused('VAULT_ROLE', 'token')],
    ],
    [
      without(APPROLE, 'VAULT_ROLE_ID', 'VAULT_SECRET_ID'),
      ['VAULT_ROLE_ID is missing', 'VAULT_SECRET_ID is missing, and so is VAULT_SECRET_ID_FILE'],
    ],
    [
      { ...APPROLE, VAULT_SECRET_ID_FILE: '/run/id' },
      ['VAULT_SECRET_ID is set twice, also as VAULT_SECRET_ID_FILE'],
    ],
    [{ ...APPROLE, VAULT_TOKEN: 's.canary' }, [unused('VAULT_TOKEN', 'approle')]],
    [without(KUBERNETES, 'VAULT_ROLE'), ['VAULT_ROLE is missing']],
    [without(JWT, 'VAULT_JWT_FILE'), ['VAULT_JWT_FILE is missing']],
    [
      { ...KUBERNETES, VAULT_USER_ROLE: 'people', VAULT_USER_MOUNT: 'oidc' },
      [unused('VAULT_USER_ROLE', 'kubernetes'), unused('VAULT_USER_MOUNT', 'kubernetes')],
    ],
    [{ ...KUBERNETES, VAULT_SERVICE_AUTH: 'jwt' }, [unused('VAULT_SERVICE_AUTH', 'kubernetes')]],
    [without(USER, 'VAULT_USER_ROLE'), ['VAULT_USER_ROLE is missing']],
    [without(USER, 'VAULT_SERVICE_AUTH'), ['VAULT_SERVICE_AUTH is missing']],
    [{ ...USER, VAULT_TOKEN: 's.canary' }, [unused('VAULT_TOKEN', 'user, with kubernetes')]],
  ])('%j', (variables, mistakes) => {
    expect(mistakesOf(variables)).toStrictEqual([...mistakes])
  })

  test.each<[string, readonly string[]]>([
    [
      'VAULT_ADDR',
      [
        '',
        ',',
        'vault.example.org',
        'http://vault.example.org:8200',
        'https://vault.example.org/v1',
        'https://ada:canary@vault.example.org',
        'https://vault.example.org?canary=1',
        'https://one.example.org,https://two.example.org',
        'https://one.example.org\nhttps://two.example.org',
      ],
    ],
    ['VAULT_MOUNT', ['', '/secret', 'secret/', 'a//b', '..', 'a/../b', 'a b', 'a?b', '%2e%2e']],
    ['VAULT_PREFIX', ['/', '/a', '..', 'a/../', 'a//']],
    ['VAULT_NAMESPACE', ['/', 'a//', '../b']],
    ['VAULT_TOKEN', ['s.a s.b', 's.a\ns.b', 'ä', 's'.repeat(8_193)]],
    ['VAULT_CA_FILE', ['ca.pem']],
  ])('%s', (variable, texts) => {
    for (const text of texts) {
      const [first = ''] = mistakesOf({ ...TOKEN, [variable]: text })
      expect(first).toStartWith(`${variable} must be `)
    }
  })
})

test.each<[string, string]>([
  ['VAULT_ADDR', 'https://one.example.org/vault'],
  ['VAULT_ADDR', 'http://127.0.0.1:8200'],
  ['VAULT_ADDR', 'http://localhost:8200/'],
  ['VAULT_MOUNT', 'kv/apps'],
  ['VAULT_PREFIX', 'portico/'],
  ['VAULT_NAMESPACE', 'admin/platform/'],
])('%s may be %s', (variable, text) => {
  expect(mistakesOf({ ...TOKEN, [variable]: text })).toStrictEqual([])
})

test.each<[string, Variables]>([
  ['VAULT_TOKEN_FILE', { ...without(TOKEN, 'VAULT_TOKEN'), VAULT_TOKEN_FILE: '/nowhere/a' }],
  [
    'VAULT_SECRET_ID_FILE',
    { ...without(APPROLE, 'VAULT_SECRET_ID'), VAULT_SECRET_ID_FILE: '/nowhere/a' },
  ],
  ['VAULT_JWT_FILE', { ...JWT, VAULT_JWT_FILE: '/nowhere/a' }],
  ['VAULT_CA_FILE', { ...TOKEN, VAULT_CA_FILE: '/nowhere/a' }],
])('a missing %s stops the start', async (variable, variables) => {
  expect(await open(variables)).toStrictEqual({
    ok: false,
    error: `${variable}: /nowhere/a cannot be read (ENOENT)`,
  })
})

test('the start does not wait for the store', async () => {
  const opened = await open({ ...TOKEN, VAULT_ADDR: 'https://192.0.2.1' })
  expect(opened).toMatchObject({ ok: true, value: { knowsPersons: false } })
})

describe.skipIf(openbaoProgram === null)('the settings lead to the entries', () => {
  test('at a mount, below a prefix, with the token of a file', async () => {
    await using bao = await startOpenBao()
    await using place = await openFolder()
    const file = join(place.path, 'token')
    await writeFile(file, `${bao.rootToken}\n`)
    await bao.must('POST', 'sys/mounts/kv/apps', { type: 'kv', options: { version: '2' } })
    const opened = await open({
      VAULT_ADDR: bao.url,
      VAULT_MOUNT: 'kv/apps',
      VAULT_PREFIX: 'portico',
      VAULT_AUTH: 'user',
      VAULT_USER_ROLE: 'people',
      VAULT_SERVICE_AUTH: 'token',
      VAULT_TOKEN_FILE: file,
    })
    if (!opened.ok) throw new Error('not opened')
    const { value: store } = opened
    expect(store.knowsPersons).toBe(true)
    // A new mount takes no requests for a moment.
    await until(async () => (await store.describe(SHOP, SERVICE)).ok)
    expect(await store.merge(SHOP, 0, { KEY: 'value' }, SERVICE)).toStrictEqual({
      ok: true,
      value: undefined,
    })
    await store.close()
    const { status } = await bao.request('GET', `kv/apps/data/portico/${SHOP}`)
    expect(status).toBe(200)
  })
})
