import { afterEach, describe, expect, jest, test } from 'bun:test'
import { createAdmission } from '#src/lib/http/admission.ts'

afterEach(() => void jest.useRealTimers())

/** An admission whose clock and turns of the event loop are those of the test. Each request works for as long as it is told to. */
function world({ requestsMax = 32, lagMaxMs = 50, workMs = 0.1 } = {}) {
  jest.useFakeTimers()
  let time = 1_000
  let tasks: (() => void)[] = []
  const admission = createAdmission({
    requestsMax,
    lagMaxMs,
    now: () => time,
    soon: (task) => void tasks.push(task),
  })
  const log: string[] = []
  const begin = (name: string) => {
    log.push(name)
    time += workMs
  }
  /** A request that is answered without waiting for anything. */
  async function ask(name: string, person = name, signal = new AbortController().signal) {
    if (!admission.enter(person)) {
      const isAdmitted = await admission.wait(person, signal).catch(() => null)
      if (isAdmitted === null) return
      if (!isAdmitted) return void log.push(`${name} refused`)
    }
    begin(name)
    admission.leave(person)
  }
  /** Begins and goes on. */
  async function hold(name: string, person = name) {
    const isAdmitted =
      admission.enter(person) || (await admission.wait(person, new AbortController().signal))
    if (isAdmitted) begin(name)
    else log.push(`${name} refused`)
  }
  async function turn() {
    const due = tasks
    tasks = []
    for (const task of due) {
      task()
      for (let tick = 0; tick < 8; tick += 1) await Promise.resolve()
    }
  }
  return {
    admission,
    log,
    ask,
    hold: (name: string, person?: string) => void hold(name, person),
    turn,
    tasks: () => tasks.length,
    pass: (ms: number) => {
      time += ms
    },
    /** The timers fire after this time, however long they were to wait. */
    lag: (ms: number) => {
      time += ms
      jest.advanceTimersByTime(50)
    },
  }
}

test('with little to do each request begins at once', async () => {
  const { ask, pass, log, tasks } = world()
  for (let at = 0; at < 100; at += 1) {
    void ask(`${at}`, 'ann')
    pass(1)
  }
  expect([log.length, tasks()]).toStrictEqual([100, 0])
})

test('while the loop is busy requests begin by turns of persons', async () => {
  const { ask, turn, log } = world({ requestsMax: 128 })
  for (let at = 0; at < 50; at += 1) void ask(`hog-${at}`, 'hog')
  const atOnce = log.length
  expect(atOnce).toBeLessThan(8)
  void ask('ann')
  void ask('bob')
  while (log.length < 52) await turn()
  expect([log.indexOf('ann'), log.indexOf('bob')]).toStrictEqual([atOnce + 1, atOnce + 2])
})

test('further requests are read after a few of those that wait', async () => {
  const { ask, turn, log } = world({ requestsMax: 128, workMs: 1 })
  for (let at = 0; at < 50; at += 1) void ask(`hog-${at}`, 'hog')
  const before = log.length
  await turn()
  expect(log.length).toBe(before + 1)
})

test.each([
  [8, 2],
  [32, 2],
  [200, 12],
])(
  'of %i that are under way one person has %i, and others begin meanwhile',
  async (requestsMax, most) => {
    const { hold, pass, turn, log } = world({ requestsMax })
    for (let at = 0; at <= most + 2; at += 1) {
      hold(`hog-${at}`, 'hog')
      pass(1)
    }
    hold('ann')
    await turn()
    const begun = Array.from({ length: most }, (_, at) => `hog-${at}`)
    expect(log).toStrictEqual([...begun, 'ann'])
  },
)

test('of those that are too many, the longest waiting of the most demanding are refused', async () => {
  const { hold, turn, log } = world({ requestsMax: 8 })
  for (let at = 0; at < 2_060; at += 1) hold(`hog-${at}`, 'hog')
  hold('ann')
  await turn()
  const refused = log.filter((line) => line.endsWith('refused'))
  expect(refused.length).toBe(2_060 + 1 - 2 - 8 * 256)
  expect(log).toContain('ann')
  expect(refused).not.toContain('hog-2059 refused')
})

test('a request whose client has left is not begun', async () => {
  const { hold, ask, turn, log, admission } = world({ requestsMax: 8 })
  hold('hog-0', 'hog')
  hold('hog-1', 'hog')
  const leaving = new AbortController()
  const left = ask('hog-2', 'hog', leaving.signal)
  leaving.abort()
  await left
  admission.leave('hog')
  await turn()
  expect(log).toStrictEqual(['hog-0', 'hog-1'])
})

test('a request that waits for more than five seconds is refused', async () => {
  const { hold, lag, log } = world({ requestsMax: 8, lagMaxMs: 10_000 })
  for (let at = 0; at < 3; at += 1) hold(`hog-${at}`, 'hog')
  lag(4_900)
  await Promise.resolve()
  expect(log).toStrictEqual(['hog-0', 'hog-1'])
  lag(200)
  await Promise.resolve()
  await Promise.resolve()
  expect(log).toStrictEqual(['hog-0', 'hog-1', 'hog-2 refused'])
})

describe('a loop that lags', () => {
  test('takes half of the requests at a time, and more again when it is back', async () => {
    const { hold, pass, lag, turn, log, admission } = world({ requestsMax: 64 })
    const persons = Array.from({ length: 64 }, (_, at) => `p-${at}`)
    for (const person of persons) {
      hold(person)
      pass(1)
    }
    expect(log).toHaveLength(64)
    lag(500)
    for (const person of persons.slice(0, 30)) admission.leave(person)
    hold('late')
    await turn()
    expect(log).toHaveLength(64)
    for (let check = 0; check < 4; check += 1) lag(50)
    await turn()
    expect(log.at(-1)).toBe('late')
  })

  test('never takes none', async () => {
    const { hold, lag, pass, log, turn, admission } = world({ requestsMax: 8 })
    for (let check = 0; check < 20; check += 1) {
      hold(`p-${check}`)
      lag(1_000)
      admission.leave(`p-${check}`)
      pass(1)
      await turn()
    }
    expect(log.filter((line) => !line.endsWith('refused'))).toHaveLength(20)
  })
})
