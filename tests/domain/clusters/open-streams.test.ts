import { expect, jest, test } from 'bun:test'
import type { ClusterRequest } from '#src/lib/domain/clusters/access.ts'
import { createOpenStreams, type OpenStream } from '#src/lib/domain/clusters/open-streams.ts'
import { createFair } from '#src/lib/concurrency/fair.ts'
import { Label } from '#src/lib/names.ts'
import { err, ok } from '#src/lib/result.ts'
import {
  clusterOf,
  clusterRequest,
  grantedAccess,
  person,
  sessionOf,
  watchedSessions,
} from './cluster-request.ts'
import { until } from '#tests/support/until.ts'

const RECHECK_MS = 10
const by = (subject: string, cluster = 'dev-east') =>
  clusterRequest({
    session: sessionOf({ principal: person(subject), idHash: subject }),
    cluster: Label.of(cluster),
  })

function world(limits: { readonly perPersonMax: number; readonly max: number }) {
  const rechecks: string[] = []
  const open: OpenStream<null>[] = []
  const withdrawn = new Set<string>()
  const bugs: unknown[] = []
  const rightOf = ({ session, cluster }: ClusterRequest) => `${session.idHash} ${cluster}`
  const sessions = watchedSessions()
  const streams = createOpenStreams({
    streamSlots: createFair({
      queue: 'streams',
      permits: limits.max,
      perPerson: limits.perPersonMax,
    }),
    sessions,
    withAccess: async ({ cluster, signal }, act) =>
      act(grantedAccess({ cluster: clusterOf(cluster), signal })),
    recheckEveryMs: RECHECK_MS,
    mayContinue: async (request, cluster) => {
      expect(cluster.id).toBe(request.cluster)
      rechecks.push(rightOf(request))
      if (withdrawn.has('bug')) throw new TypeError('a bug')
      return !withdrawn.has(rightOf(request))
    },
    onBug: ({ cluster }, bug) => bugs.push([cluster, bug]),
  })
  const tryOpen = (request: ClusterRequest) => streams.open(request, async () => ok(null))
  const begin = async (request: ClusterRequest) => {
    const opened = await tryOpen(request)
    if (!opened.ok) throw new Error(opened.error.kind)
    open.push(opened.value)
    return opened.value
  }
  return {
    streams,
    sessions,
    tryOpen,
    begin,
    rechecks,
    bugs,
    withdrawn,
    [Symbol.dispose]() {
      for (const { close } of open) close()
    },
  }
}

const TOO_MANY = err({ kind: 'too_many_streams' })

test('each person has slots of their own, and each is released once', async () => {
  using at = world({ perPersonMax: 2, max: 10 })
  const first = await at.begin(by('a'))
  await at.begin(by('a', 'prod-west'))
  expect(await at.tryOpen(by('a'))).toStrictEqual(TOO_MANY)
  await at.begin(by('b'))
  first.close()
  first.close()
  await at.begin(by('a'))
  expect(await at.tryOpen(by('a'))).toStrictEqual(TOO_MANY)
})

test('all slots together are limited too', async () => {
  using at = world({ perPersonMax: 2, max: 3 })
  const [first] = await Promise.all(['a', 'b', 'c'].map((subject) => at.begin(by(subject))))
  expect(await at.tryOpen(by('d'))).toStrictEqual(TOO_MANY)
  first?.close()
  await at.begin(by('d'))
})

test('a slot is taken before the request, and released when the stream cannot be opened', async () => {
  using at = world({ perPersonMax: 1, max: 1 })
  const failure = Promise.withResolvers<{ readonly kind: 'no' }>()
  const opening = at.streams.open(by('a'), async () => err(await failure.promise))
  expect(await at.tryOpen(by('a'))).toStrictEqual(TOO_MANY)
  failure.resolve({ kind: 'no' })
  expect(await opening).toStrictEqual(err({ kind: 'no' }))
  const bug = at.streams.open(by('a'), () => Promise.reject(new TypeError('a bug')))
  expect(await bug.catch((error: unknown) => error)).toBeInstanceOf(TypeError)
  await at.begin(by('a'))
})

test('SEC-A4 streams end with their session, and no others', async () => {
  using at = world({ perPersonMax: 5, max: 10 })
  const requests = [by('a'), by('a', 'prod-west'), by('b')]
  const open = await Promise.all(requests.map((one) => at.begin(one)))
  at.sessions.end('a')
  expect(open.map(({ access }) => access.signal.aborted)).toStrictEqual([true, true, false])
  expect(at.sessions.watches.size).toBe(1)
})

test('SEC-A4 a session that ends while its stream is opened ends the opening', async () => {
  using at = world({ perPersonMax: 1, max: 10 })
  const opening = at.streams.open(by('a'), async ({ signal }) => {
    await new Promise((resolve) => signal.addEventListener('abort', resolve))
    return err({ kind: 'cluster_timeout' })
  })
  at.sessions.end('a')
  expect(await opening).toStrictEqual(err({ kind: 'cluster_timeout' }))
  expect(at.sessions.watches.size).toBe(0)
})

test('streams end when their right is withdrawn, no others, and not by a bug', async () => {
  using at = world({ perPersonMax: 5, max: 10 })
  const requests = [by('a'), by('a'), by('a', 'prod-west'), by('b')]
  const open = await Promise.all(requests.map((one) => at.begin(one)))
  const ended = () => open.map(({ access }) => access.signal.aborted)
  at.withdrawn.add('bug')
  await until(() => at.bugs.length > 1)
  expect(ended()).toStrictEqual([false, false, false, false])
  expect(at.bugs[0]).toStrictEqual(['dev-east', new TypeError('a bug')])
  at.withdrawn.delete('bug')
  at.withdrawn.add('a dev-east')
  await until(() => ended().filter(Boolean).length === 2)
  expect(ended()).toStrictEqual([true, true, false, false])
})

test('a stream ends with its request too, and releases its slot', async () => {
  using at = world({ perPersonMax: 1, max: 10 })
  const leave = new AbortController()
  const {
    access: { signal },
  } = await at.begin({ ...by('a'), signal: leave.signal })
  leave.abort()
  expect(signal.aborted).toBe(true)
  await at.begin(by('a'))
})

test('a closed stream leaves no listener on its signal', async () => {
  const signal = new AbortController().signal
  const listeners = new Set<unknown>()
  signal.addEventListener = (_: string, listener: unknown) => void listeners.add(listener)
  signal.removeEventListener = (_: string, listener: unknown) => void listeners.delete(listener)
  const streams = createOpenStreams({
    sessions: watchedSessions(),
    withAccess: async (_, act) => act(grantedAccess({ signal })),
    streamSlots: createFair({ queue: 'streams', permits: 1, perPerson: 20 }),
    mayContinue: async () => true,
    onBug: () => {},
  })
  const opened = await streams.open(by('a'), async () => ok(null))
  expect(listeners.size).toBe(1)
  if (opened.ok) opened.value.close()
  expect(listeners.size).toBe(0)
})

test('people of two issuers are two people, whatever they are called', async () => {
  using at = world({ perPersonMax: 1, max: 10 })
  const request = by('a')
  await at.begin(request)
  const { session } = request
  const principal = { ...session.principal, issuer: 'https://other.example' }
  await at.begin({ ...request, session: { ...session, principal } })
})

test('without open streams no timer runs', async () => {
  jest.useFakeTimers()
  try {
    using at = world({ perPersonMax: 5, max: 10 })
    const open = await Promise.all([by('a'), by('b')].map((one) => at.begin(one)))
    expect(jest.getTimerCount()).toBe(2)
    for (const { close } of open) close()
    expect(jest.getTimerCount()).toBe(0)
  } finally {
    jest.useRealTimers()
  }
})
