import { expect, test } from 'bun:test'
import { createFair } from '#src/lib/concurrency/fair.ts'
import { keyOf } from '#src/lib/domain/limits/person-key.ts'
import type { RunRow } from '#src/lib/ports/database/runs.ts'
import { runTopic } from '#src/lib/domain/events/topics/run.ts'
import { err, ok } from '#src/lib/result.ts'
import { person, sessionOf } from '#tests/domain/clusters/cluster-request.ts'

const ID = '01936b2e-7b1a-7c55-8d0e-5a3f0f6f2a11'
const RECHECK_MS = 1
const run = { id: ID } as Partial<RunRow> as RunRow

/** A run that has one event and goes on, which only `reader` may see. */
function world(reader = 's') {
  const at = { reader, isAway: false }
  const runStreams = createFair({ queue: 'run_streams', permits: 1 })
  const session = sessionOf({ principal: person('s') })
  const kind = runTopic({
    runStreams,
    admit: async () => ok(undefined),
    onBug: () => {},
    recheckEveryMs: RECHECK_MS,
    sessions: { reread: async () => ({ kind: 'active', session }) },
    runs: {
      async find({ subject }) {
        if (at.isAway) return err({ kind: 'database_unavailable', reason: 'gone' })
        return subject === at.reader ? ok(run) : err({ kind: 'run_not_found' })
      },
      async *follow(_, after, signal) {
        yield { id: after + 1, event: 'step', data: '{"step":"create_repo"}' }
        await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
      },
    },
  })
  const caller = { session, requestId: 'r', address: null, trace: null }
  const ending = new AbortController()
  const open = (after: string | null = null) => kind(ID)?.(caller, after, ending.signal)
  return { at, ending, open, hasRoom: () => runStreams.hasRoom(keyOf(session.principal)) }
}

const NOT_FOUND = { kind: 'refused', failure: { kind: 'run_not_found' } } as const

test.each([
  [null, '1'],
  ['7', '8'],
  ['abc', '1'],
])('begins after %p', async (after, position) => {
  const { open, ending } = world()
  const first = await open(after)?.next()
  expect(first?.value).toStrictEqual({ type: 'step', value: { step: 'create_repo' }, position })
  ending.abort()
})

test('ends as refused when the right is lost, and frees its slot', async () => {
  const { at, open, hasRoom } = world()
  const events = open()
  await events?.next()
  expect(hasRoom()).toBe(false)
  at.reader = 'somebody else'
  expect((await events?.next())?.value).toStrictEqual(NOT_FOUND)
  expect(hasRoom()).toBe(true)
})

test('outlives a database that is away, and waits for one at the beginning', async () => {
  const { at, open, ending } = world()
  const events = open()
  await events?.next()
  at.isAway = true
  const next = events?.next()
  await Bun.sleep(10 * RECHECK_MS)
  expect(next && Bun.peek.status(next)).toBe('pending')
  expect((await open()?.next())?.value).toStrictEqual({ kind: 'interrupted' })
  ending.abort()
  expect((await next)?.value).toStrictEqual({ kind: 'over' })
})

test('is refused to others, and beyond the slots', async () => {
  expect((await world('somebody else').open()?.next())?.value).toStrictEqual(NOT_FOUND)
  const { open, ending } = world()
  await open()?.next()
  expect((await open()?.next())?.value).toStrictEqual({
    kind: 'refused',
    failure: { kind: 'too_many_streams' },
  })
  ending.abort()
})
