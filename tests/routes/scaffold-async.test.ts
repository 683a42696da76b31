import { afterAll, describe, expect, test } from 'bun:test'
import { allEvents } from '#tests/support/event-stream.ts'
import { openPortal } from '#tests/support/portal.ts'

const portal = await openPortal()
afterAll(() => portal[Symbol.asyncDispose]())

const wanted = (appName: string) => ({
  templateId: 'service',
  appName,
  team: 'payments',
  namespace: 'payments-dev',
})

const post = (path: string, body: unknown, prefer: string) =>
  portal.request(path, { as: 'dev', headers: { prefer }, json: body })

interface Accepted {
  readonly runId: string
  readonly status: string
  readonly eventsUrl: string
}

describe('a client that would rather not wait', () => {
  test('is told where the run and its events are, and the run goes on', async () => {
    const response = await post('/api/v1/scaffold', wanted('refund-api'), 'respond-async')
    expect(response.status).toBe(202)
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(response.headers.get('preference-applied')).toBe('respond-async')
    const accepted = (await response.json()) as Accepted
    const location = `/api/v1/scaffold/runs/${accepted.runId}`
    expect(response.headers.get('location')).toBe(location)
    expect(response.headers.get('x-run-id')).toBe(accepted.runId)
    expect(accepted).toStrictEqual({
      runId: accepted.runId,
      status: 'running',
      eventsUrl: `${location}/events`,
    })
    const events = await allEvents(await portal.request(accepted.eventsUrl, { as: 'dev' }))
    expect(events.at(-1)?.event).toBe('done')
    expect(await (await portal.request(location, { as: 'dev' })).json()).toMatchObject({
      status: 'complete',
    })
  })

  test('gets a refusal as everybody else, and a preview', async () => {
    const refused = await post('/api/v1/scaffold', wanted('Refund'), 'respond-async')
    expect(refused.status).toBe(422)
    const preview = await post('/api/v1/scaffold?dryRun=true', wanted('payouts'), 'respond-async')
    expect(preview.status).toBe(200)
    const retry = await post(
      '/api/v1/scaffold/runs/01936b2e-7b1a-7c55-8d0e-5a3f0f6f2a11/retry',
      {},
      'respond-async',
    )
    expect(retry.status).toBe(404)
  })
})

test.each([
  ['Respond-Async, wait=10', 202],
  ['wait=10 , respond-async', 202],
  ['respond-async; foo="a,b"', 202],
  ['foo="a, respond-async, b"', 200],
  ['respond-asynchronously', 200],
  ['foo="a, respond-async', 200],
  ['Respond-Async=""', 202],
  ['return=minimal', 200],
])('Prefer: %s', async (prefer, status) => {
  const response = await post('/api/v1/scaffold', wanted(`app-${Bun.hash(prefer)}`), prefer)
  expect(response.status).toBe(status)
  await response.body?.cancel()
})
