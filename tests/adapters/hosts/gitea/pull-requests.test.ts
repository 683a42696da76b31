import { expect, test } from 'bun:test'
import { AUTHOR, branch, MAIN, value, write } from '#tests/contracts/git-host.ts'
import { ask } from '#tests/peers/gitea/server-under-test.ts'
import { keepWarnings } from '../warnings.ts'
import { type FakeFixture, openFake } from './open-gitea.ts'

const pathOf = ({ repository }: FakeFixture) => `/repos/${repository.owner}/${repository.name}`

async function propose({ host, repository }: FakeFixture, head = 'topic') {
  const main = value(await host.head(repository))
  await host.commit(repository, {
    branch: branch(head),
    from: { kind: 'create', parent: main.commit },
    changes: [write(head, head)],
    message: 'Change',
    author: AUTHOR,
  })
  const request = { head: branch(head), base: MAIN, title: 't', body: 'b', author: AUTHOR }
  return await host.openPullRequest(repository, request)
}

const pullRequests = {
  labels: ['portico', 'not-there'],
  reviewers: [
    { kind: 'person', name: 'ada' },
    { kind: 'team', name: 'platform' },
  ],
} as const

test('a new pull request gets the labels that exist, and its reviewers', async () => {
  const { log, warnings } = keepWarnings()
  await using fixture = await openFake(undefined, { pullRequests, log })
  const { gitea, server } = fixture
  gitea.state.addAccount('ada', 'person')
  const organization = gitea.state.account('acme')
  if (organization === undefined) throw new Error('no organization')
  gitea.state.teams.push({ id: gitea.state.nextId(), name: 'platform', organization })
  await ask(server, 'POST', `${pathOf(fixture)}/labels`, { name: 'portico', color: '#00aabb' })
  const { pullRequest } = value(await propose(fixture))
  const told = await ask(server, 'GET', `${pathOf(fixture)}/pulls/${pullRequest.number}`)
  expect(told.at('labels.name')).toStrictEqual(['portico'])
  expect(told.at('requested_reviewers.login')).toStrictEqual(['ada'])
  expect(told.at('requested_reviewers_teams.name')).toStrictEqual(['platform'])
  expect(warnings).toMatchObject([{ missing: ['not-there'] }])
})

test('a pull request whose reviewers are refused is open nevertheless', async () => {
  await using fixture = await openFake(undefined, { pullRequests })
  const { gitea } = fixture
  gitea.fail({ on: 'repoCreatePullReviewRequests', fault: { kind: 'reset' } })
  expect((await propose(fixture)).ok).toBe(true)
})

test('pull requests of forks are not listed: anybody can name their branches', async () => {
  await using fixture = await openFake()
  const { host, repository, gitea } = fixture
  const { pullRequest } = value(await propose(fixture))
  const fromFork = (body: unknown) =>
    (body as { head: object }[]).map((pull) => ({ ...pull, head: { ...pull.head, repo_id: 4711 } }))
  gitea.fail({ on: 'repoListPullRequests', times: 2, fault: { kind: 'alter', alter: fromFork } })
  expect(await host.findPullRequests(repository, {})).toStrictEqual({ ok: true, value: [] })
  const filter = { head: branch('topic'), state: 'open' } as const
  expect(await host.findPullRequests(repository, filter)).toStrictEqual({ ok: true, value: [] })
  expect(value(await host.findPullRequests(repository, filter))).toStrictEqual([pullRequest])
})

test('more pull requests than one page are listed', async () => {
  await using fixture = await openFake()
  const { host, repository, remote, server } = fixture
  const heads = Array.from({ length: 52 }, (_, index) => `topic-${index}`)
  await fixture.git(['fetch', '--quiet', remote, 'refs/heads/main:refs/heads/base'])
  const commitOf = (head: string) =>
    `commit refs/heads/${head}\ncommitter A <a@b> 1 +0000\ndata 1\nx\nfrom refs/heads/base^0\nM 100644 inline x\ndata 0\n\n`
  await fixture.git(['fast-import', '--quiet'], heads.map(commitOf).join(''))
  await fixture.git(['push', '--quiet', remote, 'refs/heads/topic-*'])
  for (const head of heads) {
    const opened = await ask(server, 'POST', `${pathOf(fixture)}/pulls`, {
      head,
      base: 'main',
      title: head,
    })
    expect(opened.status).toBe(201)
  }
  const all = value(await host.findPullRequests(repository, { state: 'open' }))
  expect(all.map(({ number }) => number)).toStrictEqual(
    Array.from({ length: 52 }, (_, index) => 52 - index),
  )
  const first = value(await host.findPullRequests(repository, { head: branch('topic-0') }))
  expect(first.map(({ number }) => number)).toStrictEqual([1])
})

test('where two branches never had a pull request no list is read', async () => {
  await using fixture = await openFake()
  const { host, repository, gitea } = fixture
  const { pullRequest } = value(await propose(fixture))
  const between = (head: string) => ({ head: branch(head), base: MAIN, limit: 1 })
  const lists = () => gitea.arrivals.filter(({ name }) => name === 'repoListPullRequests').length
  const before = lists()
  expect(value(await host.findPullRequests(repository, between('promote/a')))).toStrictEqual([])
  expect(lists()).toBe(before)
  expect(value(await host.findPullRequests(repository, between('topic')))).toStrictEqual([
    pullRequest,
  ])
})

/** Gitea before 1.22 does not have the question. */
test('a server that cannot say whether there is one is asked for its list', async () => {
  await using fixture = await openFake()
  const { host, repository, gitea } = fixture
  const { pullRequest } = value(await propose(fixture))
  const body = Buffer.from('404 page not found\n')
  const headers = { 'content-type': 'text/plain; charset=utf-8' }
  const unknown = { kind: 'answer', status: 404, body, headers } as const
  gitea.fail({ on: 'repoGetPullRequestByBaseHead', fault: unknown })
  const filter = { head: branch('topic'), base: MAIN, limit: 1 }
  expect(value(await host.findPullRequests(repository, filter))).toStrictEqual([pullRequest])
})

test('a retargeted pull request is that of its new base', async () => {
  await using fixture = await openFake()
  const { host, repository, server } = fixture
  const { pullRequest } = value(await propose(fixture))
  const main = value(await host.head(repository))
  value(
    await host.commit(repository, {
      branch: branch('other'),
      from: { kind: 'create', parent: main.commit },
      changes: [write('o', 'o')],
      message: 'Other',
      author: AUTHOR,
    }),
  )
  const path = `${pathOf(fixture)}/pulls/${pullRequest.number}`
  await ask(server, 'PATCH', path, { base: 'other' })
  const filter = { head: branch('topic'), state: 'open' } as const
  expect(value(await host.findPullRequests(repository, { ...filter, base: MAIN }))).toStrictEqual(
    [],
  )
  const found = value(await host.findPullRequests(repository, { ...filter, base: branch('other') }))
  expect(found.map(({ number }) => number)).toStrictEqual([pullRequest.number])
})

test('a branch with a name that Portico does not take hides no pull request', async () => {
  await using fixture = await openFake()
  const { host, repository, gitea } = fixture
  const { pullRequest } = value(await propose(fixture))
  const named = (body: unknown) => [
    {
      ...(body as { head: object }[])[0],
      number: 4711,
      head: { label: 'fix #1', ref: 'fix #1', sha: '1'.repeat(40) },
    },
    ...(body as object[]),
  ]
  gitea.fail({ on: 'repoListPullRequests', fault: { kind: 'alter', alter: named } })
  expect(await host.findPullRequests(repository, {})).toStrictEqual({
    ok: true,
    value: [pullRequest],
  })
})

/** Forgejo's `repoListPullRequests`: "If a pull request is selected but fails to be retrieved for any reason, it will be a null value in the list of results." */
test('a pull request that the host cannot tell, or whose branches are gone, hides no other', async () => {
  await using fixture = await openFake()
  const { host, repository, gitea } = fixture
  const { pullRequest } = value(await propose(fixture))
  const broken = (body: unknown) => {
    const [pull] = body as { head: object; base: object }[]
    const closed = { ...pull, state: 'closed' }
    return [
      null,
      { ...closed, number: 4711, base: { ...pull?.base, ref: 'gone', sha: '' } },
      { ...closed, number: 4712, head: { ...pull?.head, sha: '' } },
      pull,
    ]
  }
  gitea.fail({ on: 'repoListPullRequests', fault: { kind: 'alter', alter: broken } })
  const all = value(await host.findPullRequests(repository, {}))
  expect(all.map(({ number }) => number)).toStrictEqual([4711, pullRequest.number])
})
