import { expect, test } from 'bun:test'
import { createRunner } from '#src/lib/domain/runs/runner.ts'
import { RunId } from '#src/lib/names.ts'
import type { SeenRun } from '#src/lib/ports/database/run-leases.ts'
import type { RunRow } from '#src/lib/ports/database/runs.ts'
import { ok } from '#src/lib/result.ts'

const ROW: Omit<RunRow, 'id'> = {
  kind: 'project',
  status: 'running',
  issuer: 'https://id.example',
  subject: 'ann',
  team: 'payments',
  about: 'acme/shop',
  request: '{}',
  state: '{}',
  requestHash: '',
  idempotencyKey: null,
  createdAt: 0,
  finishedAt: null,
  attempts: 1,
}

/** Runs that end when they are told to, and the persons whose runs have begun. */
function openRunner(asked: readonly string[]) {
  const seen = asked.map((person): SeenRun => ({
    id: RunId.of(Bun.randomUUIDv7()),
    person,
    holder: null,
    until: 0,
    pausedAt: null,
  }))
  const begun: string[] = []
  const ends: (() => void)[] = []
  const claimed = new Set<RunId>()
  const runner = createRunner({
    kind: 'project',
    clock: { now: () => 0, elapsed: () => 0 },
    store: {
      look: async () => ok(seen.filter(({ id }) => !claimed.has(id))),
      claim: async ({ id, person }) => {
        claimed.add(id)
        begun.push(person)
        return ok({ ...ROW, id })
      },
      renew: async () => ok(true),
      release: async () => ok(undefined),
      releaseDead: async () => ok(undefined),
    },
    work: () => {
      const { promise, resolve } = Promise.withResolvers<boolean>()
      ends.push(() => resolve(true))
      return promise
    },
    onBug: (_, bug) => {
      throw bug
    },
  })
  return { runner, begun, ends }
}

const turns = () => Bun.sleep(0)

test('a person has two of the places for runs, and the next of theirs begins when one ends', async () => {
  const { runner, begun, ends } = openRunner([...Array.from({ length: 40 }, () => 'ann'), 'ben'])
  runner.wake()
  await turns()
  expect(begun).toStrictEqual(['ann', 'ann', 'ben'])
  ends[0]?.()
  await turns()
  expect(begun).toStrictEqual(['ann', 'ann', 'ben', 'ann'])
  runner.drain()
})
