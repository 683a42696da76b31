import { expect, test } from 'bun:test'
import type { PullRequestFacts } from '#src/lib/ports/git-host/pull-request.ts'
import { applicationFiles } from '#tests/support/application.ts'
import { noteCalls } from '#tests/support/git-calls.ts'
import { openPortal, type TestPortal, WEBHOOK_TOKEN } from '#tests/support/portal.ts'
import { ENTITY, openShop, promote, state } from '#tests/support/promotion.ts'

const FACTS: PullRequestFacts = {
  checks: 'failing',
  review: 'changes_requested',
  draft: true,
  queued: false,
  mergeable: 'conflicting',
}
const { mergeable: _, ...SAID } = FACTS
const movesOf = async (portal: TestPortal) =>
  (await portal.request('/api/v1/promotions', { as: 'dev' })).json()
const SILENT = { checks: null, review: null, draft: null, queued: null }

test('open pull requests say what the host says about them, by one question for a read', async () => {
  await using portal = await openShop()
  await promote(portal, 'development')
  portal.git.describePullRequests = async (_id, pulls) =>
    new Map(pulls.map(({ number }) => [number, FACTS]))
  const { take } = noteCalls(portal.git)
  expect((await state(portal)).body).toMatchObject({ pullRequests: [{ number: 1, ...SAID }] })
  expect(take().filter((call) => call === 'describePullRequests')).toHaveLength(1)
  const moves = await movesOf(portal)
  expect(moves).toMatchObject([{ pullRequest: { number: 1, ...SAID } }])
  // Remembered for some seconds.
  expect(take().filter((call) => call === 'describePullRequests')).toHaveLength(0)
  await portal.merge(1)
  // As the git host calls after a push.
  await portal.request('/api/v1/webhooks/catalog/refresh', {
    method: 'POST',
    headers: { authorization: `Bearer ${WEBHOOK_TOKEN}` },
  })
  expect(await movesOf(portal)).toMatchObject([{ pullRequest: { state: 'merged', ...SILENT } }])
})

test('a host that does not answer delays nothing', async () => {
  await using portal = await openShop()
  await promote(portal, 'development')
  portal.git.describePullRequests = () => Promise.withResolvers<never>().promise
  expect((await state(portal)).body).toMatchObject({ pullRequests: [{ number: 1, ...SILENT }] })
  const moves = await movesOf(portal)
  expect(moves).toMatchObject([{ pullRequest: { number: 1, ...SILENT } }])
})

test.each([
  ['application_missing', 'experimental'],
  ['lifecycle_unknown', 'brand-new'],
])('an open deprecation is told without an application: %s', async (reason, lifecycle) => {
  const entity = applicationFiles({ lifecycle })[ENTITY] ?? ''
  await using portal = await openPortal({ files: { [ENTITY]: entity } })
  await promote(portal, 'deprecated')
  const { body } = await state(portal, 'platform')
  expect(body).toMatchObject({ reason, pullRequests: [{ number: 1, environment: null }] })
  expect((body['acts'] as readonly object[]).at(-1)).toMatchObject({
    do: 'update',
    environment: null,
    message: 'Changes pull request #1.',
  })
})

test('what can be done follows the pull request', async () => {
  await using portal = await openShop()
  const acts = async () => {
    const { acts: all } = (await state(portal)).body as {
      readonly acts: readonly { do: string; environment: string | null; reason: string | null }[]
    }
    return all
      .filter(({ environment }) => environment === 'dev')
      .map(({ do: what, reason }) => [what, reason])
  }
  expect(await acts()).toStrictEqual([
    ['promote', null],
    ['confirm', 'overlay_missing'],
  ])
  await promote(portal, 'development')
  expect(await acts()).toStrictEqual([
    ['update', null],
    ['confirm', 'pr_pending'],
  ])
  await portal.merge(1)
  expect(await acts()).toStrictEqual([['confirm', null]])
})
