import { describe, expect, test } from 'bun:test'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { RunId } from '#src/lib/names.ts'
import { err } from '#src/lib/result.ts'
import { claimRun } from '#tests/support/claim-run.ts'
import { GITOPS } from '#tests/support/portal.ts'
import { until } from '#tests/support/until.ts'
import { ANN, BY_ANN, ended, type Fixture, openScaffold } from './open-scaffold.ts'

/** Nobody is helped by the next look, which is four minutes away. */
const HOUR_MS = 3_600_000

/** A process that took a run and died, and another. */
async function crash({ runs }: Fixture, times: number): Promise<void> {
  for (let time = 0; time < times; time++) await claimRun(runs, `dead-${time}`, { among: 'all' })
}

describe('runs that somebody left', () => {
  test.each([
    ['shows the time', 0],
    ['was set back', -2 * HOUR_MS],
    ['was put forward', 2 * HOUR_MS],
  ])('are found a lease later, without being told of, while the wall clock %s', async (_, ms) => {
    await using fixture = await openScaffold({ leaseMs: 400 })
    const { runs, scaffold, clock } = fixture
    scaffold.drain()
    const id = await fixture.submit()
    await claimRun(runs, 'dead', { until: clock.now() + 400 })
    fixture.setClock(ms)
    const other = fixture.create()
    other.start()
    for await (const _ of fixture.follow(id, 0, AbortSignal.timeout(60_000))) break
    expect(await ended(fixture, id)).toMatchObject({ event: 'done' })
    await other.close()
  })

  test('are found at the start where no other process can live', async () => {
    await using fixture = await openScaffold({ leaseMs: HOUR_MS })
    const { runs, releaseDead } = fixture
    fixture.scaffold.drain()
    const id = await fixture.submit()
    await claimRun(runs, 'dead')
    runs.releaseDead = releaseDead
    const other = fixture.create()
    other.start()
    expect(await ended(fixture, id)).toMatchObject({ event: 'done' })
    await other.close()
  })

  test('and that end every process go on at once four times, then after ever longer pauses', async () => {
    await using fixture = await openScaffold()
    const { runs, logged, scaffold } = fixture
    scaffold.drain()
    const id = await fixture.submit()
    await crash(fixture, 5)
    for (const [index, minutes] of [1, 2].entries()) {
      const next = fixture.create()
      next.start()
      while (logged.length === index) await Bun.sleep(5)
      await next.close()
      expect(logged.at(-1)).toMatchObject({
        kind: 'run_paused',
        failure: { kind: 'run_interrupted' },
      })
      expect(await scaffold.find(ANN, id)).toMatchObject({
        value: {
          status: 'running',
          state: {
            steps: {
              create_repo: {
                status: 'in_progress',
                message: expect.stringMatching(
                  /^The service stopped in the middle; trying again at \d\d:\d\d UTC$/,
                ),
              },
            },
          },
        },
      })
      expect(await claimRun(runs, 'too early')).toBeNull()
      fixture.advance(minutes * 60_000)
      await crash(fixture, 1)
    }
    expect(await scaffold.retry(BY_ANN, id)).toMatchObject({ ok: true })
  })

  test('and that a process ended four times go on at once', async () => {
    await using fixture = await openScaffold()
    fixture.scaffold.drain()
    const id = await fixture.submit()
    await crash(fixture, 4)
    const other = fixture.create()
    other.start()
    expect(await ended(fixture, id)).toMatchObject({ event: 'done' })
    await other.close()
  })

  test.each([
    ['writes again', false, 4],
    ['that gave up gives its lease back as soon as it can, and the attempt', true, 5],
  ])('lose nothing by a database that is away: a process %s', async (_, givesUp, begun) => {
    await using fixture = await openScaffold({ leaseMs: HOUR_MS })
    const { scaffold, runs, logged } = fixture
    const store = { ...runs }
    const away = async () => err({ kind: 'database_unavailable', reason: 'on demand' } as const)
    runs.append = (id, holder, entry) => {
      if (!entry.state.includes('complete')) return store.append(id, holder, entry)
      Object.assign(runs, { append: store.append.bind(store) })
      if (givesUp) fixture.advance(HOUR_MS)
      return away()
    }
    runs.release = () => {
      Object.assign(runs, { release: store.release.bind(store) })
      return away()
    }
    scaffold.start()
    const id = await fixture.submit()
    expect(await ended(fixture, id)).toMatchObject({ event: 'done' })
    const lost = { kind: 'run_lost', run: id, reason: 'on demand' } as const
    const complete = { kind: 'run_ended', run: id, code: 'complete', attempts: 1 } as const
    expect(logged).toStrictEqual(givesUp ? [lost, complete] : [complete])
    const story = await fixture.story(id)
    expect(story.filter((each) => each.endsWith('in_progress'))).toHaveLength(begun)
  })

  test('are given back by a process that is to end, after the step at work', async () => {
    await using fixture = await openScaffold({ leaseMs: HOUR_MS })
    const { scaffold, ports, gitHost } = fixture
    const reached = Promise.withResolvers<void>()
    const goOn = Promise.withResolvers<void>()
    // Git has ended by then: the end waits for half a second at most.
    ports.gitHost.createRepository = async (...args) => {
      const created = await gitHost.createRepository(...args)
      reached.resolve()
      await goOn.promise
      return created
    }
    scaffold.start()
    const id = await fixture.submit()
    await reached.promise
    scaffold.drain()
    goOn.resolve()
    await scaffold.close()
    expect(await fixture.story(id)).toStrictEqual([
      'create_repo in_progress',
      'create_repo complete',
    ])
    // The lease is an hour: only a run that was given back is claimed at once, and only by who looks at once.
    const other = fixture.create()
    other.start()
    expect(await ended(fixture, id)).toMatchObject({ event: 'done' })
    await other.close()
  })

  test('are nobody’s who slept past the lease: nothing is made any more', async () => {
    await using fixture = await openScaffold({ leaseMs: 60_000 })
    const { scaffold, ports, gitHost, runs, logged } = fixture
    ports.gitHost.head = async (...args) => {
      const [repository] = args
      const isLastStep =
        repository === GITOPS &&
        (await readdir(join(fixture.directory, 'git/acme'))).includes('shop.git')
      if (isLastStep) {
        // Another process takes over while this one sleeps.
        await claimRun(runs, 'awake', { among: 'all' })
      }
      return gitHost.head(...args)
    }
    scaffold.start()
    const id = await fixture.submit()
    while (!logged.some(({ kind }) => kind === 'run_lost')) await Bun.sleep(5)
    expect((await fixture.story(id)).at(-1)).toBe('open_gitops_pr in_progress')
    expect(await gitHost.findPullRequests(GITOPS, {})).toMatchObject({ value: [] })
  })

  test('are removed ninety days after they ended', async () => {
    await using fixture = await openScaffold()
    const { scaffold, runs } = fixture
    scaffold.start()
    const id = await fixture.submit()
    await ended(fixture, id)
    const store = { ...runs }
    let removals = 0
    runs.removeEnded = (...args) => store.removeEnded(...args).finally(() => (removals += 1))
    for (const [days, found] of [
      [89, true],
      [2, false],
    ] as const) {
      fixture.advance(days * 86_400_000)
      const later = fixture.create()
      removals = 0
      later.start()
      await until(() => removals > 0)
      await later.close()
      expect((await scaffold.find(ANN, id)).ok).toBe(found)
    }
  })
})

describe('a process', () => {
  test('works on sixteen runs of several persons at once, and on the next when one of them is done', async () => {
    await using fixture = await openScaffold({ leaseMs: HOUR_MS })
    const { scaffold, ports, gitHost } = fixture
    const waiting: (() => void)[] = []
    ports.gitHost.createRepository = async (...args) => {
      const turn = Promise.withResolvers<void>()
      waiting.push(turn.resolve)
      await turn.promise
      return gitHost.createRepository(...args)
    }
    scaffold.start()
    const ids = await Promise.all(
      Array.from({ length: 17 }, (_, index) => {
        const principal = { ...ANN, subject: `person-${index % 9}` }
        return fixture.submit({ appName: `shop-${index}` }, scaffold, { ...BY_ANN, principal })
      }),
    )
    while (waiting.length < 16) await Bun.sleep(5)
    await Bun.sleep(100)
    expect(waiting.length).toBe(16)
    waiting[0]?.()
    while (waiting.length < 17) await Bun.sleep(5)
    ports.gitHost.createRepository = (...args) => gitHost.createRepository(...args)
    for (const goOn of waiting) goOn()
    for (const id of ids) expect(await ended(fixture, id)).toMatchObject({ event: 'done' })
  })

  test('does not overlook a run that comes while it looks', async () => {
    await using fixture = await openScaffold({ leaseMs: HOUR_MS })
    const { looked, goOn } = slowLook(fixture)
    fixture.scaffold.start()
    await looked
    const id = await fixture.submit()
    goOn()
    expect(await ended(fixture, id)).toMatchObject({ event: 'done' })
  })

  test('that could not look for a while takes nobody’s run whose renewals it may have missed', async () => {
    await using fixture = await openScaffold({ leaseMs: HOUR_MS })
    const { scaffold, runs } = fixture
    scaffold.drain()
    const held = await fixture.submit()
    await claimRun(runs, 'alive')
    const other = fixture.create()
    other.start()
    const store = { ...runs }
    const missed = Promise.withResolvers<void>()
    await ended(fixture, await fixture.submit({ appName: 'first' }, other))
    runs.look = async () => {
      missed.resolve()
      return err({ kind: 'database_unavailable', reason: 'on demand' })
    }
    await fixture.submit({ appName: 'second' }, other)
    await missed.promise
    Object.assign(runs, store)
    fixture.advance(HOUR_MS)
    const later = await fixture.submit({ appName: 'third' }, other)
    expect(await ended(fixture, later)).toMatchObject({ event: 'done' })
    expect(await fixture.story(held)).toStrictEqual([])
    await other.close()
  })

  test('that is to end while it looks gives back what it finds, and looks no more', async () => {
    await using fixture = await openScaffold({ leaseMs: HOUR_MS })
    const { scaffold, create } = fixture
    scaffold.drain()
    const id = await fixture.submit()
    const { looked, goOn, looks, stop } = slowLook(fixture)
    const ending = create()
    ending.start()
    await looked
    ending.drain()
    goOn()
    await ending.close()
    expect(looks()).toBe(1)
    expect(await fixture.story(id)).toStrictEqual([])
    stop()
    const other = create()
    other.start()
    expect(await ended(fixture, id)).toMatchObject({ event: 'done' })
    await other.close()
  })

  test('holds a run for as long as a step takes, and no longer', async () => {
    const leaseMs = 1_500
    await using fixture = await openScaffold({ leaseMs })
    const { scaffold, ports, gitHost, runs } = fixture
    let renewals = 0
    ports.gitHost.createRepository = async (...args) => {
      // Longer than a lease.
      await until(() => renewals === 5)
      return gitHost.createRepository(...args)
    }
    const store = { ...runs }
    runs.renew = (...args) => {
      renewals += 1
      return store.renew(...args)
    }
    scaffold.start()
    const id = await fixture.submit()
    const other = fixture.create()
    other.start()
    expect(await ended(fixture, id)).toMatchObject({ event: 'done' })
    const story = await fixture.story(id)
    expect(story.filter((each) => each === 'create_repo in_progress')).toHaveLength(1)
    expect(fixture.logged.map(({ kind }) => kind)).toStrictEqual(['run_ended'])
    const before = renewals
    await Bun.sleep(leaseMs)
    expect(renewals).toBe(before)
    await other.close()
  })

  test('is not held up by a run that it cannot read', async () => {
    await using fixture = await openScaffold({ leaseMs: HOUR_MS })
    const { scaffold, runs, clock, logged } = fixture
    const id = RunId.of(Bun.randomUUIDv7())
    const { issuer, subject } = ANN
    const asking = { issuer, subject, requestHash: '-', since: clock.now(), idempotency: null }
    const unreadable = { team: 'payments', about: '-', request: '{', state: '{' }
    const row = {
      id,
      kind: 'project' as const,
      ...unreadable,
      idempotencyKey: null,
      createdAt: clock.now(),
    }
    await runs.start({ ...row, issuer, subject, requestHash: '-' }, asking)
    scaffold.start()
    expect(await ended(fixture, await fixture.submit())).toMatchObject({ event: 'done' })
    expect(logged).toContainEqual({ kind: 'unexpected', run: id, error: expect.any(Error) })
  })

  test('does not wait for ever for a step that does not end', async () => {
    await using fixture = await openScaffold()
    const { scaffold, ports } = fixture
    const reached = Promise.withResolvers<void>()
    ports.gitHost.createRepository = () => {
      reached.resolve()
      return new Promise(() => {})
    }
    scaffold.start()
    await fixture.submit()
    await reached.promise
    await scaffold.close()
  })
})

/** Looks whose answer is on its way until `goOn`. */
function slowLook({ runs }: Fixture) {
  const store = { ...runs }
  const reached = Promise.withResolvers<void>()
  const answered = Promise.withResolvers<void>()
  let looks = 0
  runs.look = async (kind) => {
    looks += 1
    const seen = await store.look(kind)
    reached.resolve()
    await answered.promise
    return seen
  }
  return {
    looked: reached.promise,
    goOn: answered.resolve,
    looks: () => looks,
    stop: () => void Object.assign(runs, store),
  }
}
