import { expect, jest, test } from 'bun:test'
import type { Asking } from '#src/lib/domain/clusters/access.ts'
import { createOpenStreams, type Held } from '#src/lib/domain/clusters/open-streams.ts'
import { Label } from '#src/lib/names.ts'
import { err, ok } from '#src/lib/result.ts'
import { askingOf, clusterOf, person, sessionOf } from './asking.ts'

const LOOK_MS = 10
const by = (subject: string, cluster = 'dev-east') =>
  askingOf({
    session: sessionOf({ principal: person(subject), idHash: subject }),
    cluster: Label.of(cluster),
  })

function world(limits: { readonly perPerson: number; readonly all: number }) {
  const looks: string[] = []
  const open: Held<AbortSignal>[] = []
  const withdrawn = new Set<string>()
  const bugs: unknown[] = []
  const rightOf = ({ session, cluster }: Asking) => `${session.idHash} ${cluster}`
  const streams = createOpenStreams({
    ...limits,
    lookEveryMs: LOOK_MS,
    mayGoOn: async (asking, cluster) => {
      expect(cluster.id).toBe(asking.cluster)
      looks.push(rightOf(asking))
      if (withdrawn.has('bug')) throw new TypeError('a bug')
      return !withdrawn.has(rightOf(asking))
    },
    onBug: ({ cluster }, bug) => bugs.push([cluster, bug]),
  })
  const tryOpen = (asked: Asking) =>
    streams.open<AbortSignal, never>(asked, async ({ signal }) =>
      ok({ cluster: clusterOf(asked.cluster), signal, value: signal }),
    )
  const begin = async (asked: Asking) => {
    const opened = await tryOpen(asked)
    if (!opened.ok) throw new Error(opened.error.kind)
    open.push(opened.value)
    return opened.value
  }
  return {
    streams,
    tryOpen,
    begin,
    looks,
    bugs,
    withdrawn,
    [Symbol.dispose]() {
      for (const { end } of open) end()
    },
  }
}

const TOO_MANY = err({ kind: 'too_many_streams' })

test('each person has places of their own, each of which is given back once', async () => {
  using at = world({ perPerson: 2, all: 10 })
  const first = await at.begin(by('a'))
  await at.begin(by('a', 'prod-west'))
  expect(await at.tryOpen(by('a'))).toStrictEqual(TOO_MANY)
  await at.begin(by('b'))
  first.end()
  first.end()
  await at.begin(by('a'))
  expect(await at.tryOpen(by('a'))).toStrictEqual(TOO_MANY)
})

test('all places together are limited too', async () => {
  using at = world({ perPerson: 2, all: 3 })
  const [first] = await Promise.all(['a', 'b', 'c'].map((subject) => at.begin(by(subject))))
  expect(await at.tryOpen(by('d'))).toStrictEqual(TOO_MANY)
  first?.end()
  await at.begin(by('d'))
})

test('a place is taken before anything is asked, and given back when it was in vain', async () => {
  using at = world({ perPerson: 1, all: 1 })
  const failure = Promise.withResolvers<{ readonly kind: 'no' }>()
  const opening = at.streams.open(by('a'), async () => err(await failure.promise))
  expect(await at.tryOpen(by('a'))).toStrictEqual(TOO_MANY)
  failure.resolve({ kind: 'no' })
  expect(await opening).toStrictEqual(err({ kind: 'no' }))
  const bug = at.streams.open(by('a'), () => Promise.reject(new TypeError('a bug')))
  expect(await bug.catch((error: unknown) => error)).toBeInstanceOf(TypeError)
  await at.begin(by('a'))
})

test('streams end when their right is withdrawn, and no others', async () => {
  using at = world({ perPerson: 5, all: 10 })
  const asked = [by('a'), by('a'), by('a', 'prod-west'), by('b')]
  const open = await Promise.all(asked.map((one) => at.begin(one)))
  const ended = () => open.map(({ signal }) => signal.aborted)
  await Bun.sleep(5 * LOOK_MS)
  expect(ended()).toStrictEqual([false, false, false, false])
  at.withdrawn.add('a dev-east')
  await Bun.sleep(5 * LOOK_MS)
  expect(ended()).toStrictEqual([true, true, false, false])
})

test('nothing is looked at any more when it has ended', async () => {
  jest.useFakeTimers()
  const pass = async (looks: number) => {
    for (let look = 0; look < looks; look++) {
      jest.advanceTimersByTime(LOOK_MS)
      await new Promise(setImmediate)
    }
  }
  try {
    using at = world({ perPerson: 5, all: 10 })
    const open = await Promise.all([by('a'), by('b')].map((one) => at.begin(one)))
    await pass(1)
    expect(at.looks).toStrictEqual(['a dev-east', 'b dev-east'])
    for (const { end } of open) end()
    await pass(5)
    expect(at.looks).toHaveLength(2)
    await at.begin(by('a'))
    await pass(5)
    expect(at.looks.length).toBeGreaterThan(2)
  } finally {
    jest.useRealTimers()
  }
})

test('a bug in looking is told, and ends neither the streams nor the looking', async () => {
  using at = world({ perPerson: 5, all: 10 })
  const { signal } = await at.begin(by('a'))
  at.withdrawn.add('bug')
  await Bun.sleep(5 * LOOK_MS)
  expect(signal.aborted).toBe(false)
  expect(at.bugs[0]).toStrictEqual(['dev-east', new TypeError('a bug')])
  at.withdrawn.delete('bug')
  at.withdrawn.add('a dev-east')
  await Bun.sleep(5 * LOOK_MS)
  expect(signal.aborted).toBe(true)
})

test('what was asked ends with its request too, and gives its place back', async () => {
  using at = world({ perPerson: 1, all: 10 })
  const leave = new AbortController()
  const { signal } = await at.begin({ ...by('a'), signal: leave.signal })
  leave.abort()
  expect(signal.aborted).toBe(true)
  await at.begin(by('a'))
})

test('who has ended is forgotten by the signal that would have ended it', async () => {
  using at = world({ perPerson: 5, all: 10 })
  const signal = new AbortController().signal
  const listeners = new Set<unknown>()
  signal.addEventListener = (_: string, listener: unknown) => void listeners.add(listener)
  signal.removeEventListener = (_: string, listener: unknown) => void listeners.delete(listener)
  const cluster = clusterOf('dev-east')
  const opened = await at.streams.open(by('a'), async () => ok({ cluster, signal, value: null }))
  expect(listeners.size).toBe(1)
  if (opened.ok) opened.value.end()
  expect(listeners.size).toBe(0)
})

test('people of two issuers are two people, whatever they are called', async () => {
  using at = world({ perPerson: 1, all: 10 })
  const asking = by('a')
  await at.begin(asking)
  const { session } = asking
  const principal = { ...session.principal, issuer: 'https://other.example' }
  await at.begin({ ...asking, session: { ...session, principal } })
})

test('while nothing is open no clock runs', async () => {
  jest.useFakeTimers()
  try {
    using at = world({ perPerson: 5, all: 10 })
    const open = await Promise.all([by('a'), by('b')].map((one) => at.begin(one)))
    expect(jest.getTimerCount()).toBe(1)
    for (const { end } of open) end()
    expect(jest.getTimerCount()).toBe(0)
  } finally {
    jest.useRealTimers()
  }
})
