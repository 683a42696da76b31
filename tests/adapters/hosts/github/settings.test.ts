import { describe, expect, test } from 'bun:test'
import { generateKeyPairSync } from 'node:crypto'
import {
  gitHubAccess,
  gitHubMistakes,
  gitHubSettings,
  webUrlOf,
} from '#src/lib/adapters/hosts/github/kind.ts'
import { err, ok } from '#src/lib/result.ts'
import { readSettings } from '#src/lib/settings/setting.ts'

function valuesOf(environment: Readonly<Record<string, string>>) {
  const values = readSettings(gitHubSettings, { environment, readFile: () => '' })
  if (!values.ok) throw new Error(values.error.map(({ reason }) => reason).join())
  return values.value
}
const APP = {
  GITHUB_APP_ID: 'Iv1.a',
  GITHUB_APP_PRIVATE_KEY_FILE: '/key.pem',
  GITHUB_INSTALLATION_ID: '12345678901',
}

describe('the URL of the API', () => {
  const read = (url: string) => {
    const read = gitHubSettings.GITHUB_API_URL.parse(url)
    return read.ok ? read.value : read.error
  }
  test.each([
    ['https://api.github.com', 'https://api.github.com'],
    ['https://api.github.com/', 'https://api.github.com'],
    ['https://api.acme.ghe.com', 'https://api.acme.ghe.com'],
    ['https://git.acme.test/api/v3/', 'https://git.acme.test/api/v3'],
    ['http://127.0.0.1:4001', 'http://127.0.0.1:4001'],
    ['http://localhost:4001/api/v3', 'http://localhost:4001/api/v3'],
  ])('%s', (url, root) => {
    expect(read(url)).toBe(root)
  })

  test.each([
    ['https://api.github.com', 'https://github.com'],
    ['https://api.acme.ghe.com', 'https://acme.ghe.com'],
    ['https://git.acme.test/api/v3', 'https://git.acme.test'],
    ['http://127.0.0.1:4001', 'http://127.0.0.1:4001'],
  ])('%s has the pages at %s', (api, pages) => {
    expect(webUrlOf(api)).toBe(pages)
  })

  const URL_OF_API = 'must be the https URL of the API, such as https://api.github.com'
  test.each([
    ['http://api.github.com', URL_OF_API],
    ['http://git.acme.test/api/v3', URL_OF_API],
    ['https://a:b@api.github.com', URL_OF_API],
    ['https://api.github.com?x', URL_OF_API],
    ['ftp://127.0.0.1', URL_OF_API],
    ['api.github.com', URL_OF_API],
    ['https://github.com', 'must be https://api.github.com for github.com'],
    ['https://github.com/acme', 'must be https://api.github.com for github.com'],
    ['https://api.github.com/v3', 'must be https://api.github.com, without a path'],
    [
      'https://git.acme.test',
      'must end with /api/v3 for an Enterprise Server, such as https://git.acme.test/api/v3',
    ],
  ])('not %s', (url, reason) => {
    expect(read(url)).toBe(reason)
  })
})

describe('a combination', () => {
  const mistakesOf = (environment: Readonly<Record<string, string>>) =>
    gitHubMistakes(valuesOf(environment)).map(({ variable, reason }) => `${variable} ${reason}`)
  const { GITHUB_APP_ID, GITHUB_APP_PRIVATE_KEY_FILE, GITHUB_INSTALLATION_ID } = APP
  const beside = 'is missing beside the other settings of the GitHub App'

  test.each([
    { GITHUB_TOKEN: 't' },
    { GITHUB_TOKEN_FILE: '/t' },
    APP,
    { ...APP, GITHUB_COMMIT_AUTHOR: 'app' },
  ])('%j', (environment) => {
    expect(mistakesOf({ ...environment })).toStrictEqual([])
  })

  test.each([
    [{}, ['GITHUB_APP_ID is missing, and so is GITHUB_TOKEN: set one of the two']],
    [
      { GITHUB_TOKEN: 't', GITHUB_TOKEN_FILE: '/t' },
      ['GITHUB_TOKEN is set twice, also as GITHUB_TOKEN_FILE'],
    ],
    [
      { GITHUB_TOKEN: 't', ...APP },
      ['GITHUB_TOKEN is set beside a GitHub App: set one of the two'],
    ],
    [
      { GITHUB_TOKEN_FILE: '/t', GITHUB_APP_ID },
      ['GITHUB_TOKEN_FILE is set beside a GitHub App: set one of the two'],
    ],
    [
      { GITHUB_TOKEN: 't', GITHUB_COMMIT_AUTHOR: 'app' },
      ['GITHUB_COMMIT_AUTHOR is `app` without a GitHub App'],
    ],
    [
      { GITHUB_APP_ID },
      [`GITHUB_APP_PRIVATE_KEY_FILE ${beside}`, `GITHUB_INSTALLATION_ID ${beside}`],
    ],
    [{ GITHUB_APP_PRIVATE_KEY_FILE, GITHUB_INSTALLATION_ID }, [`GITHUB_APP_ID ${beside}`]],
  ])('not %j', (environment, mistakes) => {
    expect(mistakesOf({ ...environment })).toStrictEqual(mistakes)
  })
})

describe('the credentials', () => {
  const pem = (type: 'rsa' | 'ec') =>
    type === 'rsa'
      ? generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({
          type: 'pkcs1',
          format: 'pem',
        })
      : generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({
          type: 'pkcs8',
          format: 'pem',
        })

  test('of an App', () => {
    const privateKey = pem('rsa')
    expect(gitHubAccess(valuesOf(APP), () => ok(privateKey))).toStrictEqual({
      ok: true,
      value: { kind: 'app', app: { appId: 'Iv1.a', privateKey, installationId: 12_345_678_901 } },
    })
  })

  test('of an App whose key cannot be used', () => {
    const named = 'GITHUB_APP_PRIVATE_KEY_FILE: /key.pem'
    for (const text of ['', 'no key', pem('ec')]) {
      expect(gitHubAccess(valuesOf(APP), () => ok(text))).toStrictEqual({
        ok: false,
        error: `${named} has no RSA private key in PEM`,
      })
    }
    expect(gitHubAccess(valuesOf(APP), () => err('ENOENT'))).toStrictEqual({
      ok: false,
      error: `${named} cannot be read (ENOENT)`,
    })
  })

  test('of a token', () => {
    expect(gitHubAccess(valuesOf({ GITHUB_TOKEN: 't' }), () => ok(''))).toStrictEqual({
      ok: true,
      value: { kind: 'token', token: { kind: 'text', text: 't' } },
    })
    const inFile = valuesOf({ GITHUB_TOKEN_FILE: '/t' })
    expect(gitHubAccess(inFile, () => ok('t'))).toStrictEqual({
      ok: true,
      value: { kind: 'token', token: { kind: 'file', variable: 'GITHUB_TOKEN_FILE', path: '/t' } },
    })
    expect(gitHubAccess(inFile, () => err('EACCES'))).toStrictEqual({
      ok: false,
      error: 'GITHUB_TOKEN_FILE: /t cannot be read (EACCES)',
    })
  })
})
