import { describe, expect, test } from 'bun:test'
import type { SessionLookup } from '#src/lib/domain/access/sessions/sessions.ts'
import { createClusters } from '#src/lib/domain/clusters/clusters.ts'
import { Subdomain } from '#src/lib/names.ts'
import type { ApiResource, Cluster, ClusterFailure, Kubernetes } from '#src/lib/ports/clusters.ts'
import { err, ok, type Result } from '#src/lib/result.ts'
import { clusterRequest, clusterOf, sessionOf, watchedSessions } from './cluster-request.ts'
import { condition, deployment, pod } from './objects.ts'
import { keptAudit } from '#tests/support/kept-audit.ts'
import { until } from '#tests/support/until.ts'
import { valueOf } from '#tests/support/value-of.ts'

const RECHECK_MS = 10
const ALL = { labelSelector: null }
const SHOP = Subdomain.of('shop-1')
const LOG = { container: null, follow: true, previous: false, tailLines: null }
const ENDS = Date.UTC(2026, 10, 21)

/** A deployment that was scaled up, 50 ms before a minute without progress is over. */
const SCALED = deployment(
  {
    replicas: 2,
    updatedReplicas: 2,
    readyReplicas: 1,
    availableReplicas: 1,
    conditions: [condition('Progressing', 'True', 'NewReplicaSetAvailable')],
  },
  {},
  { managedFields: [{ subresource: 'status', time: new Date(ENDS - 59_950).toISOString() }] },
)

/** Clusters in which nothing happens, seen by somebody who may see one of them. */
function world({ streamsMax = 10, tokenMs = 60_000 } = {}) {
  const cluster = clusterOf('dev-east', { groups: ['*'] })
  const registry: { clusters: readonly Cluster[] } = { clusters: [cluster] }
  const session = sessionOf({ expiresAt: ENDS + 60_000 })
  const now: { session: SessionLookup; lists: number } = {
    session: { kind: 'active', session },
    lists: 0,
  }
  const failure: { next: ClusterFailure | undefined } = { next: undefined }
  const answer = <Value>(value: Value): Result<Value, ClusterFailure> =>
    failure.next === undefined ? ok(value) : err(failure.next)

  const quiet = (...objects: readonly object[]) => ({
    list: async (_: unknown, __: unknown, view: (item: object) => unknown) => {
      now.lists += 1
      return answer({ items: objects.map(view), next: null, resourceVersion: '1', bytes: 1 })
    },
    // oxlint-disable-next-line require-yield
    async *watch({ signal }: { readonly signal: AbortSignal }) {
      await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
    },
  })
  const port = {
    aheadMs: () => 0,
    objects: ({ plural }: ApiResource) => {
      if (plural === 'pods') return quiet(pod())
      return plural === 'deployments' ? quiet(SCALED) : quiet()
    },
    log: async ({ signal }: { readonly signal: AbortSignal }) =>
      answer(
        new ReadableStream<Uint8Array>({
          start(log) {
            signal.addEventListener('abort', () => log.error(signal.reason), { once: true })
          },
        }),
      ),
  }
  const clusters = createClusters({
    registry: () => registry.clusters,
    kubernetes: port as unknown as Kubernetes,
    sessions: { ...watchedSessions(), reread: async () => now.session },
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
    audit: keptAudit().audit,
    catalogTeams: () => null,
    platformGroup: 'platform-team',
    clock: { now: () => ENDS },
    log: () => {},
    streamsMax,
    recheckEveryMs: RECHECK_MS,
  })
  const leave = new AbortController()
  const request = clusterRequest({ session, cluster: cluster.id, signal: leave.signal })
  return {
    clusters,
    request,
    registry,
    now,
    failure,
    [Symbol.dispose]: () => leave.abort(),
  }
}

type World = ReturnType<typeof world>

type OpenedStream = Promise<Result<Promise<unknown>, { readonly kind: string }>>

async function openWatch({ clusters, request }: World, signal?: AbortSignal): OpenedStream {
  const feed = await clusters.pods.follow({ ...request, ...(signal && { signal }) }, ALL)
  if (!feed.ok) return feed
  const events = feed.value(new AbortController().signal)
  return ok(
    (async () => {
      for (let next = await events.next(); next.done !== true; next = await events.next());
    })(),
  )
}

async function openLog({ clusters, request }: World, signal?: AbortSignal): OpenedStream {
  const log = await clusters.log({ ...request, ...(signal && { signal }) }, SHOP, LOG)
  return log.ok ? ok(new Response(log.value).text()) : log
}

describe.each([
  ['watch', openWatch],
  ['log', openLog],
] as const)('a %s', (_, open) => {
  // `access.test.ts` has the other reasons.
  test('ends when the cluster is not there any more', async () => {
    using at = world({ streamsMax: 1 })
    const opened = valueOf(await open(at))
    await Bun.sleep(3 * RECHECK_MS)
    expect(Bun.peek.status(opened)).toBe('pending')
    const { clusters } = at.registry
    at.registry.clusters = []
    await opened
    at.registry.clusters = clusters
    expect(await open(at)).toMatchObject({ ok: true })
  })

  test('ends with the token', async () => {
    using at = world({ streamsMax: 1, tokenMs: 500 })
    const opened = valueOf(await open(at))
    expect(await open(at)).toStrictEqual(err({ kind: 'too_many_streams' }))
    await opened
    expect(await open(at)).toMatchObject({ ok: true })
  })

  test('gives its slot back when it cannot be opened', async () => {
    using at = world({ streamsMax: 1 })
    at.failure.next = { kind: 'cluster_timeout' }
    for (let times = 0; times < 3; times++) {
      expect(await open(at)).toStrictEqual(err({ kind: 'cluster_timeout' }))
    }
    at.failure.next = undefined
    expect(await open(at)).toMatchObject({ ok: true })
  })

  test('gives its slot back when the client leaves', async () => {
    using at = world({ streamsMax: 1 })
    const leave = new AbortController()
    const opened = await open(at, leave.signal)
    leave.abort()
    if (opened.ok) await opened.value
    expect(await open(at)).toMatchObject({ ok: true })
  })

  test('of a client that has left already keeps no slot', async () => {
    using at = world({ streamsMax: 1 })
    await open(at, AbortSignal.abort())
    expect(await open(at)).toMatchObject({ ok: true })
  })
})

test('a log that nobody reads gives its slot back with the right to it', async () => {
  using at = world({ streamsMax: 1 })
  const unread = await at.clusters.log(at.request, SHOP, LOG)
  expect(unread).toMatchObject({ ok: true })
  expect(await openLog(at)).toStrictEqual(err({ kind: 'too_many_streams' }))
  at.now.session = { kind: 'invalid' }
  await until(async () => (await openLog(at)).ok)
})

test('workloads that are followed take no slot of a feed', async () => {
  using at = world({ streamsMax: 2 })
  const { clusters, request } = at
  const workloads = valueOf(await clusters.workloads.follow(request, ALL))
  const events = workloads(request.signal)
  await events.next()
  // The watch has its slots now.
  await Bun.sleep(RECHECK_MS)
  expect(await openWatch(at)).toMatchObject({ ok: true })
  expect(await openWatch(at)).toStrictEqual(err({ kind: 'too_many_streams' }))
})

test('a deployment that makes no progress is degraded in time, in a list and without a change', async () => {
  using at = world()
  const { clusters, request } = at
  const listed = await clusters.deployments.list(request, { labelSelector: null, cursor: null })
  const opened = await clusters.deployments.follow(request, ALL)
  if (!listed.ok || !opened.ok) throw new Error('no list')
  const events = opened.value(request.signal)
  const sent: unknown[] = [(await events.next()).value, (await events.next()).value]
  const [view] = listed.value.items
  expect(view?.status).toBe('Progressing')
  expect(sent).toStrictEqual([
    { kind: 'snapshot', first: true, last: true, items: [view] },
    { kind: 'set', item: { ...view, status: 'Degraded' } },
  ])
})

test('equal lists of a session that are asked for at once are read twice at most', async () => {
  using at = world()
  const list = (labelSelector: string | null, idHash = at.request.session.idHash) =>
    at.clusters.pods.list(
      { ...at.request, session: { ...at.request.session, idHash } },
      { labelSelector, cursor: null },
    )
  const all = await Promise.all(Array.from({ length: 20 }, () => list(null)))
  expect(all.every(({ ok }) => ok)).toBe(true)
  expect(at.now.lists).toBe(2)
  await Promise.all([list(null), list('app=shop'), list(null, 'of-another')])
  expect(at.now.lists).toBe(5)
})
