import { expect, test } from 'bun:test'
import type { AccessFailure } from '#src/lib/domain/clusters/access.ts'
import { createAccessReviews, LIST_PODS } from '#src/lib/domain/clusters/access-reviews.ts'
import { Label } from '#src/lib/names.ts'
import { err, ok, type Result } from '#src/lib/result.ts'
import { clusterOf, clusterRequest, grantedAccess, sessionOf } from './cluster-request.ts'

const CLUSTER = clusterOf('dev-east')
const NAMESPACE = Label.of('payments-dev')
const DARK = err({ kind: 'cluster_timeout' } as const)

function world(...answers: readonly (Result<boolean, AccessFailure> | 'never')[]) {
  const clock = { at: 0, now: () => clock.at }
  let asked = 0
  const reviews = createAccessReviews({
    clock,
    kubernetes: { mayDo: () => expect.unreachable() },
    withPersonAccess: (async (_: unknown, act: unknown) => {
      expect([typeof act, grantedAccess().token]).toStrictEqual(['function', 't'])
      const answer = answers[asked++] ?? ok(true)
      return answer === 'never' ? new Promise(() => {}) : answer
    }) as never,
  })
  const by = (idHash = 'h') => clusterRequest({ session: sessionOf({ idHash }) })
  return {
    clock,
    asked: () => asked,
    ask: (idHash?: string, namespace = NAMESPACE, cluster = CLUSTER) =>
      reviews.ask(by(idHash), cluster, namespace, LIST_PODS),
    glance: (patienceMs: number) => reviews.glance(patienceMs, by(), CLUSTER, NAMESPACE, LIST_PODS),
  }
}

test('an answer holds for a minute', async () => {
  const { clock, asked, ask } = world(ok(true), ok(false))
  expect(await ask()).toStrictEqual(ok(true))
  clock.at = 59_999
  expect(await ask()).toStrictEqual(ok(true))
  expect(asked()).toBe(1)
  clock.at = 60_000
  expect(await ask()).toStrictEqual(ok(false))
})

test('never for another session, cluster or namespace', async () => {
  const { asked, ask } = world(ok(true), ok(false), ok(false), ok(false))
  expect(await ask('mine')).toStrictEqual(ok(true))
  expect(await ask('theirs')).toStrictEqual(ok(false))
  expect(await ask('mine', Label.of('other'))).toStrictEqual(ok(false))
  expect(await ask('mine', NAMESPACE, clusterOf('other'))).toStrictEqual(ok(false))
  expect(asked()).toBe(4)
})

test('who asks meanwhile waits for the same answer', async () => {
  const { asked, ask } = world(ok(true), ok(false))
  expect(await Promise.all([ask(), ask()])).toStrictEqual([ok(true), ok(true)])
  expect(asked()).toBe(1)
})

test('a failure is remembered for five seconds only', async () => {
  const { clock, asked, ask } = world(DARK, ok(true))
  expect(await ask()).toStrictEqual(DARK)
  clock.at = 4_999
  expect(await ask()).toStrictEqual(DARK)
  expect(asked()).toBe(1)
  clock.at = 5_000
  expect(await ask()).toStrictEqual(ok(true))
})

test('a glance is the answer, or null for a failure and for one that takes too long', async () => {
  expect(await world(ok(false)).glance(1_000)).toBe(false)
  expect(await world(DARK).glance(1_000)).toBeNull()
  const dark = world('never')
  expect(await dark.glance(5)).toBeNull()
  dark.clock.at = 60_000
  // The same review goes on, and its patience is over.
  expect(await dark.glance(10_000)).toBeNull()
  expect(dark.asked()).toBe(1)
})
