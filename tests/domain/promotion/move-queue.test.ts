import { afterEach, expect, jest, test } from 'bun:test'
import { openDatabase } from '#src/lib/adapters/database/index.ts'
import { createMoveRuns } from '#src/lib/domain/promotion/move-runs.ts'
import type { MoveSpec } from '#src/lib/domain/promotion/move-run.ts'
import { AppName, BranchName, TeamName } from '#src/lib/names.ts'
import type { RunEntry } from '#src/lib/ports/database/run-leases.ts'
import { err, ok } from '#src/lib/result.ts'
import { moveRunsOn } from '#tests/support/move-runs-on.ts'

afterEach(() => void jest.useRealTimers())

const DONE = {
  outcome: { kind: 'promotion', status: 'ready_to_confirm', pullRequest: null, commit: null },
} as const

const SPEC: MoveSpec = {
  step: 'propose',
  kind: 'component',
  name: 'shop',
  team: TeamName.of('payments'),
  app: AppName.of('shop'),
  target: 'development',
  environment: 'dev',
  request: {},
  hasSecrets: false,
  by: { issuer: 'x', subject: 'ann', name: 'Ann', email: null, groups: [] },
  requestId: 'r',
  address: null,
}

const AWAY = { kind: 'database_unavailable', reason: 'gone' } as const
const ACCEPTED = { branch: null, secretVersion: null }

async function open() {
  const opened = await openDatabase('sqlite::memory:')
  if (!opened.ok) throw new Error(opened.error.reason)
  const { runs } = opened.value
  const entries: RunEntry[] = []
  const outage = { isOn: false }
  const { runStore, ...options } = moveRunsOn(runs)
  const clock = { ms: 0, now: () => clock.ms, elapsed: () => clock.ms }
  const moves = createMoveRuns({
    ...options,
    store: {
      ...runStore,
      append(id, holder, entry) {
        if (outage.isOn) {
          clock.ms += 60_000
          return Promise.resolve(err(AWAY))
        }
        entries.push(entry)
        return runs.append(id, holder, entry)
      },
    },
    audit: { finish: async () => ok(undefined) },
    clock,
    resume: () => expect.unreachable(),
  })
  const decision = {
    begin: async () => ok(undefined),
    note: async () => ok(undefined),
    end: async () => ok(undefined),
    abandon: async () => ok(undefined),
    attempt: <Value>(effects: () => Promise<Value>) => effects(),
  }
  return {
    clock,
    entries,
    outage,
    request: (work: Parameters<typeof moves.request<typeof DONE>>[3], isAsync = false) =>
      moves.request(SPEC, decision, isAsync, work),
    [Symbol.asyncDispose]: () => opened.value.close(),
  }
}

test('a request that waited in vain is not carried out later', async () => {
  await using place = await open()
  jest.useFakeTimers()
  const [begun, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const first = place.request(async () => {
    begun.resolve()
    await end.promise
    return ok(DONE)
  })
  await begun.promise
  let isCarriedOut = false
  const second = place.request(async () => {
    isCarriedOut = true
    return ok(DONE)
  })
  place.clock.ms = 10_000
  jest.advanceTimersByTime(10_000)
  expect(await second).toStrictEqual({ ok: false, error: { kind: 'change_in_progress' } })
  end.resolve()
  expect(await first).toStrictEqual(ok(DONE))
  jest.useRealTimers()
  // Behind the second one.
  expect(await place.request(async () => ok(DONE))).toStrictEqual(ok(DONE))
  expect(isCarriedOut).toBe(false)
})

test('a move is never complete without its end', async () => {
  await using place = await open()
  await place.request(async (run) => {
    await run.accept({ branch: BranchName.of('promote/payments/shop/dev'), secretVersion: null })
    return ok(DONE)
  })
  const told = place.entries.map(({ status, events }) => [status, events.map(({ event }) => event)])
  expect(told).toStrictEqual([
    ['running', ['step']],
    ['complete', ['step', 'done']],
  ])
})

test('a request that would rather not wait joins the same one at once', async () => {
  await using place = await open()
  const [begun, end] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const first = place.request(async (run) => {
    await run.accept(ACCEPTED)
    begun.resolve()
    await end.promise
    return ok(DONE)
  })
  await begun.promise
  expect(await place.request(() => expect.unreachable(), true)).toMatchObject({
    error: { kind: 'waiting', isJoined: true },
  })
  end.resolve()
  expect(await first).toStrictEqual(ok(DONE))
})

test('a database that takes nothing is no other change', async () => {
  await using place = await open()
  const answer = await place.request(async (run) => {
    place.outage.isOn = true
    const accepted = await run.accept(ACCEPTED)
    return accepted.ok ? ok(DONE) : accepted
  })
  expect(answer).toStrictEqual(err(AWAY))
})
