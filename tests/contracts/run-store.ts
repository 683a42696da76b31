import { describe, expect, test } from 'bun:test'
import { RunId } from '#src/lib/names.ts'
import type { RunEntry } from '#src/lib/ports/database/run-leases.ts'
import type { NewRun, SameRun } from '#src/lib/ports/database/runs.ts'
import { claimRun } from '#tests/support/claim-run.ts'
import { type DatabasePlace } from './database.ts'
import { valueOf } from '#tests/support/value-of.ts'

const T0 = Date.UTC(2026, 10, 21)
const PERSON = 'https://id.example ann'
const ANN = { issuer: 'https://id.example', subject: 'ann' }

const newRun = (facts: Partial<NewRun> = {}): NewRun => ({
  id: RunId.of(Bun.randomUUIDv7()),
  kind: 'project',
  ...ANN,
  team: 'payments',
  about: 'acme/shop',
  request: '{"app":"shop"}',
  state: '{}',
  requestHash: 'hash',
  idempotencyKey: null,
  createdAt: T0,
  ...facts,
})

const asking = (facts: Partial<SameRun> = {}): SameRun => ({
  ...ANN,
  requestHash: 'hash',
  since: T0,
  idempotency: null,
  ...facts,
})

const stepTo = (facts: Partial<RunEntry> = {}): RunEntry => ({
  events: [{ event: 'step', data: '{}' }],
  state: JSON.stringify({ entry: crypto.randomUUID() }),
  status: 'running',
  at: T0 + 5,
  ...facts,
})

const yes = { ok: true, value: true } as const
const no = { ok: true, value: false } as const
const lease = (holder: string, until = T0 + 1_000) => ({ holder, until })

/** `place` gives an empty place. */
export function runStoreContract(
  name: string,
  place: () => Promise<DatabasePlace>,
  { isShared }: { readonly isShared: boolean },
) {
  async function opened() {
    const at = await place()
    const database = valueOf(await at.open())
    return {
      runs: database.runs,
      at,
      async [Symbol.asyncDispose]() {
        await database.close()
        await at[Symbol.asyncDispose]()
      },
    }
  }

  describe(`${name} keeps the RunStore contract`, () => {
    test('a run comes back as it went in, running, held by nobody', async () => {
      await using place = await opened()
      const { runs } = place
      const run = newRun({
        request: `{"o'b":"; DROP TABLE run -- ünï \u{1F600}"}`,
        idempotencyKey: 'k',
      })
      expect(valueOf(await runs.start(run, asking()))).toStrictEqual({ kind: 'started' })
      const row = { ...run, status: 'running', finishedAt: null, attempts: 0 } as const
      expect(valueOf(await runs.find(run.id))).toStrictEqual(row)
      expect(valueOf(await runs.find(RunId.of(Bun.randomUUIDv7())))).toBeNull()
    })

    test('twenty that start the same at once are one run', async () => {
      await using place = await opened()
      const { runs } = place
      const started = await Promise.all(
        Array.from({ length: 20 }, () => runs.start(newRun(), asking())),
      )
      const kinds = started.map((each) => valueOf(each).kind)
      expect(kinds.filter((kind) => kind === 'started')).toHaveLength(1)
      expect(kinds.filter((kind) => kind === 'same')).toHaveLength(19)
      expect(
        valueOf(
          await runs.list({ kind: 'project', person: null, team: null, before: null, limit: 100 }),
        ),
      ).toHaveLength(1)
    })

    test('one running run about a thing, whoever asks; another may follow when it has ended', async () => {
      await using place = await opened()
      const { runs } = place
      const first = newRun()
      await runs.start(first, asking())
      const other = { subject: 'bob', requestHash: 'other' }
      expect(valueOf(await runs.start(newRun(other), asking(other)))).toStrictEqual({
        kind: 'taken',
      })
      await claimRun(runs, 'a')
      await runs.append(first.id, 'a', stepTo({ status: 'failed' }))
      expect(valueOf(await runs.start(newRun(other), asking(other)))).toStrictEqual({
        kind: 'started',
      })
      expect(valueOf(await runs.findFailed('acme/shop'))?.id).toBe(first.id)
      expect(valueOf(await runs.findFailed('acme/other'))).toBeNull()
    })

    test('no run about a thing of which one has ended since somebody looked', async () => {
      await using place = await opened()
      const { runs } = place
      const first = newRun()
      const other = { subject: 'bob', requestHash: 'other' }
      const before = valueOf(await runs.lastEnd('acme/shop'))
      expect(before).toBeNull()
      await runs.start(first, asking())
      await claimRun(runs, 'a')
      await runs.append(first.id, 'a', stepTo({ status: 'complete' }))
      expect(
        valueOf(await runs.start(newRun(other), asking(other), { lastEnd: before })),
      ).toStrictEqual({
        kind: 'taken',
      })
      const after = valueOf(await runs.lastEnd('acme/shop'))
      expect(after).toBe(T0 + 5)
      expect(
        valueOf(await runs.start(newRun(other), asking(other), { lastEnd: after })),
      ).toStrictEqual({
        kind: 'started',
      })
    })

    test('the same: by request while it runs or ended since, never of another person', async () => {
      await using place = await opened()
      const { runs } = place
      const run = newRun()
      await runs.start(run, asking())
      expect(valueOf(await runs.findSame(asking()))?.id).toBe(run.id)
      expect(valueOf(await runs.findSame(asking({ requestHash: 'x' })))).toBeNull()
      expect(valueOf(await runs.findSame(asking({ subject: 'bob' })))).toBeNull()
      expect(valueOf(await runs.findSame(asking({ issuer: 'https://other' })))).toBeNull()
      await claimRun(runs, 'a')
      await runs.append(run.id, 'a', stepTo({ status: 'complete', at: T0 + 5 }))
      expect(valueOf(await runs.findSame(asking({ since: T0 + 5 })))?.id).toBe(run.id)
      expect(valueOf(await runs.findSame(asking({ since: T0 + 6 })))).toBeNull()
    })

    test('the same: by key, whatever was asked for and long after it ended, until the key is too old', async () => {
      await using place = await opened()
      const { runs } = place
      const run = newRun({ idempotencyKey: 'k1' })
      await runs.start(run, asking())
      await claimRun(runs, 'a')
      await runs.append(run.id, 'a', stepTo({ status: 'complete' }))
      const byKey = (key: string, since: number, subject = 'ann') =>
        asking({ subject, requestHash: 'x', since: T0 + 9_999, idempotency: { key, since } })
      expect(valueOf(await runs.findSame(byKey('k1', T0)))?.id).toBe(run.id)
      expect(valueOf(await runs.findSame(byKey('k1', T0 + 1)))).toBeNull()
      expect(valueOf(await runs.findSame(byKey('k2', T0)))).toBeNull()
      expect(valueOf(await runs.findSame(byKey('k1', T0, 'bob')))).toBeNull()
      expect(valueOf(await runs.start(newRun(), byKey('k1', T0)))).toMatchObject({ kind: 'same' })
    })

    test('a run without a key takes one, and keeps it', async () => {
      await using place = await opened()
      const { runs } = place
      const run = newRun()
      await runs.start(run, asking())
      await runs.adoptKey(run.id, 'k1')
      await runs.adoptKey(run.id, 'k2')
      expect(valueOf(await runs.find(run.id))?.idempotencyKey).toBe('k1')
    })

    test('a key is looked at before the request', async () => {
      await using place = await opened()
      const { runs } = place
      const keyed = newRun({ about: 'acme/a', requestHash: 'a', idempotencyKey: 'k1' })
      const later = newRun({ about: 'acme/b', requestHash: 'b', createdAt: T0 + 1 })
      await runs.start(keyed, asking({ requestHash: 'a' }))
      await runs.start(later, asking({ requestHash: 'b' }))
      const both = asking({ requestHash: 'b', idempotency: { key: 'k1', since: T0 } })
      expect(valueOf(await runs.findSame(both))?.id).toBe(keyed.id)
    })

    test('of many that claim at once each run has one holder, the oldest first', async () => {
      await using place = await opened()
      const { runs } = place
      const made = Array.from({ length: 5 }, (_, index) =>
        newRun({ about: `acme/${index}`, requestHash: `${index}`, createdAt: T0 - index }),
      )
      for (const run of made) await runs.start(run, asking({ requestHash: run.requestHash }))
      const oldest = await claimRun(runs, 'first')
      expect(oldest).toMatchObject({ id: made.at(-1)?.id ?? '', attempts: 1 })
      const claimed = await Promise.all(
        Array.from({ length: 12 }, (_, index) => claimRun(runs, `h${index}`)),
      )
      const ids = claimed.flatMap((each) => each?.id ?? [])
      expect(ids).toHaveLength(4)
      expect(new Set([...ids, oldest?.id]).size).toBe(5)
    })

    test('persons have turns, and of each the oldest comes first', async () => {
      await using place = await opened()
      const { runs } = place
      const asked = [
        ['ann', 0],
        ['ann', 1],
        ['ann', 2],
        ['ben', 3],
        ['ben', 4],
      ] as const
      for (const [subject, at] of asked) {
        const about = `acme/${at}`
        const run = newRun({ subject, about, requestHash: about, createdAt: T0 + at })
        await runs.start(run, asking({ subject, requestHash: about }))
      }
      const turns = await Array.fromAsync({ length: 5 }, () => claimRun(runs, 'a'))
      expect(turns.map((run) => run?.about)).toStrictEqual(
        [0, 3, 1, 4, 2].map((at) => `acme/${at}`),
      )
    })

    test('the free runs of one person hide no paused run of another', async () => {
      await using place = await opened()
      const { runs } = place
      const paused = newRun({ subject: 'ben', about: 'acme/ben' })
      await runs.start(paused, asking({ subject: 'ben' }))
      await claimRun(runs, 'a')
      await runs.append(paused.id, 'a', stepTo({ pausedUntil: T0 + 500 }))
      for (const about of ['acme/1', 'acme/2']) {
        await runs.start(newRun({ about, requestHash: about }), asking({ requestHash: about }))
      }
      const listed = valueOf(await runs.look('project'))
      expect(listed.map(({ pausedAt }) => pausedAt)).toStrictEqual([null, T0 + 5, null])
    })

    test('a run is claimed as it was seen: whatever happened to its lease since, it stays as it is', async () => {
      await using place = await opened()
      const { runs } = place
      const run = newRun()
      await runs.start(run, asking())
      const seen = async () => {
        const [first] = valueOf(await runs.look('project'))
        if (first === undefined) throw new Error('no run is running')
        return first
      }
      const free = await seen()
      expect(free).toStrictEqual({
        id: run.id,
        person: PERSON,
        holder: null,
        until: 0,
        pausedAt: null,
      })
      expect(valueOf(await runs.claim(free, lease('a')))).toMatchObject({ attempts: 1 })
      expect(valueOf(await runs.claim(free, lease('b')))).toBeNull()

      const held = await seen()
      expect(held).toMatchObject({ holder: 'a', until: T0 + 1_000 })
      expect(await runs.renew(run.id, lease('a', T0 + 2_000))).toStrictEqual(yes)
      expect(valueOf(await runs.claim(held, lease('b')))).toBeNull()
      const renewed = await seen()
      // The clock of the holder was set back, or stands still.
      expect(await runs.renew(run.id, lease('a', T0 + 2_000))).toStrictEqual(yes)
      expect(valueOf(await runs.claim(renewed, lease('b')))).toBeNull()

      expect(valueOf(await runs.claim(await seen(), lease('b')))).toMatchObject({ attempts: 2 })
      expect(await runs.renew(run.id, lease('a'))).toStrictEqual(no)
      await runs.release(run.id, 'a')
      expect(await seen()).toMatchObject({ holder: 'b' })
      await runs.release(run.id, 'b')
      expect(await seen()).toStrictEqual(free)
    })

    test('leases of dead processes end where nobody else can live', async () => {
      await using place = await opened()
      const { runs } = place
      const [held, paused] = [newRun(), newRun({ about: 'acme/cart', requestHash: 'cart' })]
      for (const run of [held, paused]) {
        await runs.start(run, asking({ requestHash: run.requestHash }))
        await claimRun(runs, run.about)
      }
      await runs.append(paused.id, paused.about, stepTo({ pausedUntil: T0 + 500 }))
      expect(await runs.releaseDead('project')).toStrictEqual({ ok: true, value: undefined })
      expect(await claimRun(runs, 'next')).toEqual(
        isShared ? null : expect.objectContaining({ id: held.id }),
      )
      expect(await claimRun(runs, 'next')).toBeNull()
    })

    test('only who holds a run writes to it; events and state go together, counted from 1', async () => {
      await using place = await opened()
      const { runs } = place
      const run = newRun()
      await runs.start(run, asking())
      expect(await runs.append(run.id, '', stepTo())).toStrictEqual(no)
      await claimRun(runs, 'a')
      const two = [
        { event: 'step', data: '{"n":1}' },
        { event: 'step', data: '{"n":2}' },
      ]
      const step = stepTo({ events: two })
      expect(await runs.append(run.id, 'a', step)).toStrictEqual(yes)
      expect(await runs.append(run.id, 'a', step)).toStrictEqual(yes)
      expect(await runs.append(run.id, 'b', stepTo({ state: '{"n":9}' }))).toStrictEqual(no)
      const end = stepTo({ status: 'complete', at: T0 + 7 })
      expect(await runs.append(run.id, 'a', end)).toStrictEqual(yes)
      expect(await runs.append(run.id, 'a', end)).toStrictEqual(yes)
      expect(await runs.append(run.id, 'a', stepTo())).toStrictEqual(no)
      expect(await runs.renew(run.id, lease('a'))).toStrictEqual(no)

      const events = valueOf(await runs.events(run.id, 0))
      expect(events.map(({ seq, data }) => [seq, data])).toStrictEqual([
        [1, '{"n":1}'],
        [2, '{"n":2}'],
        [3, '{}'],
      ])
      expect(valueOf(await runs.events(run.id, 2))).toStrictEqual([
        { seq: 3, event: 'step', data: '{}', at: T0 + 7 },
      ])
      expect(valueOf(await runs.find(run.id))).toMatchObject({
        status: 'complete',
        state: end.state,
        finishedAt: T0 + 7,
      })
    })

    test('a write that pauses a run ends its lease, and says how many claims count; a release takes its own back', async () => {
      await using place = await opened()
      const { runs } = place
      const run = newRun()
      await runs.start(run, asking())
      await claimRun(runs, 'dead')
      await claimRun(runs, 'a', { among: 'all' })
      const pause = stepTo({ attempts: 1, pausedUntil: T0 + 500 })
      expect(await runs.append(run.id, 'b', pause)).toStrictEqual(no)
      expect(await runs.append(run.id, 'a', pause)).toStrictEqual(yes)
      expect(valueOf(await runs.find(run.id))).toMatchObject({
        status: 'running',
        state: pause.state,
        attempts: 1,
      })
      expect(await runs.append(run.id, 'a', pause)).toStrictEqual(yes)
      expect(await runs.renew(run.id, lease('a', T0 + 20))).toStrictEqual(no)
      expect(await runs.append(run.id, 'a', stepTo())).toStrictEqual(no)
      const seen = { id: run.id, person: PERSON, holder: null, until: T0 + 500, pausedAt: T0 + 5 }
      expect(valueOf(await runs.look('project'))).toStrictEqual([seen])
      expect(valueOf(await runs.claim(seen, lease('c')))).toMatchObject({ attempts: 2 })
      await runs.release(run.id, 'a')
      await runs.release(run.id, 'c')
      expect(valueOf(await runs.find(run.id))).toMatchObject({ attempts: 1 })
      expect(valueOf(await runs.events(run.id, 0))).toHaveLength(1)
    })

    test('the end of a pause frees a paused run, and takes no run from its holder', async () => {
      await using place = await opened()
      const { runs } = place
      const paused = newRun()
      const held = newRun({ about: 'acme/cart', requestHash: 'cart' })
      for (const run of [paused, held]) {
        await runs.start(run, asking({ requestHash: run.requestHash }))
        await claimRun(runs, run.about)
      }
      await runs.append(paused.id, paused.about, stepTo({ pausedUntil: T0 + 500 }))
      for (const { id } of [paused, held, newRun()]) {
        expect(await runs.endPause(id)).toStrictEqual({ ok: true, value: undefined })
      }
      expect(await claimRun(runs, 'c')).toMatchObject({ id: paused.id })
      expect(await claimRun(runs, 'd')).toBeNull()
    })

    test('a failed run is opened again once, and not while another about the same runs', async () => {
      await using place = await opened()
      const { runs } = place
      const run = newRun()
      await runs.start(run, asking())
      expect(await runs.reopen(run.id)).toStrictEqual(no)
      await claimRun(runs, 'a')
      await runs.append(run.id, 'a', stepTo({ status: 'failed' }))
      const reopened = await Promise.all(Array.from({ length: 5 }, () => runs.reopen(run.id)))
      expect(reopened.filter((each) => valueOf(each))).toHaveLength(1)
      expect(valueOf(await runs.find(run.id))).toMatchObject({
        status: 'running',
        finishedAt: null,
        attempts: 0,
      })
      await claimRun(runs, 'b')
      await runs.append(run.id, 'b', stepTo({ status: 'failed' }))
      await runs.start(newRun({ requestHash: 'other' }), asking({ requestHash: 'other' }))
      expect(await runs.reopen(run.id)).toStrictEqual(no)
      expect(await runs.reopen(RunId.of(Bun.randomUUIDv7()))).toStrictEqual(no)
    })

    test('lists by person and by team, newest first, at most so many', async () => {
      await using place = await opened()
      const { runs } = place
      const made = ['a', 'b', 'c'].map((about, index) =>
        newRun({
          about,
          requestHash: about,
          createdAt: T0 + index,
          subject: index === 1 ? 'bob' : 'ann',
          team: index === 2 ? 'shipping' : 'payments',
        }),
      )
      for (const run of made) {
        await runs.start(run, asking({ requestHash: run.requestHash, subject: run.subject }))
      }
      const listed = async (filter: Parameters<typeof runs.list>[0]) =>
        valueOf(await runs.list(filter)).map(({ about }) => about)
      expect(
        await listed({ kind: 'project', person: null, team: null, before: null, limit: 9 }),
      ).toStrictEqual(['c', 'b', 'a'])
      expect(
        await listed({ kind: 'project', person: null, team: null, before: null, limit: 2 }),
      ).toStrictEqual(['c', 'b'])
      expect(
        await listed({ kind: 'project', person: ANN, team: null, before: null, limit: 9 }),
      ).toStrictEqual(['c', 'a'])
      expect(
        await listed({ kind: 'project', person: null, team: 'payments', before: null, limit: 9 }),
      ).toStrictEqual(['b', 'a'])
      expect(
        await listed({ kind: 'project', person: ANN, team: 'payments', before: null, limit: 9 }),
      ).toStrictEqual(['a'])
      const [oldest, , newest] = made.map(({ id }) => id)
      const older = (before: (typeof made)[number]['id'] | undefined, limit: number) =>
        listed({ kind: 'project', person: null, team: null, before: before ?? null, limit })
      expect(await older(newest, 9)).toStrictEqual(['b', 'a'])
      expect(await older(newest, 1)).toStrictEqual(['b'])
      expect(await older(oldest, 9)).toStrictEqual([])
    })

    test('removes what ended long ago, with its events, and nothing that runs', async () => {
      await using place = await opened()
      const { runs } = place
      const old = newRun({ about: 'old', requestHash: 'old' })
      const running = newRun({ about: 'running', requestHash: 'running', createdAt: T0 + 1 })
      await runs.start(old, asking({ requestHash: 'old' }))
      await runs.start(running, asking({ requestHash: 'running' }))
      await claimRun(runs, 'a')
      await runs.append(old.id, 'a', stepTo({ status: 'complete', at: T0 + 5 }))
      expect(valueOf(await runs.removeEnded(T0 + 4))).toBe(0)
      expect(valueOf(await runs.removeEnded(T0 + 5))).toBe(1)
      expect(valueOf(await runs.find(old.id))).toBeNull()
      expect(valueOf(await runs.events(old.id, 0))).toStrictEqual([])
      expect(valueOf(await runs.find(running.id))).not.toBeNull()
    })

    test('a call after close is a value', async () => {
      await using at = await place()
      const database = valueOf(await at.open())
      await database.close()
      const refused = { ok: false, error: { kind: 'database_unavailable' } }
      expect(await database.runs.start(newRun(), asking())).toMatchObject(refused)
      expect(await database.runs.events(RunId.of(Bun.randomUUIDv7()), 0)).toMatchObject(refused)
      expect(await database.runs.look('project')).toMatchObject(refused)
    })
  })
}
