import { expect, test } from 'bun:test'
import type { SessionLookup } from '#src/lib/domain/access/sessions/sessions.ts'
import { createPageEvents, type PageEvent } from '#src/lib/domain/events/page-events.ts'
import type { Topic } from '#src/lib/domain/events/parse-topics.ts'
import type { OpenTopic, TopicCaller, TopicEnd, TopicEvent } from '#src/lib/domain/events/topic.ts'
import { person, sessionOf } from '#tests/domain/clusters/cluster-request.ts'

const RETRY_MS = 1
const UNREACHABLE = { kind: 'cluster_unreachable', reason: 'connection_refused' } as const

type Attempt = readonly (TopicEvent | TopicEnd | Error)[]
const event = (type: string, position?: string): TopicEvent => ({
  type,
  value: {},
  ...(position !== undefined && { position }),
})
const OVER: TopicEnd = { kind: 'over' }
const refused: TopicEnd = { kind: 'refused', failure: { kind: 'cluster_not_found' } }
const failed = (failure: Extract<TopicEnd, { kind: 'failed' }>['failure']): TopicEnd => ({
  kind: 'failed',
  failure,
})

/** A topic whose attempts go as a test says; a further one waits for the end. */
function topic(key: string, ...attempts: readonly Attempt[]) {
  const callers: TopicCaller[] = []
  const afters: (string | null)[] = []
  const open: OpenTopic = async function* (caller, after, signal) {
    callers.push(caller)
    afters.push(after)
    for (const step of attempts[callers.length - 1] ?? []) {
      if (step instanceof Error) throw step
      if ('kind' in step) return step
      yield step
    }
    await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }))
    return OVER
  }
  const opened: Topic = { name: key, key, kind: key.split(':')[0] ?? '', open }
  return { ...opened, callers, afters }
}

function world(lookup: () => SessionLookup = () => ({ kind: 'unavailable' })) {
  const bugs: unknown[] = []
  const ending = new AbortController()
  const events = createPageEvents({
    sessions: { reread: async () => lookup() },
    onBug: (bug) => bugs.push(bug),
    retryFirstMs: RETRY_MS,
  })
  const caller = { session: sessionOf(), requestId: 'r', address: null, trace: null }
  const open = (topics: readonly Topic[], lastEventId = '') =>
    events.open(caller, topics, lastEventId, ending.signal)
  return { bugs, ending, open }
}

/** Takes so many events, and ends the page. */
async function story(at: ReturnType<typeof world>, topics: readonly Topic[], count: number) {
  const told: PageEvent[] = []
  for await (const one of at.open(topics)) if (told.push(one) === count) break
  at.ending.abort()
  return told.map((one) => {
    const what = one.kind === 'event' ? one.event.type : `${one.kind} ${one.failure.kind}`
    return `${one.topic.name} ${what}`
  })
}

test('a topic that is refused says so once, and the others go on', async () => {
  const at = world()
  const secret = topic('pods:a/b', [event('snapshot'), refused])
  const catalog = topic('catalog', [event('changed'), event('changed')])
  expect((await story(at, [secret, catalog], 4)).toSorted()).toStrictEqual([
    'catalog changed',
    'catalog changed',
    'pods:a/b refused cluster_not_found',
    'pods:a/b snapshot',
  ])
  expect(secret.callers).toHaveLength(1)
})

test('a page ends when all its topics have', async () => {
  const at = world()
  const told = await Array.fromAsync(at.open([topic('run:1', [event('done'), OVER])]))
  expect(told.map(({ kind }) => kind)).toStrictEqual(['event'])
})

test('a topic that fails is tried again; the same failure is told once until it goes well', async () => {
  const at = world()
  const dark = [failed(UNREACHABLE)]
  const pods = topic(
    'pods:a/b',
    dark,
    dark,
    [failed({ kind: 'cluster_timeout' })],
    [event('snapshot'), failed({ kind: 'cluster_timeout' })],
    [event('snapshot')],
  )
  expect(await story(at, [pods], 5)).toStrictEqual([
    'pods:a/b failed cluster_unreachable',
    'pods:a/b failed cluster_timeout',
    'pods:a/b snapshot',
    'pods:a/b failed cluster_timeout',
    'pods:a/b snapshot',
  ])
})

test('a topic whose token ends begins anew with the session as it is then', async () => {
  const renewed = sessionOf({ principal: person('renewed') })
  const at = world(() => ({ kind: 'active', session: renewed }))
  const pods = topic('pods:a/b', [event('snapshot'), { kind: 'interrupted' }], [event('snapshot')])
  expect(await story(at, [pods], 2)).toStrictEqual(['pods:a/b snapshot', 'pods:a/b snapshot'])
  expect(pods.callers.map(({ session }) => session.principal.subject)).toStrictEqual([
    's',
    'renewed',
  ])
})

test('a topic of a session that has ended is not tried again', async () => {
  const at = world(() => ({ kind: 'invalid' }))
  const pods = topic('pods:a/b', [{ kind: 'interrupted' }], [event('snapshot')])
  expect(await Array.fromAsync(at.open([pods]))).toStrictEqual([])
})

test('a bug in one topic is reported, and costs the others nothing', async () => {
  const at = world()
  const broken = topic('run:1', [new TypeError('a bug')], [event('done')])
  expect((await story(at, [broken, topic('catalog', [event('changed')])], 2)).toSorted()).toEqual([
    'catalog changed',
    'run:1 done',
  ])
  expect(at.bugs).toStrictEqual([new TypeError('a bug')])
})

test('a bug in looking the session up is reported, and the topic is tried again', async () => {
  const bug = new Error('look-up')
  const at = world(() => {
    throw bug
  })
  const failing = topic('pods:a/b', [failed({ kind: 'cluster_timeout' })], [event('snapshot')])
  expect(await story(at, [failing], 2)).toStrictEqual([
    'pods:a/b failed cluster_timeout',
    'pods:a/b snapshot',
  ])
  expect(at.bugs).toStrictEqual([bug])
})

test('an id covers all topics, and leads to what comes after it', async () => {
  const first = world()
  const ids: string[] = []
  for await (const { id } of first.open([
    topic('run:1', [event('step', '1'), event('step', '2')]),
    topic('catalog', [event('changed', 'abc')]),
    topic('pods:a/b', [event('snapshot')]),
  ])) {
    if (ids.push(id) === 4) break
  }
  first.ending.abort()
  const again = world()
  const topics = [topic('pods:a/b', [event('snapshot')]), topic('catalog'), topic('run:1')]
  for await (const told of again.open(topics, ids.at(-1))) {
    expect(told.id).not.toBe('')
    break
  }
  again.ending.abort()
  expect(topics.map(({ afters }) => afters)).toStrictEqual([[null], ['abc'], ['2']])
})

test('a topic that is tried again goes on after its own last event', async () => {
  const at = world()
  const run = topic('run:1', [event('step', '7'), { kind: 'interrupted' }], [event('done', '8')])
  await story(at, [run], 2)
  expect(run.afters).toStrictEqual([null, '7'])
})
