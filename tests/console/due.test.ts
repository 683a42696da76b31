import { describe, expect, test } from 'bun:test'
import { isDue, isNews } from '#src/console/api/due.ts'
import type { Problem } from '#src/console/api/result.ts'

const problem = (status: number, more: Partial<Problem> = {}): Problem => ({
  status,
  code: 'unreachable',
  title: 'Failed',
  ...more,
})
const around = { now: 0, isCovered: false, isSignedOut: false }

/** Seconds after which it is asked for again, of those that are told apart here. */
function dueAfter(
  attempt: Problem | undefined,
  more: Partial<typeof around & { everyMs: number }> = {},
  value?: unknown,
) {
  const attempts = { value, problem: attempt, at: 1_000_000, triedAt: 1_000_000 }
  return [5, 20, 30, 300].find((seconds) =>
    isDue(attempts, { ...around, ...more, now: 1_000_000 + seconds * 1_000 + 1 }),
  )
}

describe('an answer that is shown is asked for again', () => {
  test('after half a minute, or rarely where the stream tells its changes', () => {
    expect(dueAfter(undefined)).toBe(30)
    expect(dueAfter(undefined, { isCovered: true })).toBe(300)
    expect(dueAfter(undefined, { everyMs: 10_000 })).toBe(20)
  })

  test('of a topic of the stream, with an open pull request, like one of none', () => {
    const after = (value: unknown) => dueAfter(undefined, { isCovered: true }, value)
    const open = { number: 1, state: 'open' }
    const merged = { number: 1, state: 'merged' }
    expect(after({ pullRequests: [open] })).toBe(30)
    expect(after({ pullRequests: [] })).toBe(300)
    expect(after([{ pullRequest: null }, { pullRequest: open }])).toBe(30)
    expect(after([{ pullRequest: null }, { pullRequest: merged }])).toBe(300)
    expect(after([{ state: 'open', pullRequest: 1 }, 'open', null])).toBe(300)
  })

  test.each([0, 401, 429, 500, 502, 503])('soon after a failure that may pass: %p', (status) => {
    expect(dueAfter(problem(status))).toBe(5)
    expect(dueAfter(problem(status, { retryAfter: 20 }))).toBe(20)
  })

  test.each([403, 404, 409, 422])('no more often than others after a refusal: %p', (status) => {
    expect(dueAfter(problem(status))).toBe(30)
  })

  test('soon when a proxy answered', () => {
    expect(dueAfter(problem(200, { code: 'unexpected_answer' }))).toBe(5)
  })

  test('never while nobody is signed in', () => {
    expect(dueAfter(problem(401), { isSignedOut: true })).toBeUndefined()
    expect(dueAfter(undefined, { isSignedOut: true })).toBeUndefined()
  })
})

describe('an event', () => {
  const told = (topic: string, revision?: string) => ({
    topic,
    type: 'changed',
    value: revision === undefined ? {} : { revision },
  })
  const catalog = new Headers({ 'x-catalog-revision': 'a1' })
  const state = new Headers({ 'x-promotion-revision': 'a1' })

  // prettier-ignore
  test.each([
    [catalog, told('catalog', 'a1'),                   false],
    [catalog, told('catalog', 'b2'),                   true],
    [catalog, told('promotion:component/shop', 'a1'),  true],
    [state,   told('promotion:component/shop', 'a1'),  false],
    [state,   told('promotion:component/shop', 'b2'),  true],
    [state,   told('promotions', 'a1'),                true],
    [undefined, told('catalog', 'a1'),                 true],
  ])('about %j: %j is news: %j', (answer, event, isSo) => {
    expect(isNews(answer, event)).toBe(isSo)
  })
})
