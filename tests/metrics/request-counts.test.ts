import { describe, expect, test } from 'bun:test'
import { createRequestCounts, DURATION_BOUNDS_MS } from '#src/lib/metrics/request-counts.ts'

const ENTITY = '/entities/:kind/:name'
const answer = { method: 'GET', path: '/entities/component/shop', status: 200, ms: 2 }

describe('requests', () => {
  test('are counted by method, route and status', () => {
    const requests = createRequestCounts([ENTITY, '/healthz', ENTITY])
    for (const path of ['/entities/component/a', '/entities/system/b']) {
      requests.record({ ...answer, path })
    }
    requests.record({ ...answer, method: 'HEAD' })
    requests.record({ ...answer, status: 404 })
    requests.record({ ...answer, path: '/healthz' })
    expect(
      requests
        .counts()
        .map(({ method, route, status, byDuration }) => [
          method,
          route,
          status,
          byDuration.reduce((sum, count) => sum + count),
        ]),
    ).toStrictEqual([
      ['GET', ENTITY, 200, 2],
      ['HEAD', ENTITY, 200, 1],
      ['GET', ENTITY, 404, 1],
      ['GET', '/healthz', 200, 1],
    ])
  })

  test('keep nothing of what a client makes up', () => {
    const requests = createRequestCounts([ENTITY])
    for (let number = 0; number < 1_000; number++) {
      requests.record({ ...answer, path: `/made-up-${number}`, status: 404 })
      requests.record({ ...answer, path: `/entities/made-up-${number}/x` })
      requests.record({ ...answer, method: `MADE-UP-${number}` })
    }
    const counts = requests.counts()
    expect(counts.map(({ method, route, status }) => [method, route, status])).toStrictEqual([
      ['GET', ENTITY, 200],
      ['other', ENTITY, 200],
      ['GET', 'none', 404],
    ])
    expect(JSON.stringify(counts).toLowerCase()).not.toContain('made-up')
  })

  test('fall into the bucket of the first bound that they do not exceed', () => {
    const requests = createRequestCounts([ENTITY])
    const durations = [0, ...DURATION_BOUNDS_MS, ...DURATION_BOUNDS_MS.map((bound) => bound + 0.01)]
    for (const ms of durations) requests.record({ ...answer, ms })
    const [count] = requests.counts()
    // Every bound has itself and what is a little more than the one before; the first has zero instead.
    expect(count?.byDuration).toStrictEqual([...DURATION_BOUNDS_MS.map(() => 2), 1])
    expect(count?.totalMs).toBeCloseTo(durations.reduce((sum, ms) => sum + ms))
  })
})
