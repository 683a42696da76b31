import { expect, test } from 'bun:test'
import { type GitHubFixture, openGitHub } from '#tests/adapters/hosts/github/open-github.ts'
import { ended, openScaffold } from '#tests/domain/scaffold/open-scaffold.ts'
import { applicationFiles } from '#tests/support/application.ts'
import { openPromotionOn } from '#tests/support/promotion-on-host.ts'

/** Names of the requests while something runs: those to the API, then those of git. */
async function requestsOf(
  { github }: GitHubFixture,
  run: () => Promise<unknown>,
): Promise<readonly string[]> {
  github.arrivals.splice(0)
  github.gitArrivals.splice(0)
  expect(await run()).toMatchObject({ ok: true })
  return [...github.arrivals, ...github.gitArrivals].map(({ name }) => name)
}

const FETCH = ['git-advertise', 'git-upload-pack']
/** A list of branches by git. */
const LIST = ['git-advertise', 'git-upload-pack']
const PUSH = ['git-advertise', 'git-receive-pack']

test('a promotion makes four requests to GitHub at most, and lists and pushes once', async () => {
  await using fixture = await openGitHub()
  await using promotion = await openPromotionOn(fixture, applicationFiles())
  await promotion.state()
  expect(await requestsOf(fixture, () => promotion.promote('development'))).toStrictEqual([
    'git/get-ref',
    'pulls/list',
    'pulls/list',
    'pulls/create',
    ...LIST,
    ...PUSH,
  ])
  await fixture.closePullRequest(1)
  expect(await requestsOf(fixture, () => promotion.promote('development'))).toStrictEqual([
    'git/get-ref',
    'pulls/list',
    'pulls/list',
    'pulls/list',
    'pulls/create',
    ...LIST,
    ...PUSH,
  ])
})

test('identical promotions at once make one branch and ask once for a pull request', async () => {
  await using fixture = await openGitHub()
  await using promotion = await openPromotionOn(fixture, applicationFiles())
  const { arrivals, gitArrivals } = fixture.github
  arrivals.splice(0)
  gitArrivals.splice(0)
  const proposals = await Promise.all(
    Array.from({ length: 8 }, () => promotion.promote('development')),
  )
  const created = proposals.map((each) => each.ok && each.value.proposed?.created)
  expect(created.filter((each) => each === false)).toHaveLength(7)
  expect(created).toContain(true)
  expect(arrivals.filter(({ name }) => name === 'pulls/create').length).toBe(1)
  expect(gitArrivals.filter(({ name }) => name === 'git-receive-pack').length).toBe(1)
})

test('a state makes two requests to GitHub, and two where a promotion may have been closed', async () => {
  await using fixture = await openGitHub()
  await using promotion = await openPromotionOn(fixture, applicationFiles())
  await promotion.state()
  const always = ['git/get-ref', 'pulls/list']
  expect(await requestsOf(fixture, promotion.state)).toStrictEqual([
    ...always,
    'pulls/list',
    ...LIST,
  ])
  await promotion.promote('development')
  // The proposed overlay is here, since it was committed here.
  expect(await requestsOf(fixture, promotion.state)).toStrictEqual([...always, 'graphql'])
  // What GitHub says of a pull request is remembered for some seconds.
  expect(await requestsOf(fixture, promotion.state)).toStrictEqual(always)
  await fixture.mergePullRequest(1)
  // An answer does not wait for all of the history; what is left comes after it.
  let last = await requestsOf(fixture, promotion.state)
  while (last.length > always.length) last = await requestsOf(fixture, promotion.state)
  expect(last).toStrictEqual(always)
})

const HISTORY = ['repos/list-pull-requests-associated-with-commit', 'pulls/get']
const historyRequests = async (...args: Parameters<typeof requestsOf>) =>
  (await requestsOf(...args)).filter((name) => HISTORY.includes(name))

test('what is deployed takes two requests for a change, and none for any other push', async () => {
  await using fixture = await openGitHub()
  await using promotion = await openPromotionOn(fixture, applicationFiles())
  await promotion.promote('development')
  await fixture.mergePullRequest(1)
  expect(await historyRequests(fixture, promotion.state)).toStrictEqual(HISTORY)
  expect(await historyRequests(fixture, promotion.state)).toStrictEqual([])
  await promotion.commit({ x: '' })
  expect(await historyRequests(fixture, promotion.state)).toStrictEqual([])
  expect(await historyRequests(fixture, promotion.history)).toStrictEqual([])
})

test('a history takes two requests for each change, once', async () => {
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

test('a run makes seven requests to GitHub, and pushes twice', async () => {
  await using fixture = await openGitHub()
  await using scaffold = await openScaffold({ otherHost: fixture.host })
  const id = await scaffold.submit()
  const run = async () => {
    scaffold.scaffold.start()
    return { ok: (await ended(scaffold, id))?.event === 'done' }
  }
  // The gitops repository may be fetched already.
  const requests = (await requestsOf(fixture, run)).filter((name) => !FETCH.includes(name))
  expect(requests).toStrictEqual([
    'repos/get',
    'repos/create-in-org',
    'repos/update',
    // Whether the files are there.
    'git/get-ref',
    // The proposal.
    'git/get-ref',
    'pulls/list',
    'pulls/create',
    'git-receive-pack',
    'git-receive-pack',
  ])
})
