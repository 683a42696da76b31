import { describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gitea } from '#src/lib/adapters/hosts/gitea/kind.ts'
import { systemClock } from '#src/lib/ports/clock.ts'
import { openFake } from './open-gitea.ts'
import { memoryTurns } from '#tests/support/write-turns.ts'

const GIVEN = { GITEA_URL: 'https://git.example.org', GITEA_TOKEN: 'secret' }
const read = (environment: Readonly<Record<string, string>>) =>
  gitea.read({ environment, readFile: () => '' })
const mistakesOf = (environment: Readonly<Record<string, string>>) => {
  const settings = read(environment)
  return settings.ok ? [] : settings.error.map(({ variable, reason }) => `${variable} ${reason}`)
}
const means = {
  dataDirectory: '/nowhere',
  publicOrigin: 'https://portico.example.org',
  clock: systemClock,
  log: { info() {}, warn() {}, error() {} },
  onRateLimit() {},
  writeTurns: memoryTurns,
}

describe('the URL', () => {
  test.each([
    'https://git.example.org',
    'https://git.example.org/',
    'https://example.org/git/',
    'http://127.0.0.1:3000',
    'http://localhost:3000/git',
  ])('may be %s', (url) => {
    expect(mistakesOf({ ...GIVEN, GITEA_URL: url })).toStrictEqual([])
  })

  test.each([
    'git.example.org',
    'http://git.example.org',
    'https://git.example.org/api/v1',
    'https://git.example.org/?a=b',
    'https://git.example.org/#a',
    'https://ada:secret@git.example.org',
    'ftp://git.example.org',
  ])('may not be %s', (url) => {
    expect(mistakesOf({ ...GIVEN, GITEA_URL: url })).toStrictEqual([
      'GITEA_URL must be the https URL of the pages, without /api/v1, user name and query',
    ])
  })
})

test.each([
  ['without a token', { GITEA_TOKEN: '' }, 'GITEA_TOKEN is missing, and so is GITEA_TOKEN_FILE'],
  [
    'with two tokens',
    { GITEA_TOKEN_FILE: '/run/token' },
    'GITEA_TOKEN is set twice, also as GITEA_TOKEN_FILE',
  ],
  [
    'with internal repositories',
    { REPOSITORY_VISIBILITY: 'internal' },
    'REPOSITORY_VISIBILITY must be private or public: Gitea has no internal repositories',
  ],
])('settings %s are a mistake', (_, more, mistake) => {
  expect(mistakesOf({ ...GIVEN, ...more })).toStrictEqual([mistake])
})

test.each([
  ['GITEA_TOKEN_FILE', { GITEA_TOKEN: '', GITEA_TOKEN_FILE: '/nowhere/token' }],
  ['GITEA_CA_FILE', { GITEA_CA_FILE: '/nowhere/ca.pem' }],
])('a missing %s stops the start', async (variable, more) => {
  const settings = read({ ...GIVEN, ...more })
  const opened = settings.ok ? await settings.value(means) : settings
  expect(opened).toStrictEqual({
    ok: false,
    error: `${variable}: ${Object.values(more).at(-1) ?? ''} cannot be read (ENOENT)`,
  })
})

test('the token of a file is read again after it was exchanged', async () => {
  await using fixture = await openFake()
  const { server, repository, gitea: fake } = fixture
  const folder = await mkdtemp(join(tmpdir(), 'portico-token-'))
  try {
    const file = join(folder, 'token')
    await Bun.write(file, `${server.token}\n`)
    const settings = read({ GITEA_URL: `${server.url}/`, GITEA_TOKEN_FILE: file })
    const opened = settings.ok ? await settings.value(means) : settings
    if (!opened.ok) throw new Error('not opened')
    expect((await opened.value.head(repository)).ok).toBe(true)
    const token = fake.state.tokens.get(server.token)
    if (token === undefined) throw new Error('no token')
    fake.state.tokens.set('e'.repeat(40), token)
    await Bun.write(file, 'e'.repeat(40))
    expect((await opened.value.head(repository)).ok).toBe(true)
    expect(fake.arrivals.at(-1)?.authorization).toBe(`token ${'e'.repeat(40)}`)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
