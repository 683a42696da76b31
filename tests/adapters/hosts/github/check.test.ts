import { describe, expect, test } from 'bun:test'
import { exportPKCS8, exportSPKI, generateKeyPair } from 'jose'
import { createGitHubClient, type GitHubAccess } from '#src/lib/adapters/hosts/github/api/client.ts'
import { createCheck } from '#src/lib/adapters/hosts/github/check.ts'
import { gitHubRefusal } from '#src/lib/adapters/hosts/github/api/refusal.ts'
import { createKnownRepositories } from '#src/lib/adapters/hosts/hosted/known-repositories.ts'
import type { Visibility } from '#src/lib/adapters/hosts/hosted/settings.ts'
import { RepositoryPart } from '#src/lib/names.ts'
import { addAccount } from '#tests/peers/github/calls/accounts.ts'
import { renameRepository } from '#tests/peers/github/calls/repositories.ts'
import { startGitHub, type GitHubOptions } from '#tests/peers/github/github.ts'
import { seedRepository } from '#tests/peers/github/seed.ts'
import { EVERY_RIGHT, type Credential } from '#tests/peers/github/state.ts'
import { silentLog } from './silent-log.ts'
import { unpaced } from '#tests/support/write-turns.ts'

const id = (owner: string, name: string) => ({
  owner: RepositoryPart.of(owner),
  name: RepositoryPart.of(name),
})
const USES = {
  gitops: id('acme', 'gitops'),
  owners: [RepositoryPart.of('acme')],
  templates: id('acme', 'templates'),
  cli: id('tools', 'cli'),
}

const TOKEN: GitHubAccess = { kind: 'token', token: { kind: 'text', text: 'ghp_test' } }

async function open(
  credential: Partial<Credential> = {},
  access: GitHubAccess = TOKEN,
  peer: GitHubOptions = {},
) {
  const github = await startGitHub(peer)
  const account = addAccount(github.state, 'ada', 'User')
  github.addCredential('ghp_test', { account, ...credential })
  const files = [{ path: 'README.md', bytes: Buffer.from('hello') }]
  const repository = await seedRepository(github, 'acme', 'gitops', files)
  const clock = { now: Date.now }
  const client = createGitHubClient({
    ...unpaced,
    apiUrl: github.apiUrl,
    access,
    authority: null,
    clock,
    log: silentLog,
    onRateLimit() {},
  })
  return {
    github,
    account,
    repository,
    check: async (uses: Partial<typeof USES> = {}, visibility: Visibility = 'private') => {
      const words = { failureOf: gitHubRefusal, see: 'metadata: read', read: 'contents: read' }
      const known = createKnownRepositories(client, clock, words)
      const findings = await createCheck(client, { known, clock, repositories: { visibility } })({
        ...USES,
        ...uses,
      })
      return findings.map(({ ok, text }) => `${ok ? '+' : '-'} ${text}`)
    },
    [Symbol.asyncDispose]: () => github[Symbol.asyncDispose](),
  }
}

const CONTENTS = '+ GitHub allows contents: write on acme/gitops.'
const PULLS = '+ GitHub allows pull_requests: write on acme/gitops.'
const OWNER = '+ GitHub allows administration: write on acme.'
const OPEN = '+ Open to Portico: the branch main of acme/gitops. Confirmations are committed to it.'
const ALL = [CONTENTS, PULLS, OWNER, OPEN]
const NO_RIGHT = 'the account or its token has no such right'

describe('with every right', () => {
  test('each of them is tried, and nothing is made', async () => {
    await using opened = await open()
    const { github, check } = opened
    await seedRepository(github, 'tools', 'cli', [])
    const reads = '+ GitHub allows contents: read on tools/cli.'
    expect(await check()).toStrictEqual([...ALL, reads])
    expect([...github.state.repositories.keys()]).toStrictEqual(['acme/gitops', 'tools/cli'])
    expect(opened.repository.pulls.size).toBe(0)
  })

  test('an owner without a known repository gets none by it', async () => {
    await using opened = await open()
    addAccount(opened.github.state, 'other', 'Organization')
    const findings = await opened.check({ owners: [RepositoryPart.of('other')] })
    expect(findings).toContain(OWNER.replace('acme', 'other'))
    expect(opened.github.state.repositories.size).toBe(1)
  })

  test.each(['branch protection', 'rules'] as const)('%s is told', async (by) => {
    await using opened = await open()
    opened.repository.protections.set('main', { by, reasons: ['x'] })
    expect(await opened.check()).toContain(
      '+ Protected: the branch main of acme/gitops. Where its rules refuse a commit of Portico, confirmations open a pull request.',
    )
  })
})

describe('a missing right is named', () => {
  const without = (right: keyof typeof EVERY_RIGHT) => ({
    rights: { ...EVERY_RIGHT, [right]: 'read' as const },
  })
  test.each([
    ['contents', 'contents: write on acme/gitops', [PULLS, OWNER]],
    ['pull_requests', 'pull_requests: write on acme/gitops', [CONTENTS, OWNER, OPEN]],
    ['administration', 'administration: write on acme', [CONTENTS, PULLS, OPEN]],
  ] as const)('%s', async (right, named, others) => {
    await using opened = await open(without(right))
    const missing = `- GitHub does not allow ${named}: ${NO_RIGHT}.`
    expect((await opened.check()).toSorted()).toStrictEqual([...others, missing].toSorted())
  })

  test.each([
    ['sso', 'the credentials are not authorized for the single sign-on of acme/gitops'],
    ['ip_allow_list', 'the IP allow list of acme/gitops does not have our address'],
  ] as const)('%s', async (blockedBy, named) => {
    await using opened = await open({ blockedBy })
    expect((await opened.check())[0]).toBe(`- GITOPS_REPOSITORY: ${named}.`)
  })

  test('a token without scopes, to which GitHub answers 404', async () => {
    await using opened = await open()
    const body = { message: 'Not Found' }
    for (const on of ['git/create-blob', 'repos/create-in-org'] as const) {
      opened.github.fail({ on, fault: { kind: 'answer', status: 404, body } })
    }
    const lacking = ['contents: write on acme/gitops', 'administration: write on acme'].map(
      (right) => `- GitHub does not allow ${right}: ${NO_RIGHT}.`,
    )
    expect((await opened.check()).filter((text) => text.startsWith('-'))).toStrictEqual(lacking)
  })

  test('a member who may not create repositories, to which GitHub answers 422', async () => {
    await using opened = await open()
    const message = 'You need admin access to the organization before adding a repository to it'
    const fault = { kind: 'answer', status: 422, body: { message } } as const
    opened.github.fail({ on: 'repos/create-in-org', fault })
    expect(await opened.check()).toContain(
      `- GitHub does not allow administration: write on acme: ${message}.`,
    )
  })
})

test('an enterprise that forbids private repositories allows internal ones', async () => {
  const behaviour = { privateRepositories: false }
  await using opened = await open({}, TOKEN, { flavour: 'ghes-3.17', behaviour })
  expect(await opened.check({}, 'internal')).toContain(OWNER)
  expect(await opened.check()).not.toContain(OWNER)
})

describe('a repository', () => {
  test('that the credentials do not show', async () => {
    await using opened = await open({ repositories: [] })
    expect((await opened.check())[0]).toBe(
      '- GITOPS_REPOSITORY: GitHub has no repository acme/gitops, or does not show it to these credentials.',
    )
  })

  test('that was renamed', async () => {
    await using opened = await open()
    renameRepository(opened.github.state, opened.repository, 'gitops2')
    expect((await opened.check())[0]).toBe(
      '- GITOPS_REPOSITORY: acme/gitops was renamed to acme/gitops2.',
    )
  })

  test('that was archived', async () => {
    await using opened = await open()
    opened.repository.archived = true
    expect((await opened.check())[0]).toBe('- GITOPS_REPOSITORY: acme/gitops is archived.')
  })
})

describe('an owner', () => {
  test('that is a person with a token of their own', async () => {
    await using opened = await open()
    const findings = await opened.check({ owners: [RepositoryPart.of('ada')] })
    expect(findings).toContain(OWNER.replace('acme', 'ada'))
    expect(opened.github.state.repositories.size).toBe(1)
  })

  test('that is another person, or nobody', async () => {
    await using opened = await open()
    addAccount(opened.github.state, 'bob', 'User')
    const owners = ['bob', 'nobody'].map((owner) => RepositoryPart.of(owner))
    const findings = await opened.check({ owners })
    expect(findings.filter((text) => text.startsWith('-'))).toStrictEqual([
      "- GitHub does not allow administration: write on bob: only a token of bob can create repositories for bob, and the token is another account's.",
      '- GitHub does not allow administration: write on nobody: there is no organization nobody.',
    ])
  })
})

test.each([
  [30, '+ The token ends on '],
  [5, '- The token ends on '],
])('a token that ends in %i days', async (days, beginning) => {
  await using opened = await open()
  const end = new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 19).replace('T', ' ')
  opened.github.fail({
    on: 'repos/get',
    fault: {
      kind: 'answer',
      status: 200,
      body: { full_name: 'acme/gitops', default_branch: 'main' },
      headers: { 'github-authentication-token-expiration': `${end} UTC` },
    },
  })
  expect((await opened.check())[0]).toStartWith(`${beginning}${end.slice(0, 10)}`)
})

test('a host that is gone', async () => {
  const opened = await open()
  await opened[Symbol.asyncDispose]()
  const findings = await opened.check({ cli: USES.gitops })
  expect(findings[0]).toMatch(
    /^- GITOPS_REPOSITORY: the git host cannot be reached: there is no connection to http:\/\/127\.0\.0\.1:\d+ \(ECONNREFUSED\)\.$/,
  )
  expect(findings.every((finding) => finding.startsWith('- '))).toBe(true)
})

const { publicKey, privateKey } = await generateKeyPair('RS256', { extractable: true })
const pem = await exportPKCS8(privateKey)

describe('an App', () => {
  const app = (installationId: number): GitHubAccess => ({
    kind: 'app',
    app: { appId: '4', privateKey: pem, installationId },
  })
  async function openApp(installationId: number, more: object = {}) {
    const opened = await open({}, app(installationId))
    const { state } = opened.github
    state.installations.set(9, {
      id: 9,
      appId: 4,
      publicKey: await exportSPKI(publicKey),
      account: addAccount(state, 'acme', 'Organization'),
      rights: EVERY_RIGHT,
      repositories: 'all',
      suspended: false,
      ...more,
    })
    return opened
  }

  test('that is installed', async () => {
    await using opened = await openApp(9)
    expect(await opened.check()).toStrictEqual(['+ The App is installed (installation 9).', ...ALL])
  })

  test('that is not installed, or suspended', async () => {
    await using other = await openApp(8)
    expect(await other.check()).toStrictEqual([
      '- The App has no installation 8: GITHUB_INSTALLATION_ID must name one of it.',
    ])
    await using suspended = await openApp(9, { suspended: true })
    expect(await suspended.check()).toStrictEqual(["- The App's installation 9 is suspended."])
  })

  test('that is not installed there, or lacks a right', async () => {
    await using elsewhere = await openApp(9, { repositories: [] })
    expect(await elsewhere.check()).toContain(
      '- GITOPS_REPOSITORY: GitHub has no repository acme/gitops, or does not show it to these credentials.',
    )
    await using reader = await openApp(9, { rights: { ...EVERY_RIGHT, contents: 'read' } })
    expect(await reader.check()).toContain(
      `- GitHub does not allow contents: write on acme/gitops: ${NO_RIGHT}.`,
    )
  })

  test('cannot create repositories for a person', async () => {
    await using opened = await openApp(9)
    expect(await opened.check({ owners: [RepositoryPart.of('ada')] })).toContain(
      '- GitHub does not allow administration: write on ada: only a token of ada can create repositories for ada, and an App cannot.',
    )
  })
})
