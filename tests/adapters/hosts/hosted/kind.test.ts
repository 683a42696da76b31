import { describe, expect, test } from 'bun:test'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gitea } from '#src/lib/adapters/hosts/gitea/kind.ts'
import { gitlab } from '#src/lib/adapters/hosts/gitlab/kind.ts'
import { systemClock } from '#src/lib/ports/clock.ts'
import { TOKEN } from '#tests/peers/gitlab/gitlab.ts'
import { memoryTurns } from '#tests/support/write-turns.ts'
import { openFake as openGitea } from '../gitea/open-gitea.ts'
import { openFake as openGitLab } from '../gitlab/open-gitlab.ts'

const means = {
  dataDirectory: '/nowhere',
  publicOrigin: 'https://portico.example.org',
  clock: systemClock,
  log: { info() {}, warn() {}, error() {} },
  onRateLimit() {},
  writeTurns: memoryTurns,
}

function exchangeIn<Owner>(tokens: Map<string, Owner>, token: string, other: string): void {
  const owner = tokens.get(token)
  if (owner === undefined) throw new Error('no token')
  tokens.set(other, owner)
}

/** The hosts whose settings are a URL and a token. `open`: a fake host with a token that it knows. */
const HOSTS = {
  GITLAB: {
    kind: gitlab,
    api: '/api/v4',
    scheme: 'Bearer',
    open: async () => {
      const fixture = await openGitLab()
      const { url, state } = fixture.gitlab
      const exchange = (token: string) => exchangeIn(state.tokens, TOKEN, token)
      return { fixture, arrivals: fixture.gitlab.arrivals, url, token: TOKEN, exchange }
    },
  },
  GITEA: {
    kind: gitea,
    api: '/api/v1',
    scheme: 'token',
    open: async () => {
      const fixture = await openGitea()
      const { url, token } = fixture.server
      const exchange = (other: string) => exchangeIn(fixture.gitea.state.tokens, token, other)
      return { fixture, arrivals: fixture.gitea.arrivals, url, token, exchange }
    },
  },
} as const

describe.each(Object.entries(HOSTS))('the settings of %s', (name, { kind, api, scheme, open }) => {
  const given = { [`${name}_URL`]: 'https://git.example.org', [`${name}_TOKEN`]: 'secret' }
  const read = (environment: Readonly<Record<string, string>>) =>
    kind.read({ environment, readFile: () => '' })
  const mistakesOf = (more: Readonly<Record<string, string>>) => {
    const settings = read({ ...given, ...more })
    return settings.ok ? [] : settings.error.map(({ variable, reason }) => `${variable} ${reason}`)
  }

  test.each([
    'https://git.example.org',
    'https://git.example.org/',
    'https://example.org/git/',
    'http://127.0.0.1:3000',
    'http://localhost:3000/git',
  ])('have a URL like %s', (url) => {
    expect(mistakesOf({ [`${name}_URL`]: url })).toStrictEqual([])
  })

  test.each([
    'git.example.org',
    'http://git.example.org',
    `https://git.example.org${api}`,
    'https://git.example.org/?a=b',
    'https://git.example.org/#a',
    'https://ada:secret@git.example.org',
    'ftp://git.example.org',
  ])('have no URL like %s', (url) => {
    expect(mistakesOf({ [`${name}_URL`]: url })).toStrictEqual([
      `${name}_URL must be the https URL of the pages, without ${api}, user name and query`,
    ])
  })

  test('have one token', () => {
    expect(mistakesOf({ [`${name}_TOKEN`]: '' })).toStrictEqual([
      `${name}_TOKEN is missing, and so is ${name}_TOKEN_FILE`,
    ])
    expect(mistakesOf({ [`${name}_TOKEN_FILE`]: '/run/token' })).toStrictEqual([
      `${name}_TOKEN is set twice, also as ${name}_TOKEN_FILE`,
    ])
  })

  test.each([
    ['TOKEN_FILE', { [`${name}_TOKEN`]: '', [`${name}_TOKEN_FILE`]: '/nowhere/token' }],
    ['CA_FILE', { [`${name}_CA_FILE`]: '/nowhere/ca.pem' }],
  ])('stop the start without the file of %s', async (variable, more) => {
    const settings = read({ ...given, ...more })
    const opened = settings.ok ? await settings.value(means) : settings
    expect(opened).toStrictEqual({
      ok: false,
      error: `${name}_${variable}: ${Object.values(more).at(-1) ?? ''} cannot be read (ENOENT)`,
    })
  })

  test('name a file whose token is read again after it was exchanged', async () => {
    const { fixture, arrivals, url, token, exchange } = await open()
    await using place = fixture
    const folder = await mkdtemp(join(tmpdir(), 'portico-token-'))
    try {
      const file = join(folder, 'token')
      await Bun.write(file, `${token}\n`)
      const settings = read({ [`${name}_URL`]: `${url}/`, [`${name}_TOKEN_FILE`]: file })
      const opened = settings.ok ? await settings.value(means) : settings
      if (!opened.ok) throw new Error('not opened')
      expect((await opened.value.head(place.repository)).ok).toBe(true)
      exchange('e'.repeat(40))
      await Bun.write(file, 'e'.repeat(40))
      expect((await opened.value.head(place.repository)).ok).toBe(true)
      expect(arrivals.at(-1)?.authorization).toBe(`${scheme} ${'e'.repeat(40)}`)
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })
})

test('Gitea has no internal repositories', () => {
  const environment = {
    GITEA_URL: 'https://git.example.org',
    GITEA_TOKEN: 'secret',
    REPOSITORY_VISIBILITY: 'internal',
  }
  const settings = gitea.read({ environment, readFile: () => '' })
  expect(settings).toMatchObject({
    error: [
      {
        variable: 'REPOSITORY_VISIBILITY',
        reason: 'must be private or public: Gitea has no internal repositories',
      },
    ],
  })
})
