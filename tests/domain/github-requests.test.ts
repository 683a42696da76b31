import { expect, test } from 'bun:test'
import { type GitHubFixture, openGitHub } from '#tests/adapters/hosts/github/open-github.ts'
import { ended, openScaffold } from '#tests/domain/scaffold/open-scaffold.ts'
import { applicationFiles } from '#tests/support/application.ts'
import { openPromotionOn } from '#tests/support/promotion-on-host.ts'

/** Names of the requests to the API while something runs. */
async function requestsOf(
  { github }: GitHubFixture,
  run: () => Promise<unknown>,
): Promise<readonly string[]> {
  const before = github.arrivals.length
  expect(await run()).toMatchObject({ ok: true })
  return github.arrivals.slice(before).map(({ name }) => name)
}

test('a promotion makes eight requests to GitHub at most, whatever was before it', async () => {
  await using fixture = await openGitHub()
  await using promotion = await openPromotionOn(fixture, applicationFiles())
  await promotion.state()
  const commit = ['git/create-tree', 'git/create-commit', 'git/create-ref']
  const reads = ['git/get-ref', 'pulls/list', 'git/list-matching-refs']
  expect(await requestsOf(fixture, () => promotion.promote('development'))).toStrictEqual([
    ...reads,
    'git/list-matching-refs',
    ...commit,
    'pulls/create',
  ])
  await fixture.closePullRequest(1)
  expect(await requestsOf(fixture, () => promotion.promote('development'))).toStrictEqual([
    ...reads,
    'pulls/list',
    ...commit,
    'pulls/create',
  ])
})

test('identical promotions at once make one branch and ask once for a pull request', async () => {
  await using fixture = await openGitHub()
  await using promotion = await openPromotionOn(fixture, applicationFiles())
  const before = fixture.github.arrivals.length
  const proposals = await Promise.all(
    Array.from({ length: 8 }, () => promotion.promote('development')),
  )
  const created = proposals.map((each) => each.ok && each.value.proposed?.created)
  expect(created.filter((each) => each === false)).toHaveLength(7)
  expect(created).toContain(true)
  const writes = fixture.github.arrivals.slice(before).map(({ name }) => name)
  expect(writes.filter((name) => name === 'pulls/create')).toStrictEqual(['pulls/create'])
  expect(writes.filter((name) => name === 'git/create-ref')).toStrictEqual(['git/create-ref'])
})

test('a state makes two requests to GitHub, and two where a promotion may have been closed', async () => {
  await using fixture = await openGitHub()
  await using promotion = await openPromotionOn(fixture, applicationFiles())
  await promotion.state()
  const always = ['git/get-ref', 'pulls/list']
  expect(await requestsOf(fixture, promotion.state)).toStrictEqual([
    ...always,
    'git/list-matching-refs',
    'pulls/list',
  ])
  await promotion.promote('development')
  // The proposed overlay is read once.
  expect(await requestsOf(fixture, promotion.state)).toStrictEqual([
    ...always,
    'pulls/get',
    'repos/get-content',
    'git/get-tree',
    'git/get-blob',
    'git/get-blob',
  ])
  // GitHub tells of conflicts only for a single pull request.
  expect(await requestsOf(fixture, promotion.state)).toStrictEqual([...always, 'pulls/get'])
  await fixture.mergePullRequest(1)
  // An answer does not wait for all of the history; what is left comes after it.
  let last = await requestsOf(fixture, promotion.state)
  while (last.length > always.length) last = await requestsOf(fixture, promotion.state)
  expect(last).toStrictEqual(always)
})

const HISTORY = [
  'repos/list-commits',
  'repos/list-pull-requests-associated-with-commit',
  'pulls/get',
]
const historyRequests = async (...args: Parameters<typeof requestsOf>) =>
  (await requestsOf(...args)).filter((name) => HISTORY.includes(name))

test('what is deployed takes three requests for a change, and one for any other push', async () => {
  await using fixture = await openGitHub()
  await using promotion = await openPromotionOn(fixture, applicationFiles())
  await promotion.promote('development')
  await fixture.mergePullRequest(1)
  expect(await historyRequests(fixture, promotion.state)).toStrictEqual(HISTORY)
  expect(await historyRequests(fixture, promotion.state)).toStrictEqual([])
  await promotion.commit({ x: '' })
  expect(await historyRequests(fixture, promotion.state)).toStrictEqual(['repos/list-commits'])
  expect(await historyRequests(fixture, promotion.history)).toStrictEqual([])
})

test('a history takes two requests and an overlay for each change, once', async () => {
  await using fixture = await openGitHub()
  await using promotion = await openPromotionOn(fixture, applicationFiles())
  await promotion.promote('development')
  await fixture.mergePullRequest(1)
  expect(await historyRequests(fixture, promotion.history)).toStrictEqual(HISTORY)
  expect(await requestsOf(fixture, promotion.history)).toStrictEqual(['git/get-ref'])
  expect(await promotion.history()).toMatchObject({
    ok: true,
    value: {
      rows: [{ kind: 'promotion', askedBy: { subject: 'platform' }, pull: { number: 1 } }],
      next: null,
    },
  })
})

test.each(['merge', 'squash', 'rebase'] as const)(
  'a pull request of two commits is one change, after a %s too',
  async (method) => {
    await using fixture = await openGitHub()
    await using promotion = await openPromotionOn(fixture, applicationFiles())
    await promotion.promote('development')
    await promotion.promote('development', { replicas: 2 })
    await promotion.promote('development', { replicas: 3, image: { tag: '1.0.0' } })
    await fixture.merge(1, method)
    const head = await fixture.host.head(fixture.repository)
    expect(await promotion.history()).toMatchObject({
      ok: true,
      value: {
        rows: [
          {
            kind: 'promotion',
            commit: head.ok && head.value.commit,
            image: { tag: '1.0.0' },
            previousImage: null,
            pull: { number: 1 },
          },
        ],
      },
    })
  },
)

test('a run makes twelve requests to GitHub at most', async () => {
  await using fixture = await openGitHub()
  await using scaffold = await openScaffold({ otherHost: fixture.host })
  const id = await scaffold.submit()
  const run = async () => {
    scaffold.scaffold.start()
    return { ok: (await ended(scaffold, id))?.event === 'done' }
  }
  expect(await requestsOf(fixture, run)).toStrictEqual([
    'repos/create-in-org',
    'git/create-tree',
    'git/create-commit',
    'git/update-ref',
    'repos/update',
    // Whether the files are there.
    'git/get-ref',
    'git/get-tree',
    // The proposal.
    'git/get-ref',
    'git/create-tree',
    'git/create-commit',
    'git/create-ref',
    'pulls/create',
  ])
})
