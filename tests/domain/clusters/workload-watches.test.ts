import { describe, expect, test } from 'bun:test'
import type { AccessFailure, ClusterRequest } from '#src/lib/domain/clusters/access.ts'
import type { FeedEvent } from '#src/lib/domain/clusters/follow.ts'
import { RESOURCES } from '#src/lib/domain/clusters/resources.ts'
import type { Workload } from '#src/lib/domain/clusters/workloads/join.ts'
import {
  createWorkloadWatches,
  NAMESPACES_PER_PERSON_MAX,
} from '#src/lib/domain/clusters/workloads/watches.ts'
import { createFair } from '#src/lib/concurrency/fair.ts'
import type { ApiResource, ClusterFailure, Kubernetes } from '#src/lib/ports/clusters.ts'
import { err, ok, type Result } from '#src/lib/result.ts'
import {
  clusterRequest,
  grantedAccess,
  person,
  sessionOf,
  watchedSessions,
} from './cluster-request.ts'
import { deployment, pod } from './objects.ts'
import { until } from '#tests/support/until.ts'
import { valueOf } from '#tests/support/value-of.ts'

const TYPES = Object.keys(RESOURCES).length
const FORBIDDEN = { kind: 'cluster_forbidden', message: 'no' } as const

interface Change {
  readonly kind: 'set' | 'removed'
  readonly item: unknown
  readonly version: string
}

/** An API server with one deployment and one pod, whose changes a test sends. */
function world({ slotsMax = 20, times = {} } = {}) {
  const objects: Record<string, object[]> = {
    deployments: [deployment({}, {}, { uid: 'd-1' })],
    pods: [pod({ phase: 'Running' })],
  }
  const asked: string[] = []
  const failures = new Map<string, AccessFailure & ClusterFailure>()
  const watchFailures = new Map<string, ClusterFailure>()
  const senders = new Map<string, (change: Change) => void>()
  const tokens = { current: new AbortController() }
  const right = { isHeld: true }
  const sessions = watchedSessions()
  const bugs: unknown[] = []

  const kubernetes = {
    objects: ({ plural }: ApiResource) => ({
      async list(_: unknown, __: unknown, view: (item: object) => unknown) {
        asked.push(`list ${plural}`)
        const failure = failures.get(plural)
        if (failure !== undefined) return err(failure)
        const items = (objects[plural] ?? []).map(view)
        return ok({ items, next: null, resourceVersion: '7', bytes: 1 })
      },
      async *watch(
        { signal }: { readonly signal: AbortSignal },
        { resourceVersion }: { readonly resourceVersion: string },
        view: (item: object) => unknown,
      ) {
        asked.push(`watch ${plural} ${resourceVersion}`)
        const failure = watchFailures.get(plural)
        if (failure !== undefined) {
          yield err(failure)
          return
        }
        for (;;) {
          const next = Promise.withResolvers<Change | undefined>()
          senders.set(plural, next.resolve)
          signal.addEventListener('abort', () => next.resolve(undefined), { once: true })
          if (signal.aborted) return
          const change = await next.promise
          if (change === undefined) return
          const { kind, item, version } = change
          yield ok({ kind, item: view(item as object), resourceVersion: version, bytes: 1 })
        }
      },
    }),
  }
  const watches = createWorkloadWatches({
    kubernetes: kubernetes as unknown as Kubernetes,
    withAccess: async ({ signal }, act) =>
      act(
        grantedAccess({
          signal: AbortSignal.any([signal, tokens.current.signal]),
          expired: tokens.current.signal,
        }),
      ),
    sessions,
    mayContinue: async () => right.isHeld,
    streamSlots: createFair({ queue: 'streams', permits: 100, perPerson: slotsMax }),
    clock: { now: () => Date.UTC(2026, 10, 28) },
    onBug: (_, bug) => bugs.push(bug),
    times: { idleMs: 20, pauseMs: 1, askEveryMs: 5, retryMs: 5, recheckEveryMs: 5, ...times },
  })
  const by = (subject: string, more: Partial<ClusterRequest> = {}) =>
    clusterRequest({
      session: sessionOf({ principal: person(subject), idHash: subject }),
      ...more,
    })
  return {
    objects,
    asked,
    failures,
    watchFailures,
    senders,
    tokens,
    right,
    sessions,
    bugs,
    async open(subject = 's', more: Partial<ClusterRequest> = {}) {
      return valueOf(await watches.open(by(subject, more), null))
    },
    count: (what: string) => asked.filter((each) => each === what).length,
  }
}

function namesOf(current: Result<readonly Workload[], unknown> | null): readonly string[] {
  if (current?.ok !== true) throw new Error(JSON.stringify(current))
  return current.value.map(({ kind, name }) => `${kind} ${name}`)
}

const named = (name: string) => deployment({}, {}, { uid: name, name })

describe('a watch of a namespace', () => {
  test('lists each type once, and follows those that have objects', async () => {
    const at = world()
    const watch = await at.open()
    expect(namesOf(watch.current())).toStrictEqual(['Deployment shop', 'Pod shop-5d4f-x'])
    await until(() => at.senders.size === 2)
    expect(at.asked.filter((each) => each.startsWith('watch')).toSorted()).toStrictEqual([
      'watch deployments 7',
      'watch pods 7',
    ])
    watch.close()
  })

  test('is shared by all pages of a session, and by no other session', async () => {
    const at = world({ times: { askEveryMs: 10_000 } })
    const some = await Promise.all([at.open(), at.open()])
    expect(at.asked.filter((each) => each.startsWith('list'))).toHaveLength(TYPES)
    const other = await at.open('other')
    expect(at.asked.filter((each) => each.startsWith('list'))).toHaveLength(2 * TYPES)
    for (const each of [...some, other]) each.close()
  })

  test('tells of changes', async () => {
    const at = world()
    const watch = await at.open()
    const leave = new AbortController()
    const events = watch.changes(leave.signal)
    const next = async () => (await events.next()).value as FeedEvent<Workload>
    expect(await next()).toMatchObject({ kind: 'snapshot', items: [{ name: 'shop' }, {}] })
    await until(() => at.senders.has('deployments'))
    at.senders.get('deployments')?.({ kind: 'set', item: named('new'), version: '8' })
    expect(await next()).toMatchObject({ kind: 'set', item: { name: 'new' } })
    await Bun.sleep(5)
    at.senders.get('deployments')?.({ kind: 'removed', item: named('new'), version: '9' })
    expect(await next()).toMatchObject({ kind: 'removed', item: { name: 'new' } })
    leave.abort()
    expect(await events.next()).toStrictEqual({ done: true, value: null })
    watch.close()
  })

  test('goes on with the next token from the last version, without a list', async () => {
    const at = world({ times: { askEveryMs: 10_000 } })
    const watch = await at.open()
    await until(() => at.senders.size === 2)
    at.senders.get('deployments')?.({ kind: 'set', item: named('new'), version: '42' })
    await Bun.sleep(5)
    const { current } = at.tokens
    at.tokens.current = new AbortController()
    current.abort()
    await until(() => at.asked.includes('watch deployments 42'))
    expect(at.count('list deployments')).toBe(1)
    expect(namesOf(watch.current())).toContain('Deployment new')
    watch.close()
  })

  test('lists again when the version is gone', async () => {
    const at = world()
    at.watchFailures.set('deployments', { kind: 'cluster_expired' })
    const watch = await at.open()
    await until(() => at.count('list deployments') > 2)
    expect(watch.current()?.ok).toBe(true)
    watch.close()
  })

  test.each([
    [
      'without the right to watch',
      (at: ReturnType<typeof world>) => at.watchFailures.set('deployments', FORBIDDEN),
    ],
    ['without a free slot', () => {}],
  ] as const)('%s it asks again and again', async (what, prepare) => {
    const at = world({ slotsMax: what === 'without a free slot' ? 0 : 20 })
    prepare(at)
    const watch = await at.open()
    at.objects['deployments'] = [named('later')]
    await until(() => namesOf(watch.current()).includes('Deployment later'))
    watch.close()
  })

  test('leaves out what may not be read, and says why when that is all', async () => {
    const at = world()
    at.failures.set('pods', FORBIDDEN)
    const watch = await at.open()
    expect(namesOf(watch.current())).toStrictEqual(['Deployment shop'])
    for (const { plural } of Object.values(RESOURCES)) at.failures.set(plural, FORBIDDEN)
    at.watchFailures.set('deployments', FORBIDDEN)
    const refused = await at.open('nobody')
    expect(refused.current()).toStrictEqual(err(FORBIDDEN))
    watch.close()
    refused.close()
  })

  test('fails while the cluster cannot be asked, and comes back', async () => {
    const at = world()
    at.failures.set('jobs', { kind: 'cluster_timeout' })
    const watch = await at.open()
    expect(watch.current()).toStrictEqual(err({ kind: 'cluster_timeout' }))
    const events = watch.changes(new AbortController().signal)
    expect(await events.next()).toStrictEqual({ done: true, value: { kind: 'cluster_timeout' } })
    at.failures.clear()
    await until(() => watch.current()?.ok === true)
    watch.close()
  })

  test('keeps the beginning of a verdict', async () => {
    const at = world()
    const failed = (at: string) =>
      deployment(
        { conditions: [{ type: 'ReplicaFailure', status: 'True', lastTransitionTime: at }] },
        {},
        { uid: 'd-1' },
      )
    at.objects['deployments'] = [failed('2026-11-27T10:00:00Z')]
    const watch = await at.open()
    const sinceOf = () => {
      const current = watch.current()
      return current?.ok === true ? current.value[0]?.since : undefined
    }
    expect(sinceOf()).toBe('2026-11-27T10:00:00Z')
    await until(() => at.senders.has('deployments'))
    at.senders.get('deployments')?.({
      kind: 'set',
      item: failed('2026-11-27T11:00:00Z'),
      version: '8',
    })
    await Bun.sleep(5)
    expect(sinceOf()).toBe('2026-11-27T10:00:00Z')
    watch.close()
  })
})

describe('a watch of a namespace ends', () => {
  const isOver = async (at: ReturnType<typeof world>) => {
    const asked = at.asked.length
    await Bun.sleep(20)
    return at.asked.length === asked
  }

  test.each<[string, (at: ReturnType<typeof world>) => void]>([
    ['the session', ({ sessions }) => sessions.end('s')],
    ['the right to the cluster', ({ right }) => void (right.isHeld = false)],
  ])('with %s', async (_, end) => {
    const at = world()
    const watch = await at.open()
    const events = watch.changes(new AbortController().signal)
    await events.next()
    end(at)
    expect(await events.next()).toStrictEqual({ done: true, value: null })
    expect(await isOver(at)).toBe(true)
  })

  test('a while after its last reader, and holds no slot then', async () => {
    const at = world({ slotsMax: 2 })
    const first = await at.open()
    await until(() => at.senders.size === 2)
    first.close()
    await until(() => at.sessions.watches.size === 0)
    expect(await isOver(at)).toBe(true)
    at.senders.clear()
    const second = await at.open()
    await until(() => at.senders.size === 2)
    second.close()
  })

  test('a bug ends it, and is told', async () => {
    const at = world()
    at.objects['pods'] = [null as unknown as object]
    const watch = await at.open()
    await until(() => at.bugs.length > 0)
    expect(await isOver(at)).toBe(true)
    watch.close()
  })
})

test('one that nobody waits for any more is not waited for', async () => {
  const at = world()
  const watch = await at.open('s', { signal: AbortSignal.abort() })
  expect(watch.current()).toBeNull()
  watch.close()
})

describe('a person who has all their watches', () => {
  const open = (at: ReturnType<typeof world>, index: number) =>
    at.open('s', { namespace: `n-${index}` as ClusterRequest['namespace'] })
  const openAll = (at: ReturnType<typeof world>) =>
    Promise.all(Array.from({ length: NAMESPACES_PER_PERSON_MAX }, (_, index) => open(at, index)))

  test('gets no other while all are read', async () => {
    const at = world({ times: { askEveryMs: 10_000 } })
    const all = await openAll(at)
    expect(await open(at, all.length).catch(String)).toContain('too_many_streams')
    for (const each of all) each.close()
  })

  test('loses the oldest that nobody reads for another one', async () => {
    const at = world({ times: { askEveryMs: 10_000, idleMs: 10_000 } })
    const all = await openAll(at)
    for (const each of all.slice(3, 5)) each.close()
    const another = await open(at, all.length)
    const lists = at.count('list pods')
    const known = await open(at, 4)
    expect(at.count('list pods')).toBe(lists)
    expect(await open(at, 3).catch(String)).toContain('too_many_streams')
    at.sessions.end('s')
    for (const each of [...all, another, known]) each.close()
  })

  test('lists each namespace less often', async () => {
    const [few, many] = [
      world({ times: { askEveryMs: 100 } }),
      world({ times: { askEveryMs: 100 } }),
    ]
    const all = await openAll(many)
    const one = await few.open()
    await until(() => few.count('list jobs') > 5)
    expect(many.count('list jobs') / all.length).toBeLessThan(4)
    many.sessions.end('s')
    few.sessions.end('s')
    for (const each of [...all, one]) each.close()
  })
})
