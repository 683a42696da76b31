import { describe, expect, test } from 'bun:test'
import { err } from '#src/lib/result.ts'
import { eventsOf, storyOf } from '#tests/support/event-stream.ts'
import { GITOPS, type Person, type TestPortal } from '#tests/support/portal.ts'
import {
  auditOf,
  CLIENT,
  confirm,
  endOfMove,
  openShop,
  promote,
  SHOP,
} from '#tests/support/promotion.ts'

/** Asks without waiting. */
async function ask(portal: TestPortal, suffix: string, body: object, as: Person = 'platform') {
  const response = await portal.request(`${SHOP}${suffix}`, {
    as,
    from: CLIENT,
    json: body,
    headers: { prefer: 'respond-async' },
  })
  const { headers, status } = response
  return { headers, status, body: (await response.json()) as Record<string, string> }
}

const TO_DEV = { targetLifecycle: 'development' }

describe('with Prefer: respond-async', () => {
  test('a promotion and its confirmation answer with their runs', async () => {
    await using portal = await openShop()
    const promoted = await ask(portal, '', TO_DEV)
    const runId = promoted.body['runId'] ?? ''
    const path = `/api/v1/promotions/runs/${runId}`
    expect(promoted).toMatchObject({
      status: 202,
      body: { runId, status: 'running', eventsUrl: `${path}/events` },
    })
    const { headers } = promoted
    expect([headers.get('location'), headers.get('preference-applied')]).toStrictEqual([
      path,
      'respond-async',
    ])
    expect(await endOfMove(portal, promoted)).toMatchObject({
      act: 'propose',
      entity: { kind: 'component', name: 'shop' },
      environment: 'dev',
      targetLifecycle: 'development',
      createdBy: { subject: 'platform' },
      outcome: { status: 'pr_open', prNumber: 1, prUrl: expect.stringContaining('/1') },
      failure: null,
    })
    await portal.merge(1)
    expect(await endOfMove(portal, await ask(portal, '/confirm', {}))).toMatchObject({
      act: 'confirm',
      outcome: {
        status: 'confirmed',
        prNumber: null,
        commit: expect.stringMatching(/^[0-9a-f]+$/),
      },
    })
  })

  test('what a check refuses is refused at once', async () => {
    await using portal = await openShop()
    expect(await ask(portal, '', TO_DEV, 'outsider')).toMatchObject({ status: 403 })
    expect(await ask(portal, '', { targetLifecycle: 'staging' })).toMatchObject({ status: 409 })
  })

  test('what has no effect is answered as ever', async () => {
    await using portal = await openShop()
    await promote(portal, 'development')
    await portal.merge(1)
    expect(await ask(portal, '', TO_DEV)).toMatchObject({
      status: 200,
      body: { status: 'ready_to_confirm' },
    })
  })
})

describe('the run of a move', () => {
  test('streams its steps, and is seen by whoever asked and by the platform team', async () => {
    await using portal = await openShop()
    const host = { ...portal.git }
    portal.git.openPullRequest = async () =>
      err({ kind: 'git_rate_limited', retryAfterSeconds: 30 })
    const waiting = await promote(portal, 'development', {}, 'dev')
    const { eventsUrl = '' } = waiting.body as Record<string, string>
    const path = eventsUrl.replace('/events', '')
    const statusFor = async (url: string, as: Person) => (await portal.request(url, { as })).status
    expect(await statusFor(path, 'dev')).toBe(200)
    expect(await statusFor(path, 'platform')).toBe(200)
    expect(await statusFor(path, 'manager')).toBe(404)
    expect(await statusFor(eventsUrl, 'manager')).toBe(404)
    // It is no project.
    expect(await statusFor(path.replace('promotions', 'scaffold'), 'dev')).toBe(404)
    const projects = await portal.request('/api/v1/scaffold/runs', { as: 'platform' })
    expect(await projects.json()).toStrictEqual([])
    const head = await portal.request(eventsUrl, { method: 'HEAD', as: 'dev' })
    expect(head.headers.get('location')).toBe(path)

    const stream = await portal.request(eventsUrl, { as: 'dev' })
    portal.git.openPullRequest = (...args) => host.openPullRequest(...args)
    const told: Parameters<typeof storyOf>[0][number][] = []
    for await (const event of eventsOf(stream)) {
      told.push(event)
      if (told.length === 2) await endOfMove(portal, waiting)
    }
    expect(storyOf(told)).toStrictEqual([
      'propose in_progress',
      'propose in_progress',
      'propose in_progress',
      'propose complete',
      'done',
    ])
    expect(told[1]?.data['message']).toBe('The git host asks us to wait; trying again in 30 s')
    expect(told.at(-1)?.data).toMatchObject({ status: 'pr_open', prNumber: 1 })
    expect(await portal.git.findPullRequests(GITOPS, {})).toMatchObject({ value: { length: 1 } })
  })

  test('says the refusal in which it ends, in the words of the answer', async () => {
    await using portal = await openShop()
    portal.git.openPullRequest = async () => {
      portal.git.openPullRequest = async () => err({ kind: 'git_denied', what: 'pulls: write' })
      return err({ kind: 'git_host_timeout' })
    }
    expect(await endOfMove(portal, await promote(portal, 'development'))).toMatchObject({
      status: 'failed',
      outcome: null,
      failure: {
        step: 'propose',
        code: 'git_host_error',
        message: expect.stringContaining('The git host does not allow this to the portal: '),
        retryable: false,
      },
    })
  })

  test('of a confirmation finds the pull request that was opened without an answer', async () => {
    await using portal = await openShop()
    await promote(portal, 'development')
    await portal.merge(1)
    const host = { ...portal.git }
    portal.git.commit = async (id, request) =>
      request.branch === 'main'
        ? err({ kind: 'git_denied', what: 'a protected branch' })
        : host.commit(id, request)
    portal.git.openPullRequest = async (...args) => {
      portal.git.openPullRequest = (...again) => host.openPullRequest(...again)
      await host.openPullRequest(...args)
      return err({ kind: 'git_host_timeout' })
    }
    expect(await endOfMove(portal, await confirm(portal))).toMatchObject({
      status: 'complete',
      outcome: { status: 'lifecycle_pr_open', prNumber: 2 },
    })
    expect((await auditOf(portal)).at(-1)).toMatchObject({
      action: 'promotion.confirm',
      result: 'done',
      details: { pullRequest: 2 },
    })
    expect(await confirm(portal)).toMatchObject({ status: 409, body: { code: 'pr_pending' } })
  })
})
