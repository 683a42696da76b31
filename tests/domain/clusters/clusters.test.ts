import { describe, expect, test } from 'bun:test'
import type { Resolved } from '#src/lib/domain/access/sessions.ts'
import { createClusters } from '#src/lib/domain/clusters/clusters.ts'
import { Subdomain } from '#src/lib/names.ts'
import type {
  Cluster,
  ClusterAccess,
  ClusterFailure,
  Kubernetes,
  Watch,
} from '#src/lib/ports/clusters.ts'
import type { KubernetesPod } from '#src/lib/ports/kubernetes-objects.ts'
import { err, ok, type Result } from '#src/lib/result.ts'
import { askingOf, clusterOf, sessionOf } from './asking.ts'
import { pod } from './objects.ts'

const LOOK_MS = 10
const SHOP = Subdomain.of('shop-1')
const LOG = { container: null, follow: true, previous: false, tailLines: null }
const ENDS = Date.UTC(2026, 10, 21)

/** Clusters in which nothing happens, seen by somebody who may see one of them. */
function world({ streamsMax = 10, tokenMs = 60_000 } = {}) {
  const cluster = clusterOf('dev-east', { groups: ['*'] })
  const registry: { clusters: readonly Cluster[] } = { clusters: [cluster] }
  const session = sessionOf({ expiresAt: ENDS + 60_000 })
  const now: { session: Resolved } = { session: { kind: 'active', session } }
  const failure: { next: ClusterFailure | undefined } = { next: undefined }
  const answer = <Value>(value: Value): Result<Value, ClusterFailure> =>
    failure.next === undefined ? ok(value) : err(failure.next)

  // oxlint-disable-next-line require-yield
  async function* watchPods({ signal }: ClusterAccess): Watch<KubernetesPod> {
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
  }
  const port = {
    watchPods,
    pods: async (_, __, show) => answer({ items: [show(pod())], next: null, resourceVersion: '1' }),
    log: async ({ signal }) =>
      answer(
        new ReadableStream<Uint8Array>({
          start(log) {
            signal.addEventListener('abort', () => log.error(signal.reason), { once: true })
          },
        }),
      ),
  } satisfies Pick<Kubernetes, 'watchPods' | 'pods' | 'log'>
  const clusters = createClusters({
    registry: () => registry.clusters,
    kubernetes: port as unknown as Kubernetes,
    sessions: { again: async () => now.session },
    sessionTokens: {
      current: async () =>
        ok({
          idToken: 't',
          idTokenExpiresAt: ENDS + tokenMs,
          accessToken: 'a',
          refreshToken: null,
          expiresAt: ENDS + 60_000,
        }),
    },
    identity: { exchange: async () => err({ kind: 'identity_unreachable' }) },
    audit: { record: async () => ok(undefined) as never },
    clock: { now: () => ENDS },
    log: () => {},
    streamsMax,
    lookEveryMs: LOOK_MS,
  })
  const leave = new AbortController()
  const asking = askingOf({ session, cluster: cluster.id, signal: leave.signal })
  return {
    clusters,
    asking,
    registry,
    now,
    failure,
    [Symbol.dispose]: () => leave.abort(),
  }
}

type World = ReturnType<typeof world>

type Opened = Promise<Result<Promise<unknown>, { readonly kind: string }>>

async function openWatch({ clusters, asking }: World, signal?: AbortSignal): Opened {
  const feed = await clusters.followPods({ ...asking, ...(signal && { signal }) }, null, String)
  if (!feed.ok) return feed
  const told = feed.value(new AbortController().signal)
  return ok(
    (async () => {
      for (let next = await told.next(); next.done !== true; next = await told.next());
    })(),
  )
}

async function openLog({ clusters, asking }: World, signal?: AbortSignal): Opened {
  const log = await clusters.log({ ...asking, ...(signal && { signal }) }, SHOP, LOG)
  return log.ok ? ok(new Response(log.value).text()) : log
}

describe.each([
  ['watch', openWatch],
  ['log', openLog],
] as const)('a %s', (_, open) => {
  // prettier-ignore
  test.each<[string, (at: World) => void]>([
    ['the session is over',        ({ now }) => { now.session = { kind: 'invalid' } }],
    ['the cluster is not there',   ({ registry }) => { registry.clusters = [] }],
    ['the cluster is not theirs',  ({ registry }) => { registry.clusters = [clusterOf('dev-east', { groups: ['others'] })] }],
  ])('ends when %s any more', async (__, withdraw) => {
    using at = world({ streamsMax: 1 })
    const opened = await open(at)
    if (!opened.ok) throw new Error(opened.error.kind)
    await Bun.sleep(3 * LOOK_MS)
    expect(Bun.peek.status(opened.value)).toBe('pending')
    withdraw(at)
    await opened.value
    Object.assign(at.registry, { clusters: [clusterOf('dev-east', { groups: ['*'] })] })
    expect(await open(at)).toMatchObject({ ok: true })
  })

  test('goes on while the sessions cannot be asked', async () => {
    using at = world()
    at.now.session = { kind: 'unavailable' }
    const opened = await open(at)
    if (!opened.ok) throw new Error(opened.error.kind)
    await Bun.sleep(3 * LOOK_MS)
    expect(Bun.peek.status(opened.value)).toBe('pending')
  })

  test('ends with the token', async () => {
    using at = world({ streamsMax: 1, tokenMs: 500 })
    const opened = await open(at)
    if (!opened.ok) throw new Error(opened.error.kind)
    expect(await open(at)).toStrictEqual(err({ kind: 'too_many_streams' }))
    await opened.value
    expect(await open(at)).toMatchObject({ ok: true })
  })

  test('gives its place back when it cannot be opened', async () => {
    using at = world({ streamsMax: 1 })
    at.failure.next = { kind: 'cluster_timeout' }
    for (let times = 0; times < 3; times++) {
      expect(await open(at)).toStrictEqual(err({ kind: 'cluster_timeout' }))
    }
    at.failure.next = undefined
    expect(await open(at)).toMatchObject({ ok: true })
  })

  test('gives its place back when the client leaves', async () => {
    using at = world({ streamsMax: 1 })
    const leave = new AbortController()
    const opened = await open(at, leave.signal)
    leave.abort()
    if (opened.ok) await opened.value
    expect(await open(at)).toMatchObject({ ok: true })
  })

  test('of a client that has left already keeps no place', async () => {
    using at = world({ streamsMax: 1 })
    await open(at, AbortSignal.abort())
    expect(await open(at)).toMatchObject({ ok: true })
  })
})

test('a log that nobody reads gives its place back with the right to it', async () => {
  using at = world({ streamsMax: 1 })
  const unread = await at.clusters.log(at.asking, SHOP, LOG)
  expect(unread).toMatchObject({ ok: true })
  expect(await openLog(at)).toStrictEqual(err({ kind: 'too_many_streams' }))
  at.now.session = { kind: 'invalid' }
  await Bun.sleep(3 * LOOK_MS)
  expect(await openLog(at)).toMatchObject({ ok: true })
})
