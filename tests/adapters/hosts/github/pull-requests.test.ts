import { describe, expect, test } from 'bun:test'
import { AUTHOR, branch, MAIN, value } from '#tests/contracts/git-host.ts'
import { addAccount } from '#tests/peers/github/calls/accounts.ts'
import { renameRepository } from '#tests/peers/github/calls/repositories.ts'
import { commitFiles } from '#tests/peers/forge/commit-files.ts'
import { type GitHubFixture, openGitHub } from './open-github.ts'

const propose = async ({ seeded: gitops, seed, host, repository }: GitHubFixture, name: string) => {
  await gitops.git.updateReference(`refs/heads/${name}`, seed)
  await commitFiles(gitops, name, [{ path: name, bytes: Buffer.from(name) }])
  const draft = { head: branch(name), base: MAIN, title: name, body: 'b', author: AUTHOR }
  return host.openPullRequest(repository, draft)
}

describe('a new pull request', () => {
  const extras = {
    labels: ['portico', 'promotion'],
    reviewers: [
      { kind: 'person', name: 'grace' },
      { kind: 'team', name: 'platform' },
    ],
  } as const

  test('gets its labels and reviewers, once', async () => {
    await using fixture = await openGitHub({ pullRequests: extras })
    const { github, seeded: gitops } = fixture
    addAccount(github.state, 'grace', 'User')
    github.state.teams.add('acme/platform')
    const { pullRequest } = value(await propose(fixture, 'topic'))
    const pull = gitops.pulls.get(pullRequest.number)
    expect(pull?.labels.map(({ name }) => name)).toStrictEqual(['portico', 'promotion'])
    expect(pull?.reviewers.map(({ login }) => login)).toStrictEqual(['grace'])
    expect(pull?.reviewingTeams).toStrictEqual(['platform'])
    const draft = { head: branch('topic'), base: MAIN, title: 't', body: '', author: AUTHOR }
    value(await fixture.host.openPullRequest(fixture.repository, draft))
    const added = github.arrivals.filter(({ name }) => name === 'issues/add-labels')
    expect(added.length).toBe(1)
  })

  test('gets both once GitHub sees it', async () => {
    await using fixture = await openGitHub({ pullRequests: extras })
    const { github, seeded: gitops } = fixture
    addAccount(github.state, 'grace', 'User')
    github.state.teams.add('acme/platform')
    const message = "Could not resolve to a node with the global id of 'PR_kwDOA1'."
    const body = { message: 'Validation Failed', errors: [{ code: 'unprocessable', message }] }
    const unseen = { kind: 'answer', status: 422, body } as const
    github.fail({ on: 'issues/add-labels', fault: unseen })
    github.fail({ on: 'pulls/request-reviewers', fault: unseen })
    const { pullRequest } = value(await propose(fixture, 'topic'))
    const pull = gitops.pulls.get(pullRequest.number)
    expect(pull?.labels.map(({ name }) => name)).toStrictEqual(['portico', 'promotion'])
    expect(pull?.reviewers.map(({ login }) => login)).toStrictEqual(['grace'])
  })

  test('is open although GitHub refuses both', async () => {
    await using fixture = await openGitHub({ pullRequests: extras })
    const refusal = { kind: 'answer', status: 422, body: { message: 'no' } } as const
    fixture.github.fail({ on: 'issues/add-labels', fault: refusal })
    fixture.github.fail({ on: 'pulls/request-reviewers', fault: { kind: 'reset' } })
    expect(value(await propose(fixture, 'topic')).created).toBe(true)
  })
})

/** GitHub's replicas, right after a push. */
const EARLY = [
  { resource: 'PullRequest', field: 'head', code: 'invalid' },
  { resource: 'PullRequest', code: 'custom', message: 'No commits between main and topic' },
]

test.each(EARLY)(
  'a branch that GitHub does not see yet is proposed a moment later',
  async (error) => {
    await using fixture = await openGitHub()
    const body = { message: 'Validation Failed', errors: [error] }
    const early = { kind: 'answer', status: 422, body } as const
    fixture.github.fail({ on: 'pulls/create', times: 2, fault: early })
    expect(value(await propose(fixture, 'topic')).created).toBe(true)
  },
)

test('a branch is not called unchanged while GitHub does not answer what it has', async () => {
  await using fixture = await openGitHub()
  const body = { message: 'Validation Failed', errors: EARLY.slice(1) }
  fixture.github.fail({ on: 'pulls/create', fault: { kind: 'answer', status: 422, body } })
  const away = { kind: 'answer', status: 503, body: {} } as const
  fixture.github.fail({ on: 'git/get-ref', times: 9, fault: away })
  expect(await propose(fixture, 'topic')).toMatchObject({
    ok: false,
    error: { kind: 'git_host_unreachable' },
  })
})

describe('a second pull request between two branches', () => {
  const openedOf = ({ github }: GitHubFixture) =>
    github.arrivals.filter(({ name }) => name === 'pulls/create').length

  test('is not asked for: a server may open it', async () => {
    await using fixture = await openGitHub()
    const first = value(await propose(fixture, 'topic'))
    const draft = { head: branch('topic'), base: MAIN, title: 't', body: '', author: AUTHOR }
    const again = value(await fixture.host.openPullRequest(fixture.repository, draft))
    const elsewhere = value(await fixture.another().openPullRequest(fixture.repository, draft))
    const numbers = [first, again, elsewhere].map(({ pullRequest }) => pullRequest.number)
    expect(new Set(numbers).size).toBe(1)
    expect(openedOf(fixture)).toBe(1)
  })
})

test('pull requests come from as many pages as it takes', async () => {
  await using fixture = await openGitHub()
  const { seeded: gitops, host, repository, github } = fixture
  const first = value(await propose(fixture, 'topic')).pullRequest.number
  const pull = gitops.pulls.get(first)
  if (pull === undefined) throw new Error('not opened')
  for (let number = 2; number <= 330; number += 1) {
    const isOpen = number > 210
    gitops.pulls.set(number, {
      ...pull,
      number,
      state: isOpen ? 'open' : 'closed',
      closedAt: isOpen ? null : 1,
      mergedAt: number === 2 ? 1 : null,
      mergeCommit: number === 2 ? String(fixture.seed) : null,
    })
  }
  const find = async (filter: Parameters<typeof host.findPullRequests>[1]) =>
    value(await host.findPullRequests(repository, filter)).map(({ number }) => number)
  expect(await find({ limit: 150 })).toStrictEqual(Array.from({ length: 150 }, (_, i) => 330 - i))
  const asked = github.arrivals.length
  expect(await find({ state: 'merged' })).toStrictEqual([2])
  // 210 of them are closed.
  expect(github.arrivals.length - asked).toBe(3)
  expect((await find({ state: 'open' })).length).toBe(100)
  const before = github.arrivals.length
  await find({ state: 'open', limit: 5 })
  expect(github.arrivals.length - before).toBe(1)
})

test('of a renamed repository, the new name is told', async () => {
  await using fixture = await openGitHub()
  value(await fixture.host.head(fixture.repository))
  await fixture.seeded.git.updateReference('refs/heads/topic', fixture.seed)
  await commitFiles(fixture.seeded, 'topic', [{ path: 'x', bytes: Buffer.from('x') }])
  renameRepository(fixture.github.state, fixture.seeded, 'gitops2')
  const draft = { head: branch('topic'), base: MAIN, title: 't', body: '', author: AUTHOR }
  expect(await fixture.host.openPullRequest(fixture.repository, draft)).toStrictEqual({
    ok: false,
    error: { kind: 'git_denied', what: 'acme/gitops was renamed' },
  })
})
