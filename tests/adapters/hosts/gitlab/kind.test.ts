import { describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gitlab } from '#src/lib/adapters/hosts/gitlab/kind.ts'
import { systemClock } from '#src/lib/ports/clock.ts'
import { TOKEN } from '#tests/peers/gitlab/gitlab.ts'
import { openFake } from './open-gitlab.ts'
import { memoryTurns } from '#tests/support/write-turns.ts'

const GIVEN = { GITLAB_URL: 'https://git.example.org', GITLAB_TOKEN: 'secret' }
const read = (environment: Readonly<Record<string, string>>) =>
  gitlab.read({ environment, readFile: () => '' })
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
    expect(mistakesOf({ ...GIVEN, GITLAB_URL: url })).toStrictEqual([])
  })

  test.each([
    'git.example.org',
    'http://git.example.org',
    'https://git.example.org/api/v4',
    'https://git.example.org/?a=b',
    'https://git.example.org/#a',
    'https://ada:secret@git.example.org',
    'ftp://git.example.org',
  ])('may not be %s', (url) => {
    expect(mistakesOf({ ...GIVEN, GITLAB_URL: url })).toStrictEqual([
      'GITLAB_URL must be the https URL of the pages, without /api/v4, user name and query',
    ])
  })
})

test.each([
  ['without a token', { GITLAB_TOKEN: '' }, 'GITLAB_TOKEN is missing, and so is GITLAB_TOKEN_FILE'],
  [
    'with two tokens',
    { GITLAB_TOKEN_FILE: '/run/token' },
    'GITLAB_TOKEN is set twice, also as GITLAB_TOKEN_FILE',
  ],
])('settings %s are a mistake', (_, more, mistake) => {
  expect(mistakesOf({ ...GIVEN, ...more })).toStrictEqual([mistake])
})

test.each([
  ['GITLAB_TOKEN_FILE', { GITLAB_TOKEN: '', GITLAB_TOKEN_FILE: '/nowhere/token' }],
  ['GITLAB_CA_FILE', { GITLAB_CA_FILE: '/nowhere/ca.pem' }],
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
  const { repository, gitlab: fake } = fixture
  const folder = await mkdtemp(join(tmpdir(), 'portico-token-'))
  try {
    const file = join(folder, 'token')
    await Bun.write(file, `${TOKEN}\n`)
    const settings = read({ GITLAB_URL: `${fake.url}/`, GITLAB_TOKEN_FILE: file })
    const opened = settings.ok ? await settings.value(means) : settings
    if (!opened.ok) throw new Error('not opened')
    expect((await opened.value.head(repository)).ok).toBe(true)
    const token = fake.state.tokens.get(TOKEN)
    if (token === undefined) throw new Error('no token')
    fake.state.tokens.set('e'.repeat(40), token)
    await Bun.write(file, 'e'.repeat(40))
    expect((await opened.value.head(repository)).ok).toBe(true)
    expect(fake.arrivals.at(-1)?.authorization).toBe(`Bearer ${'e'.repeat(40)}`)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
