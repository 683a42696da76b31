import { createHmac } from 'node:crypto'
import { join } from 'node:path'
import { afterEach, expect, test } from 'bun:test'
import giteaPullRequest from '#tests/support/deliveries/gitea-pull-request.json'
import githubPullRequest from '#tests/support/deliveries/github-pull-request.json'
import { applicationFiles } from '#tests/support/application.ts'
import { allEvents, eventsOf, type ReceivedEvent } from '#tests/support/event-stream.ts'
import { expectEventsDocumented } from '#tests/support/openapi.ts'
import { AppName, BranchName, TeamName } from '#src/lib/names.ts'
import { trailerOf } from '#src/lib/domain/promotion/move.ts'
import { GITOPS, openPortal, type TestPortal, WEBHOOK_TOKEN } from '#tests/support/portal.ts'
import {
  commitAs,
  DEV_BRANCH,
  ENTITY,
  fileAt,
  OVERLAY,
  promote,
  pullOf,
} from '#tests/support/promotion.ts'
import { openFolder } from '#tests/support/open-folder.ts'

const REFRESH = '/api/v1/webhooks/catalog/refresh'
const TOPIC = 'promotion:component/shop'
const SHOP_MOVE = { team: TeamName.of('payments'), app: AppName.of('shop') }

type Page = AsyncGenerator<ReceivedEvent, void, void>
const pages: Page[] = []
afterEach(async () => {
  for (const page of pages.splice(0)) await page.return()
})

const openShops = (databaseUrl?: string) =>
  openPortal({
    files: { ...applicationFiles(), ...applicationFiles({ app: 'cart' }) },
    ...(databaseUrl !== undefined && { databaseUrl }),
  })

async function follow(portal: TestPortal, topics = TOPIC, lastEventId = ''): Promise<Page> {
  const response = await portal.request(`/api/v1/events?topics=${topics}`, {
    as: 'outsider',
    headers: { 'last-event-id': lastEventId },
  })
  expect(response.status).toBe(200)
  const page = eventsOf(response)
  pages.push(page)
  return page
}

async function next(page: Page): Promise<ReceivedEvent> {
  const { value } = await page.next()
  if (!value) throw new Error('the page has ended')
  expectEventsDocumented('followTopics', [value])
  return value
}

const revisionOf = ({ data }: ReceivedEvent) => {
  expect(data).toStrictEqual({
    topic: expect.any(String),
    type: 'changed',
    value: { revision: expect.stringMatching(/^[0-9a-f]{40}$/) },
  })
  return (data['value'] as { revision: string }).revision
}

const push = (portal: TestPortal) =>
  portal.request(REFRESH, {
    method: 'POST',
    headers: { authorization: `Bearer ${WEBHOOK_TOKEN}` },
  })

/** A delivery of GitHub or Gitea, signed. */
const deliver = (
  portal: TestPortal,
  payload: object,
  event = 'pull_request',
  key = WEBHOOK_TOKEN,
) => {
  const body = JSON.stringify(payload)
  const signature = createHmac('sha256', key).update(body).digest('hex')
  return portal.request(REFRESH, {
    method: 'POST',
    body,
    headers: {
      'content-type': 'application/json',
      'x-hub-signature-256': `sha256=${signature}`,
      'x-github-event': event,
    },
  })
}

test('a promotion is told when its pull request opens, changes, is merged and is confirmed', async () => {
  await using portal = await openShops()
  const page = await follow(portal)
  const revisions = [revisionOf(await next(page))]
  /** The state names the revision that is told of it. */
  const expectSame = async () => {
    const state = await portal.request('/api/v1/catalog/entities/component/shop/promotion', {
      as: 'dev',
    })
    await state.body?.cancel()
    expect(state.headers.get('x-promotion-revision')).toBe(revisions.at(-1) ?? '')
  }
  await expectSame()
  const told = async (act: () => Promise<unknown>) => {
    const event = next(page)
    await act()
    revisions.push(revisionOf(await event))
    await expectSame()
  }
  let pull = 0
  await told(async () => (pull = pullOf(await promote(portal, 'development')).number))
  await told(() => promote(portal, 'development', { replicas: 3 }))
  await told(async () => {
    await portal.merge(pull)
    await push(portal)
  })
  await told(() =>
    portal.request('/api/v1/catalog/entities/component/shop/promotion/confirm', {
      method: 'POST',
      as: 'platform',
    }),
  )
  expect(new Set(revisions).size).toBe(5)
})

test('a change of another application, or of other files, is not told', async () => {
  await using portal = await openShops()
  const page = await follow(portal, `${TOPIC},promotion:component/cart`)
  await next(page)
  await next(page)
  await portal.commit({ 'README.md': 'other' })
  await push(portal)
  const cart = next(page)
  await promote(portal, 'development', {}, 'platform')
  expect((await cart).data['topic']).toBe(TOPIC)
  const changed = next(page)
  await portal.commit({
    'catalog/payments/components/cart.yaml': (
      await fileAt(portal, 'catalog/payments/components/cart.yaml')
    ).replace('experimental', 'development'),
  })
  await push(portal)
  expect((await changed).data['topic']).toBe('promotion:component/cart')
})

test('a client that comes again gets what it missed, and nothing that it has', async () => {
  await using portal = await openShops()
  const first = await next(await follow(portal))
  await promote(portal, 'development')
  const missed = await next(await follow(portal, TOPIC, first.id))
  expect(revisionOf(missed)).not.toBe(revisionOf(first))
  const again = await follow(portal, `${TOPIC},catalog`, missed.id)
  expect((await next(again)).event).toBe('catalog')
  // Another spelling is the same topic.
  const spelled = await follow(portal, 'promotion:Component/Shop,catalog', missed.id)
  expect((await next(spelled)).event).toBe('catalog')
})

test('all promotions are one topic: what opens, changes its place, and waits', async () => {
  await using portal = await openShops()
  const page = await follow(portal, 'promotions')
  const before = await next(page)
  expect(before.data).toStrictEqual({
    topic: 'promotions',
    type: 'changed',
    value: { revision: expect.any(String) },
  })
  const isOpen = next(page)
  const { number } = pullOf(await promote(portal, 'development'))
  const open = await isOpen
  const isMerged = next(page)
  await portal.merge(number)
  await push(portal)
  const merged = await isMerged
  const values = [before, open, merged].map(({ data }) => JSON.stringify(data['value']))
  expect(new Set(values).size).toBe(3)
  const again = await follow(portal, `promotions,${TOPIC}`, merged.id)
  expect((await next(again)).event).toBe('promotion')
  const missed = await follow(portal, 'promotions', open.id)
  expect((await next(missed)).data).toStrictEqual(merged.data)
})

test('the pull request of a new project is told among all promotions', async () => {
  await using portal = await openShops()
  const page = await follow(portal, 'promotions')
  await next(page)
  const isOpen = next(page)
  const project = { templateId: 'service', appName: 'refunds', team: 'payments' }
  const begun = await portal.request('/api/v1/scaffold', {
    as: 'dev',
    json: { ...project, namespace: 'payments-dev' },
  })
  expect((await isOpen).event).toBe('promotions')
  expect((await allEvents(begun)).at(-1)?.event).toBe('done')
})

test('an entity that is not there is refused; one that is removed may come back', async () => {
  await using portal = await openShops()
  const page = await follow(portal, `promotion:component/shopp,${TOPIC}`)
  const events = [await next(page), await next(page)]
  const refused = events.find(({ data }) => data['type'] === 'refused')
  expect(refused?.data).toStrictEqual({
    topic: 'promotion:component/shopp',
    type: 'refused',
    value: {
      code: 'entity_not_found',
      title: expect.any(String),
      suggestions: ['component/shop'],
    },
  })
  const there = events.find((event) => event !== refused)
  const text = await fileAt(portal, ENTITY)
  const isAway = next(page)
  await portal.commit({ [ENTITY]: null })
  await push(portal)
  const away = revisionOf(await isAway)
  const isBack = next(page)
  await portal.commit({ [ENTITY]: text })
  await push(portal)
  const back = revisionOf(await isBack)
  expect(back).not.toBe(away)
  expect(there && revisionOf(there)).toBe(back)
})

const ours = (payload: { readonly repository: object }) => ({
  ...payload,
  repository: { ...payload.repository, full_name: 'Acme/GitOps' },
})

test('a signed delivery about a pull request is told, whichever host sent it', async () => {
  await using portal = await openShops()
  const { number } = pullOf(await promote(portal, 'development'))
  const page = await follow(portal)
  const open = revisionOf(await next(page))
  const isPushed = next(page)
  await commitAs(portal, 'promote/payments/shop/dev', { [`${OVERLAY}/dev/more.yaml`]: 'a: 1\n' })
  expect((await deliver(portal, ours(githubPullRequest))).status).toBe(204)
  const pushed = revisionOf(await isPushed)
  const isClosed = next(page)
  await portal.closePull(number)
  expect((await deliver(portal, ours(giteaPullRequest))).status).toBe(204)
  expect(new Set([open, pushed, revisionOf(await isClosed)]).size).toBe(3)
})

test('deliveries that concern nobody ask the git host nothing', async () => {
  await using portal = await openShops()
  const page = await follow(portal)
  await next(page)
  const asked = async (delivery: Parameters<typeof deliver>[1], ...more: string[]) => {
    portal.git.calls.length = 0
    const { status } = await deliver(portal, delivery, ...more)
    return [status, portal.git.calls.includes('head')]
  }
  const delivery = ours(githubPullRequest)
  expect(await asked(delivery, 'pull_request', 'another-token')).toStrictEqual([401, false])
  expect(await asked(githubPullRequest)).toStrictEqual([204, false])
  expect(await asked(delivery, 'pull_request_review')).toStrictEqual([204, false])
  expect(await asked(delivery)).toStrictEqual([204, true])
  await page.return()
  expect(await asked(delivery)).toStrictEqual([204, false])
})

test('a change that one replica makes or hears of is told by the others', async () => {
  await using place = await openFolder()
  const url = `sqlite:${join(place.path, 'portico.sqlite')}`
  await using one = await openShops(url)
  await using other = await openShops(url)
  void other.portal.start()
  const page = await follow(other)
  await next(page)
  // Each has a git host of its own, so that only the announcement can be heard.
  await commitAs(other, DEV_BRANCH, { [`${OVERLAY}/dev/x.yaml`]: 'a: 1\n' })
  const opened = await other.git.openPullRequest(GITOPS, {
    head: DEV_BRANCH,
    base: BranchName.of('main'),
    title: 'Opened past this portal',
    body: trailerOf({ ...SHOP_MOVE, act: 'promote', environment: 'dev' }),
    author: { name: 'Ann', email: 'ann@acme.example' },
  })
  expect(opened.ok).toBe(true)
  const isHeard = next(page)
  await promote(one, 'development')
  expect((await isHeard).event).toBe('promotion')
  const isDelivered = next(page)
  await other.closePull(1)
  await deliver(one, ours(githubPullRequest))
  expect((await isDelivered).event).toBe('promotion')
})
