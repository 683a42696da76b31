import { describe, expect, test } from 'bun:test'
import { until } from '#tests/support/until.ts'
import { pauseAfter } from '#src/lib/domain/runs/waiting.ts'
import { explain, type StepFailure } from '#src/lib/domain/scaffold/failure.ts'
import { BranchName, type RunId } from '#src/lib/names.ts'
import type { SecretStoreFailure } from '#src/lib/ports/secret-store.ts'
import { err } from '#src/lib/result.ts'
import { claimRun } from '#tests/support/claim-run.ts'
import { ANN, BY_ANN, ended, type Fixture, openScaffold } from './open-scaffold.ts'

const NOON = Date.UTC(2026, 10, 21, 12)
const HOUR_S = 3_600
const WEEK_S = 7 * 24 * HOUR_S
const limited = (retryAfterSeconds: number) =>
  ({ kind: 'git_rate_limited', retryAfterSeconds }) as const

describe('the pause after a failed step', () => {
  test.each([
    [
      'three hours',
      limited(3 * HOUR_S),
      3 * HOUR_S,
      'host asks us to wait; trying again at 15:00 UTC',
    ],
    ['rounded up to the minute', limited(61), 61, 'trying again at 12:02 UTC'],
    ['over midnight', limited(13 * HOUR_S), 13 * HOUR_S, 'trying again at 01:00 UTC'],
    ['the whole bound', limited(WEEK_S), WEEK_S, 'trying again on 2026-11-28 at 12:00 UTC'],
    ['no time at all', limited(0), 3.75, 'trying again in 4 s'],
    [
      'an outage',
      { kind: 'git_host_unreachable' },
      3.75,
      'The git host cannot be reached; trying again in 4 s',
    ],
    [
      'a slow host',
      { kind: 'git_host_timeout' },
      3.75,
      'The git host took too long; trying again in 4 s',
    ],
    [
      'a 502',
      { kind: 'git_host_error', reason: 'answered with 502' },
      3.75,
      'request; trying again in 4 s',
    ],
    [
      'a limit of the secret store',
      { kind: 'secret_store_rate_limited', retryAfterSeconds: 61 },
      61,
      'The secret store asks us to wait; trying again at 12:02 UTC',
    ],
    [
      'a sealed store',
      { kind: 'secret_store_sealed' },
      3.75,
      'The secret store is sealed; trying again in 4 s',
    ],
  ] as const)('%s', (_, failure, seconds, message) => {
    expect(pauseAfter(explain(failure), { attempts: 1, totalMs: 0 }, NOON)).toStrictEqual({
      until: NOON + seconds * 1_000,
      message: expect.stringContaining(message),
      waits: { attempts: 1, totalMs: seconds * 1_000 },
    })
  })

  test.each([
    { kind: 'git_denied', what: 'contents: write on acme/shop' },
    { kind: 'git_branch_blocked', branch: BranchName.of('a/b'), by: 'a' },
    { kind: 'already_exists', what: 'repository' },
    { kind: 'secret_store_denied', what: 'patch on secret/data/payments/shop/dev/env' },
    { kind: 'secret_store_forbidden', what: 'patch on secret/data/payments/shop/dev/env' },
    { kind: 'secret_store_unauthorized', what: 'a login' },
    limited(WEEK_S + 1),
  ] satisfies StepFailure[])('%p fails the run at once', (failure) => {
    expect(pauseAfter(explain(failure), { attempts: 1, totalMs: 0 }, NOON)).toBeNull()
  })

  test.each([
    limited(0),
    { kind: 'git_host_unreachable' },
    { kind: 'git_not_found', what: 'commit' },
    { kind: 'secret_store_rate_limited', retryAfterSeconds: 0 },
    { kind: 'secret_store_sealed' },
    { kind: 'secret_store_unreachable' },
    { kind: 'secret_store_timeout' },
    { kind: 'secret_store_error', reason: 'answered with 500' },
    { kind: 'secret_conflict' },
    { kind: 'run_interrupted' },
    { kind: 'internal_error' },
  ] satisfies StepFailure[])(
    'doubles from a minute after five attempts, a week in all: %p',
    (failure) => {
      const seconds: number[] = []
      let totalMs = 0
      for (;;) {
        const pause = pauseAfter(explain(failure), { attempts: seconds.length + 1, totalMs }, NOON)
        if (pause === null) break
        seconds.push((pause.until - NOON) / 1_000)
        ;({ totalMs } = pause.waits)
      }
      expect(seconds.slice(0, 11)).toStrictEqual([
        3.75, 7.5, 15, 30, 60, 120, 240, 480, 900, 900, 900,
      ])
      expect(totalMs).toBeGreaterThan((WEEK_S - 900) * 1_000)
    },
  )
})

/** Steps and messages of a run. */
async function messages({ runs }: Fixture, id: RunId): Promise<readonly string[]> {
  const events = await runs.events(id, 0)
  if (!events.ok) throw new Error(events.error.reason)
  return events.value.map(({ data }) => {
    const { step = '', message = '' } = JSON.parse(data) as Record<string, string>
    return `${step}: ${message}`
  })
}

/** A git host that refuses the creation of repositories until `lift`. */
function limit(fixture: Fixture, retryAfterSeconds: number) {
  const { ports, gitHost } = fixture
  const asked = { times: 0 }
  ports.gitHost.createRepository = async () => {
    asked.times += 1
    return err(limited(retryAfterSeconds))
  }
  return {
    asked,
    lift: () =>
      void (ports.gitHost.createRepository = (...args) => gitHost.createRepository(...args)),
  }
}

const isPaused = ({ logged }: Fixture) => logged.some(({ kind }) => kind === 'run_paused')

describe('a run that the git host limits', () => {
  test('says until when it waits, is held by nobody meanwhile, and goes on then', async () => {
    await using fixture = await openScaffold()
    const { scaffold, runs, logged } = fixture
    const host = limit(fixture, 3 * HOUR_S)
    scaffold.start()
    const id = await fixture.submit()
    await until(() => isPaused(fixture))
    const message = expect.stringMatching(
      /^create_repo: The git host asks us to wait; trying again at \d\d:\d\d UTC$/,
    )
    expect(await messages(fixture, id)).toStrictEqual(['create_repo: Creating acme/shop', message])
    expect(logged).toMatchObject([
      { kind: 'run_paused', run: id, step: 'create_repo', failure: limited(3 * HOUR_S) },
    ])
    expect(await scaffold.find(ANN, id)).toMatchObject({
      value: {
        status: 'running',
        attempts: 0,
        state: { steps: { create_repo: { status: 'in_progress' } } },
      },
    })
    expect(await claimRun(runs, 'other')).toBeNull()

    // Other runs are worked on meanwhile.
    host.lift()
    const other = await fixture.submit({ appName: 'cart' })
    expect(await ended(fixture, other)).toMatchObject({ event: 'done' })
    expect(host.asked.times).toBe(1)
    fixture.advance(3 * HOUR_S * 1_000)
    expect(await ended(fixture, id)).toMatchObject({ event: 'done' })
    expect(await messages(fixture, id)).toStrictEqual([
      'create_repo: Creating acme/shop',
      message,
      'create_repo: Creating acme/shop',
      ...(await messages(fixture, id)).slice(3),
    ])
  })

  test('waits over a restart, and another process goes on with it', async () => {
    await using fixture = await openScaffold()
    const { scaffold } = fixture
    const host = limit(fixture, HOUR_S)
    scaffold.start()
    const id = await fixture.submit()
    await until(() => isPaused(fixture))
    await scaffold.close()
    host.lift()
    const next = fixture.create()
    next.start()
    const bystander = await fixture.submit({ appName: 'cart' })
    expect(await ended(fixture, bystander)).toMatchObject({ event: 'done' })
    expect(await fixture.story(id)).toHaveLength(2)
    fixture.advance(HOUR_S * 1_000)
    expect(await ended(fixture, id)).toMatchObject({ event: 'done' })
    await next.close()
  })

  test('may wait more often than it may crash', async () => {
    await using fixture = await openScaffold()
    const { scaffold } = fixture
    const host = limit(fixture, HOUR_S)
    scaffold.start()
    const id = await fixture.submit()
    for (let pauses = 1; pauses <= 8; pauses += 1) {
      await until(() => fixture.logged.length === pauses)
      fixture.advance(HOUR_S * 1_000)
    }
    host.lift()
    expect(await ended(fixture, id)).toMatchObject({ event: 'done' })
  })

  test('fails after a week of waiting, can be retried, and may then wait a week again', async () => {
    await using fixture = await openScaffold()
    const { scaffold } = fixture
    const host = limit(fixture, 70 * HOUR_S)
    scaffold.start()
    const id = await fixture.submit()
    for (const pauses of [1, 2]) {
      await until(() => fixture.logged.length === pauses)
      fixture.advance(70 * HOUR_S * 1_000)
    }
    expect(await ended(fixture, id)).toMatchObject({
      event: 'failed',
      data: { step: 'create_repo', code: 'rate_limited', retryable: true },
    })
    expect(host.asked.times).toBe(3)
    await scaffold.retry(BY_ANN, id)
    await until(() => host.asked.times === 4 && fixture.logged.at(-1)?.kind === 'run_paused')
    host.lift()
    fixture.advance(70 * HOUR_S * 1_000)
    expect(await ended(fixture, id)).toMatchObject({ event: 'done' })
  })
})

describe('a run whose git host is down', () => {
  test('for a moment at each step: each has the shortest pause', async () => {
    await using fixture = await openScaffold()
    const { scaffold, ports, gitHost } = fixture
    const failed = new Set<string>()
    const failsOnce =
      <Args extends unknown[], Answer>(name: string, call: (...args: Args) => Promise<Answer>) =>
      async (...args: Args) => {
        if (failed.has(name)) return call(...args)
        failed.add(name)
        return err({ kind: 'git_host_timeout' } as const)
      }
    ports.gitHost.createRepository = failsOnce('create', (...args) =>
      gitHost.createRepository(...args),
    )
    ports.gitHost.openPullRequest = failsOnce('open', (...args) => gitHost.openPullRequest(...args))
    scaffold.start()
    const id = await fixture.submit()
    for (const pauses of [1, 2]) {
      await until(() => fixture.logged.length === pauses)
      fixture.advance(3_750)
    }
    expect(await ended(fixture, id)).toMatchObject({ event: 'done' })
    expect(failed.size).toBe(2)
  })
})

/** A secret store that fails until `recover`. It knows no persons, so that a run begins all the same. */
function breakStore({ ports }: Fixture, failure: SecretStoreFailure) {
  const store = { ...ports.secretStore }
  const asked = { times: 0 }
  ports.secretStore.describe = async () => {
    asked.times += 1
    return err(failure)
  }
  ports.secretStore.mayCreate = async () => err(failure)
  return {
    asked,
    recover: () => void (ports.secretStore.describe = (...args) => store.describe(...args)),
  }
}

const SEALED = { kind: 'secret_store_sealed' } as const
const ofSecrets = async (fixture: Fixture, id: RunId) =>
  (await messages(fixture, id)).filter((text) => text.startsWith('create_secret'))

describe('a run whose secret store is sealed', () => {
  const PREPARING = 'create_secret: Preparing payments/shop/dev/env'
  const lookingAgain = (seconds: number) =>
    `create_secret: The secret store is sealed; trying again in ${seconds} s`

  test('says when it looks again, ever later, and goes on once the store is open', async () => {
    await using fixture = await openScaffold()
    const { scaffold, logged } = fixture
    const store = breakStore(fixture, SEALED)
    scaffold.start()
    const id = await fixture.submit()
    for (const [index, seconds] of [4, 8, 15].entries()) {
      await until(() => logged.length === index + 1)
      if (seconds === 15) store.recover()
      fixture.advance(seconds * 1_000)
    }
    expect(await ended(fixture, id)).toMatchObject({ event: 'done' })
    expect(await ofSecrets(fixture, id)).toStrictEqual([
      PREPARING,
      lookingAgain(4),
      PREPARING,
      lookingAgain(8),
      PREPARING,
      lookingAgain(15),
      PREPARING,
      'create_secret: Created payments/shop/dev/env',
    ])
    expect(logged[0]).toMatchObject({ kind: 'run_paused', run: id, failure: SEALED })
  })

  test('or limits it looks at once when a person retries it', async () => {
    await using fixture = await openScaffold()
    const { scaffold } = fixture
    const store = breakStore(fixture, {
      kind: 'secret_store_rate_limited',
      retryAfterSeconds: HOUR_S,
    })
    scaffold.start()
    const id = await fixture.submit()
    await until(() => isPaused(fixture))
    store.recover()
    const stranger = { ...ANN, subject: 'eve' }
    expect(await scaffold.retry({ ...BY_ANN, principal: stranger }, id)).toStrictEqual(
      err({ kind: 'run_not_found' }),
    )
    expect(await scaffold.retry(BY_ANN, id)).toMatchObject({ value: { id, status: 'running' } })
    expect(await ended(fixture, id)).toMatchObject({ event: 'done' })
  })
})
