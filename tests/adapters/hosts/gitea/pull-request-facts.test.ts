import { expect, test } from 'bun:test'
import { AUTHOR, branch, MAIN, value, write } from '#tests/contracts/git-host.ts'
import type { Review } from '#tests/peers/gitea/state.ts'
import { openFake } from './open-gitea.ts'

async function open() {
  const fixture = await openFake()
  const { host, repository, gitea } = fixture
  const head = value(await host.head(repository))
  value(
    await host.commit(repository, {
      branch: branch('topic'),
      from: { kind: 'create', parent: head.commit },
      changes: [write('topic', 'topic')],
      message: 'Change',
      author: AUTHOR,
    }),
  )
  const draft = { head: branch('topic'), base: MAIN, title: 't', body: 'b', author: AUTHOR }
  const { pullRequest } = value(await host.openPullRequest(repository, draft))
  const at = gitea.state.repository(repository.owner, repository.name)
  const pull = at?.pulls[0]
  if (at === undefined || pull === undefined) throw new Error('no pull request')
  const facts = async () =>
    (await host.describePullRequests(repository, [pullRequest])).get(pullRequest.number)
  return { ...fixture, at, pull, facts }
}

const by = (id: number) => ({ id, login: `person-${id}`, kind: 'person' }) as const
const review = (id: number, state: Review['state'], more: Partial<Review> = {}): Review => ({
  by: by(id),
  state,
  official: true,
  ...more,
})

test.each([
  [[review(1, 'REQUEST_CHANGES'), review(1, 'APPROVED')], 0, 'approved'],
  [[review(1, 'APPROVED'), review(2, 'REQUEST_CHANGES')], 0, 'changes_requested'],
  [[review(1, 'REQUEST_CHANGES', { dismissed: true })], 0, 'none'],
  [[review(1, 'APPROVED'), review(1, 'COMMENT')], 1, 'approved'],
  [[review(1, 'APPROVED'), review(2, 'APPROVED')], 2, 'approved'],
  [[review(1, 'APPROVED')], 2, 'required'],
  [[review(1, 'APPROVED', { official: false })], 1, 'required'],
  [[review(1, 'REQUEST_CHANGES', { official: false })], 0, 'none'],
  [[review(1, 'APPROVED'), review(2, 'REQUEST_CHANGES', { official: false })], 1, 'approved'],
  [[review(1, 'APPROVED'), review(1, 'REQUEST_CHANGES', { official: false })], 0, 'none'],
])('reviews at Gitea: %j, of which %i are needed: %s', async (reviews, required, said) => {
  await using fixture = await open()
  fixture.pull.reviews.push(...reviews)
  fixture.at.requiredApprovals = required
  expect((await fixture.facts())?.review).toBe(said as never)
})

test('a page of reviews that may have a next one says nothing', async () => {
  await using fixture = await open()
  const reviews = Array.from({ length: 50 }, (_, index) => review(index + 1, 'APPROVED'))
  fixture.pull.reviews.push(...reviews.slice(1))
  expect((await fixture.facts())?.review).toBe('approved')
  fixture.pull.reviews.push(...reviews.slice(0, 1))
  expect((await fixture.facts())?.review).toBeNull()
})

test.each([
  ['WIP: t', false, false],
  ['t', true, true],
  ['WIP: t', undefined, true],
  ['t', undefined, false],
])('%p with the draft %p: %p', async (title, said, expected) => {
  await using fixture = await open()
  const { host, repository } = fixture
  fixture.pull.title = title
  fixture.pull.draft = said ?? null
  const pulls = value(await host.findPullRequests(repository, { state: 'open' }))
  const facts = await host.describePullRequests(repository, pulls)
  expect([...facts.values()]).toMatchObject([{ draft: expected }])
})

test('what Gitea refuses is not said, and the rest is', async () => {
  await using fixture = await open()
  fixture.at.statuses.set(fixture.pull.headCommit, 'warning')
  const refusal = { kind: 'answer', status: 403, body: { message: 'no' } } as const
  fixture.gitea.fail({ on: 'repoListPullReviews', fault: refusal })
  expect(await fixture.facts()).toMatchObject({ checks: 'passing', review: null, draft: false })
  fixture.gitea.fail({ on: 'repoGetCombinedStatusByRef', fault: refusal })
  expect(await fixture.facts()).toMatchObject({ checks: null, review: 'none' })
  fixture.gitea.fail({ on: 'repoListPullReviews', fault: refusal })
  fixture.gitea.fail({ on: 'repoGetCombinedStatusByRef', fault: refusal })
  expect(await fixture.facts()).toBeUndefined()
})
