import { describe, expect, test } from 'bun:test'
import { createGitLab } from '#src/lib/adapters/hosts/gitlab/index.ts'
import { systemClock } from '#src/lib/ports/clock.ts'
import type { GitFailure } from '#src/lib/ports/git-host.ts'
import {
  AUTHOR,
  branch,
  MAIN,
  repositoryId,
  TEAM,
  value,
  write,
} from '#tests/contracts/git-host.ts'
import { type FakeFixture, openFake, optionsFor } from './open-gitlab.ts'

const failure = (error: GitFailure) => ({ ok: false, error }) as const
const denied = (what: string) => failure({ kind: 'git_denied', what })
const create = {
  description: 'A service',
  team: TEAM,
  marker: 'run-1',
  files: [write('README.md', 'hello')],
  message: 'Initial commit',
  author: AUTHOR,
}

async function change({ host, repository }: FakeFixture, to = 'main') {
  const { commit } = value(await host.head(repository))
  const isMain = to === 'main'
  const from = isMain
    ? ({ kind: 'advance', expected: commit } as const)
    : ({ kind: 'create', parent: commit } as const)
  const changes = [write('x', crypto.randomUUID())]
  const facts = { changes, message: 'Change', author: AUTHOR }
  return await host.commit(repository, { branch: branch(to), from, ...facts })
}

const draft = (head: string, body = 'b') => ({
  head: branch(head),
  base: MAIN,
  title: 't',
  body,
  author: AUTHOR,
})

describe('a push', () => {
  test('to a protected branch names the branch', async () => {
    await using fixture = await openFake('acme/platform')
    fixture.project.protections.add('main')
    expect(await change(fixture)).toStrictEqual(
      denied('branch main of acme/platform/gitops is protected'),
    )
  })

  test('by a Reporter names the role', async () => {
    await using fixture = await openFake()
    fixture.gitlab.token.level = 20
    expect(await change(fixture)).toStrictEqual(
      denied('role Developer on acme/gitops (You are not allowed to push code to this project.)'),
    )
  })

  test('to an archived project, or to a moved one, says so', async () => {
    await using fixture = await openFake()
    const { project, gitlab, host, repository } = fixture
    project.archived = true
    expect(await change(fixture)).toStrictEqual(denied('acme/gitops is archived'))
    project.archived = false
    gitlab.state.redirects.set('acme/gitops', project)
    project.path = 'delivery'
    const fresh = createGitLab(optionsFor(gitlab))
    const moved = { ...fixture, host: fresh }
    expect(await change(moved)).toStrictEqual(denied('acme/gitops was renamed to acme/delivery'))
    expect((await fresh.listBranches(repository, '')).ok).toBe(true)
    expect((await host.head(repository)).ok).toBe(true)
  })
})

test('without a role a project does not exist, and refused credentials say so', async () => {
  await using fixture = await openFake()
  const { gitlab, repository } = fixture
  gitlab.token.level = 0
  expect(await fixture.host.head(repository)).toStrictEqual(
    failure({ kind: 'git_not_found', what: 'repository' }),
  )
  const other = createGitLab(optionsFor(gitlab, 'revoked'))
  expect(await other.head(repository)).toStrictEqual(denied('the credentials were refused'))
})

describe('a merge request', () => {
  test('without the scope to write names the right and GitLab’s reason', async () => {
    await using fixture = await openFake()
    value(await change(fixture, 'topic'))
    fixture.gitlab.token.scope = 'read_api'
    expect(await fixture.host.openPullRequest(fixture.repository, draft('topic'))).toStrictEqual(
      denied(
        'role Developer on acme/gitops (The request requires higher privileges than provided by the access token.)',
      ),
    )
  })

  test('is opened once GitLab has noticed the pushed branch', async () => {
    await using fixture = await openFake()
    const { host, repository, gitlab } = fixture
    value(await change(fixture, 'topic'))
    const body = { message: { source_branch: ['does not exist'] } }
    const early = { kind: 'answer', status: 400, body } as const
    gitlab.fail({ on: 'createMergeRequest', times: 2, fault: early })
    const opened = value(await host.openPullRequest(repository, draft('topic')))
    expect(opened.created).toBe(true)
    expect(value(await host.findPullRequests(repository, {}))).toStrictEqual([opened.pullRequest])
  })

  test('of a fork is nobody’s, also with a branch named like ours', async () => {
    await using fixture = await openFake()
    const { host, repository, project } = fixture
    value(await change(fixture, 'topic'))
    const { pullRequest } = value(await host.openPullRequest(repository, draft('topic')))
    const [own] = project.mergeRequests
    if (own === undefined) throw new Error('none')
    project.mergeRequests.push({ ...own, iid: 2, sourceProject: 4711 })
    expect(value(await host.findPullRequests(repository, {}))).toStrictEqual([pullRequest])
    expect(value(await host.findPullRequests(repository, { number: 2 }))).toStrictEqual([])
  })

  test('that is being merged is open, and no second one is opened', async () => {
    await using fixture = await openFake()
    const { host, repository, project } = fixture
    value(await change(fixture, 'topic'))
    value(await host.openPullRequest(repository, draft('topic')))
    const [own] = project.mergeRequests
    if (own !== undefined) own.state = 'locked'
    const again = value(await host.openPullRequest(repository, draft('topic')))
    expect([again.created, again.pullRequest.state, again.pullRequest.mergeable]).toStrictEqual([
      false,
      'open',
      'unknown',
    ])
  })

  test('has no mergeability until GitLab has checked it, which a list of open ones begins', async () => {
    await using fixture = await openFake()
    const { host, repository, gitlab } = fixture
    value(await change(fixture, 'topic'))
    gitlab.state.checkLag = 1
    const { pullRequest } = value(await host.openPullRequest(repository, draft('topic')))
    expect(pullRequest.mergeable).toBe('unknown')
    const listed = value(await host.findPullRequests(repository, { state: 'open' }))
    expect(listed.map(({ mergeable }) => mergeable)).toStrictEqual(['clean'])
  })

  test('executes no line of its body, and gives the body back as it was', async () => {
    await using fixture = await openFake()
    const { host, repository, project } = fixture
    value(await change(fixture, 'topic'))
    const body = 'Why:\n/merge\n  /approve\nand/or'
    const opened = value(await host.openPullRequest(repository, draft('topic', body)))
    expect(opened.pullRequest.body).toBe(body)
    expect(project.mergeRequests[0]?.description).toBe('Why:\n\\/merge\n  \\/approve\nand/or')
  })

  test.each([
    ['a squash', (commit: string) => ({ merge: null, squash: commit })],
    ['a fast forward', () => ({ merge: null, squash: null })],
  ])('knows its commit after %s', async (_, how) => {
    await using fixture = await openFake()
    const { host, repository, project, gitlab } = fixture
    const { commit } = value(await change(fixture, 'topic'))
    value(await host.openPullRequest(repository, draft('topic')))
    const [own] = project.mergeRequests
    if (own === undefined) throw new Error('none')
    own.state = 'merged'
    own.merged = { at: Date.now(), by: gitlab.token.user, ...how(commit) }
    const found = value(await host.findMergedPullRequest(repository, { commit, base: MAIN }))
    expect(found).toMatchObject({ state: 'merged', mergeCommit: commit, mergedBy: 'portico' })
  })

  test('has its labels and reviewers; what is impossible is logged', async () => {
    const lines: unknown[] = []
    const log = { info() {}, warn: (...line: unknown[]) => void lines.push(line), error() {} }
    await using fixture = await openFake('acme', {
      log,
      pullRequests: {
        labels: ['portico', 'promotion'],
        reviewers: [
          { kind: 'person', name: 'ada' },
          { kind: 'person', name: 'nobody' },
          { kind: 'team', name: 'platform' },
        ],
      },
    })
    const { host, repository, project, gitlab } = fixture
    const ada = gitlab.state.addUser('Ada')
    value(await change(fixture, 'topic'))
    expect(value(await host.openPullRequest(repository, draft('topic'))).created).toBe(true)
    expect([...(project.mergeRequests[0]?.labels ?? [])]).toStrictEqual(['portico', 'promotion'])
    expect(project.mergeRequests[0]?.reviewers).toStrictEqual([ada])
    const about = { repository: 'acme/gitops', number: 1 }
    expect(lines).toStrictEqual([
      [{ ...about, teams: ['platform'] }, 'a team cannot be a reviewer at GitLab'],
      [{ ...about, reviewer: 'nobody' }, 'a reviewer of a new pull request is not found'],
    ])
  })
})

describe('a new project', () => {
  test('in a group that does not exist names the group', async () => {
    await using fixture = await openFake()
    const nowhere = repositoryId('acme/nowhere', 'fresh')
    expect(await fixture.host.createRepository(nowhere, create)).toStrictEqual(
      denied('group: create projects in acme/nowhere (there is no such group)'),
    )
  })

  test('without the role in the group names it', async () => {
    await using fixture = await openFake()
    fixture.gitlab.token.level = 30
    expect(
      await fixture.host.createRepository(repositoryId('acme', 'fresh'), create),
    ).toStrictEqual(denied('group: create projects in acme (namespace:is not valid)'))
  })

  test('that everybody may see needs an Owner', async () => {
    const repositories = {
      ...optionsFor({ url: '' }).repositories,
      visibility: 'public',
    } as const
    await using fixture = await openFake('acme', { repositories })
    const { host, gitlab } = fixture
    const fresh = repositoryId('acme', 'fresh')
    expect(await host.createRepository(fresh, create)).toStrictEqual(
      denied('role Owner on acme/fresh, to make it public'),
    )
    gitlab.token.level = 50
    expect(value(await host.createRepository(fresh, create)).created).toBe(true)
  })

  test('is none where somebody else’s has the name', async () => {
    await using fixture = await openFake()
    expect(await fixture.host.createRepository(fixture.repository, create)).toStrictEqual(
      failure({ kind: 'git_repository_exists' }),
    )
  })

  test('is made without its team when the group is not there, which is logged', async () => {
    const lines: unknown[] = []
    const log = { info() {}, warn: (...line: unknown[]) => void lines.push(line), error() {} }
    const repositories = {
      ...optionsFor({ url: '' }).repositories,
      teamPermission: 'push',
    } as const
    await using fixture = await openFake('acme/platform', { log, repositories })
    const { state } = fixture.gitlab
    state.namespaces.splice(
      state.namespaces.findIndex(({ path }) => /form\/pay/.test(path)),
      1,
    )
    const fresh = repositoryId('acme/platform', 'fresh')
    expect((await fixture.host.createRepository(fresh, create)).ok).toBe(true)
    expect(lines).toStrictEqual([
      [
        {
          repository: 'acme/platform/fresh',
          team: 'acme/platform/payments',
          status: 404,
          reason: '404 Group Not Found',
        },
        'the owning team could not be added to its repository',
      ],
    ])
  })
})

describe('rate limits', () => {
  test('a refusal waits for the time that GitLab names, and sends nothing meanwhile', async () => {
    await using fixture = await openFake()
    const { host, repository, gitlab } = fixture
    const headers = { 'retry-after': '30', 'content-type': 'text/plain' }
    const body = Buffer.from('Retry later\n')
    const fault = { kind: 'answer', status: 429, body, headers } as const
    gitlab.fail({ on: 'any', fault })
    const limited = failure({ kind: 'git_rate_limited', retryAfterSeconds: 30 })
    expect(await host.head(repository)).toStrictEqual(limited)
    const before = gitlab.arrivals.length
    expect(await host.head(repository)).toStrictEqual(limited)
    expect(gitlab.arrivals.length).toBe(before)
  })

  test('the rest of the limit is told', async () => {
    const told: object[] = []
    const onRateLimit = (left: object) => void told.push(left)
    await using fixture = await openFake('acme', { onRateLimit })
    const reset = Math.floor(systemClock.now() / 1_000) + 60
    Object.assign(fixture.gitlab.headers, {
      'ratelimit-limit': '2000',
      'ratelimit-remaining': '1999',
      'ratelimit-reset': String(reset),
    })
    value(await fixture.host.head(fixture.repository))
    expect(told[0]).toStrictEqual({ remaining: 1999, resetsAt: reset * 1_000 })
    told.length = 0
    // Seconds, as proxies write it.
    fixture.gitlab.headers['ratelimit-reset'] = '60'
    value(await fixture.host.head(fixture.repository))
    expect(told).toStrictEqual([])
  })
})

test('the head of a branch costs one request, confirmed by its ETag', async () => {
  await using fixture = await openFake('acme/platform')
  const { host, repository, gitlab } = fixture
  const first = value(await host.head(repository))
  gitlab.arrivals.length = 0
  expect(value(await host.head(repository))).toStrictEqual(first)
  expect(gitlab.arrivals).toStrictEqual([
    {
      name: 'getBranch',
      method: 'GET',
      path: '/api/v4/projects/acme%2Fplatform%2Fgitops/repository/branches/main',
      authorization: expect.stringMatching(/^Bearer /),
      isConditional: true,
    },
  ])
})
