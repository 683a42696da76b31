import { afterEach, beforeEach, describe, expect, jest, test } from 'bun:test'
import { createReadiness, type StoreAccess } from '#src/lib/domain/readiness.ts'

const T0 = Date.UTC(2026, 10, 21)
const AT_T0 = '2026-11-21T00:00:00.000Z'

beforeEach(() => void jest.useFakeTimers())
afterEach(() => void jest.useRealTimers())

/** Promises go on, timers do not. */
const settled = async () => {
  for (let i = 0; i < 20; i++) await Promise.resolve()
}
const pass = async (ms: number) => {
  jest.advanceTimersByTime(ms)
  await settled()
}

type Answer = () => Promise<boolean>
const yes: Answer = async () => true
const no: Answer = async () => false
const never: Answer = () => new Promise(() => undefined)
const broken: Answer = () => Promise.reject(new Error('bug'))
const brokenAtOnce: Answer = () => {
  throw new Error('bug')
}

function world(git: Answer, database: Answer, access: StoreAccess | 'broken' = 'open') {
  const answers = {
    git,
    database,
    access,
    catalog: 'readable' as 'loading' | 'readable' | 'unreadable',
  }
  const asked = { git: 0, database: 0, secretStore: 0 }
  const clock = { time: T0, now: () => clock.time }
  const readiness = createReadiness({
    clock,
    git: () => {
      asked.git++
      return answers.git()
    },
    catalog: () => answers.catalog,
    database: () => {
      asked.database++
      return answers.database()
    },
    async secretStore() {
      asked.secretStore++
      if (answers.access === 'broken') throw new Error('bug')
      return answers.access
    },
  })
  return { readiness, answers, asked, clock }
}

test('not ready while the git host names a commit that it does not give', async () => {
  const { readiness, answers } = world(yes, yes)
  await readiness.start()
  answers.catalog = 'unreadable'
  expect(readiness.state()).toBe('catalog_unreadable')
  answers.catalog = 'readable'
  expect(readiness.state()).toBe('ready')
})

test('starting, until the catalog is there', async () => {
  const { readiness, answers } = world(yes, yes)
  answers.catalog = 'loading'
  await readiness.start()
  expect(readiness.state()).toBe('starting')
  answers.catalog = 'readable'
  expect(readiness.state()).toBe('ready')
})

test('starting, until both have answered once', async () => {
  const { readiness } = world(yes, never)
  expect(readiness.state()).toBe('starting')
  expect(readiness.checks()).toStrictEqual({ git: null, database: null, secretStore: null })
  const started = readiness.start()
  await settled()
  expect(readiness.state()).toBe('starting')
  await pass(3_000)
  await started
  expect(readiness.state()).toBe('database_unavailable')
})

describe('after the first check', () => {
  // prettier-ignore
  test.each([
    ['both are up',                yes,          yes,          'ready'],
    ['git is down',                no,           yes,          'git_host_unreachable'],
    ['the database is down',       yes,          no,           'database_unavailable'],
    ['both are down',              no,           no,           'git_host_unreachable'],
    ['asking git breaks',          broken,       yes,          'git_host_unreachable'],
    ['asking git breaks at once',  brokenAtOnce, yes,          'git_host_unreachable'],
    ['asking the database breaks', yes,          brokenAtOnce, 'database_unavailable'],
  ] as const)('%s', async (_, git, database, state) => {
    const { readiness } = world(git, database)
    await readiness.start()
    expect(readiness.state()).toBe(state)
    expect(readiness.checks()).toStrictEqual({
      git: { ok: git === yes, checkedAt: AT_T0 },
      database: { ok: database === yes, checkedAt: AT_T0 },
      secretStore: { ok: true, checkedAt: AT_T0 },
    })
  })
})

test('one that does not answer is down after its deadline, and not before', async () => {
  const { readiness, clock } = world(never, yes)
  void readiness.start()
  await pass(2_999)
  expect(readiness.state()).toBe('starting')
  clock.time += 3_000
  await pass(1)
  expect(readiness.state()).toBe('git_host_unreachable')
  expect(readiness.checks().git).toStrictEqual({ ok: false, checkedAt: '2026-11-21T00:00:03.000Z' })
})

test('every five seconds again: down, up, hanging, up', async () => {
  const { readiness, answers, asked } = world(yes, yes)
  await readiness.start()
  answers.database = no
  await pass(4_999)
  expect(readiness.state()).toBe('ready')
  await pass(1)
  expect(readiness.state()).toBe('database_unavailable')
  answers.database = yes
  await pass(5_000)
  expect(readiness.state()).toBe('ready')
  answers.git = never
  await pass(5_000)
  expect(readiness.state()).toBe('ready')
  await pass(3_000)
  expect(readiness.state()).toBe('git_host_unreachable')
  answers.git = yes
  await pass(5_000)
  expect(readiness.state()).toBe('ready')
  expect(asked).toStrictEqual({ git: 5, database: 5, secretStore: 1 })
})

describe('the secret store', () => {
  test.each([
    ['open', 'ready'],
    ['unknown', 'ready'],
    ['broken', 'ready'],
    ['refused', 'secret_store_refused'],
  ] as const)('%s: %s', async (access, state) => {
    const { readiness } = world(yes, yes, access)
    await readiness.start()
    expect(readiness.state()).toBe(state)
    expect(readiness.checks().secretStore?.ok).toBe(access === 'open')
  })

  test('is asked until it has opened once, and then no more', async () => {
    const { readiness, answers, asked } = world(yes, yes, 'refused')
    await readiness.start()
    answers.access = 'unknown'
    await pass(5_000)
    expect(readiness.state()).toBe('ready')
    answers.access = 'open'
    await pass(5_000)
    answers.access = 'refused'
    await pass(5_000)
    expect(readiness.state()).toBe('ready')
    expect(readiness.checks().secretStore).toStrictEqual({ ok: true, checkedAt: AT_T0 })
    expect(asked.secretStore).toBe(3)
  })
})

describe('draining', () => {
  test('is what it is from then on, and nobody is asked any more', async () => {
    const { readiness, asked } = world(yes, yes)
    await readiness.start()
    readiness.drain()
    expect(readiness.state()).toBe('draining')
    await pass(60_000)
    expect(asked).toStrictEqual({ git: 1, database: 1, secretStore: 1 })
  })

  test('also when it begins while the checks run', async () => {
    const { readiness, asked } = world(never, yes)
    const started = readiness.start()
    readiness.drain()
    await pass(3_000)
    await started
    await pass(60_000)
    expect(readiness.state()).toBe('draining')
    expect(asked).toStrictEqual({ git: 1, database: 1, secretStore: 1 })
  })
})
