import { describe, expect, test } from 'bun:test'
import type { Pod } from '#src/demo/clusters/objects.ts'
import { only, openSimulation, type OpenSimulation } from './open-simulation.ts'
import { readEvents, type WatchEvent } from './read-events.ts'

const PODS = '/api/v1/namespaces/payments-dev/pods?watch=true'
const SELECTED = `${PODS}&labelSelector=seen%3Dyes`

async function watch(
  { ask }: OpenSimulation,
  path: string,
  init?: Parameters<OpenSimulation['ask']>[2],
) {
  const answer = await ask('platform', path, init)
  expect(answer.status).toBe(200)
  return readEvents(answer)
}

const summaries = (events: readonly WatchEvent[]) =>
  events.map(({ type, object }) => `${type} ${object.metadata.labels?.['change'] ?? '-'}`)

/** One pod, and a function that changes it. */
function open() {
  const simulation = openSimulation(only({ replicas: 1 }))
  const { store } = simulation
  const first = store.list('pods')[0]
  if (first === undefined) throw new Error('no pod')
  const read = () => store.get('pods', first.metadata) ?? first
  const label = (labels: Record<string, string>, pod: Pod = read()) =>
    store.put('pods', { ...pod, metadata: { ...pod.metadata, labels } })
  return { ...simulation, pod: read, label }
}

describe('a watch', () => {
  test('without a version begins with what there is', async () => {
    const simulation = open()
    const { events } = await watch(simulation, PODS)
    const { name } = simulation.pod().metadata
    expect(await events()).toMatchObject([
      { type: 'ADDED', object: { kind: 'Pod', apiVersion: 'v1', metadata: { name } } },
    ])
    simulation.label({ change: '1' })
    simulation.store.remove('pods', simulation.pod().metadata)
    expect(summaries(await events())).toStrictEqual(['MODIFIED 1', 'DELETED 1'])
  })

  test('goes on from the version of a list', async () => {
    const simulation = open()
    simulation.label({ change: '1' })
    const from = simulation.store.version
    simulation.label({ change: '2' })
    const { events } = await watch(simulation, `${PODS}&resourceVersion=${from}`)
    expect(summaries(await events())).toStrictEqual(['MODIFIED 2'])
    simulation.label({ change: '3' })
    const [event] = await events()
    expect(event?.object.metadata.resourceVersion).toBe(String(simulation.store.version))
  })

  test('sees only its namespace', async () => {
    const simulation = open()
    const { events } = await watch(simulation, '/api/v1/namespaces/payments/pods?watch=true')
    simulation.label({ change: '1' })
    expect(await events()).toStrictEqual([])
  })

  test('sees what comes into its selection and leaves it', async () => {
    const simulation = open()
    const { events } = await watch(simulation, SELECTED)
    simulation.label({ change: '1' })
    simulation.label({ change: '2', seen: 'yes' })
    simulation.label({ change: '3', seen: 'yes' })
    simulation.label({ change: '4' })
    const version = String(simulation.store.version)
    simulation.label({ change: '5' })
    const all = await events()
    expect(summaries(all)).toStrictEqual(['ADDED 2', 'MODIFIED 3', 'DELETED 3'])
    expect(all.at(-1)?.object.metadata.resourceVersion).toBe(version)
  })

  test('from a version that is forgotten is over at once', async () => {
    const simulation = open()
    const from = simulation.store.version
    for (let change = 0; change < 1_001; change++) simulation.label({ change: String(change) })
    const { events, isEnded } = await watch(simulation, `${PODS}&resourceVersion=${from}`)
    const message = `too old resource version: ${from} (${simulation.store.version})`
    expect(await events()).toMatchObject([
      { type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired', message } },
    ])
    expect(await isEnded()).toBe(true)
    const { events: fine } = await watch(simulation, `${PODS}&resourceVersion=${from + 1}`)
    expect(await fine()).toHaveLength(1_000)
  })

  test('ends when its time is over', async () => {
    const simulation = open()
    const { isEnded } = await watch(simulation, `${PODS}&timeoutSeconds=5`)
    simulation.pass(4_999)
    expect(await isEnded()).toBe(false)
    simulation.pass(1)
    expect(await isEnded()).toBe(true)
  })

  test('ends some day also when nobody says when', async () => {
    const simulation = open()
    const all = await Promise.all([
      watch(simulation, PODS),
      watch(simulation, `${PODS}&timeoutSeconds=999999`),
    ])
    simulation.pass(3_600_000)
    expect(await Promise.all(all.map(({ isEnded }) => isEnded()))).toStrictEqual([true, true])
  })

  test('gets a bookmark every minute, if it asks for them', async () => {
    const simulation = open()
    const from = simulation.store.version
    const plain = await watch(simulation, `${PODS}&resourceVersion=${from}`)
    const marked = await watch(
      simulation,
      `${PODS}&resourceVersion=${from}&allowWatchBookmarks=true&timeoutSeconds=150`,
    )
    const bookmark = (version: number) => ({
      type: 'BOOKMARK',
      object: { kind: 'Pod', metadata: { resourceVersion: String(version) } },
    })
    simulation.pass(60_000)
    const marks = await marked.events()
    expect(marks).toMatchObject([bookmark(from)])
    expect(marks[0]?.object.metadata).not.toHaveProperty('annotations')
    simulation.pass(60_000)
    expect(await marked.events()).toMatchObject([bookmark(simulation.store.version)])
    simulation.pass(30_000)
    expect(await marked.events()).toMatchObject([bookmark(simulation.store.version)])
    expect(await marked.isEnded()).toBe(true)
    expect(await plain.events()).toStrictEqual([])
  })

  test('can begin with everything and say when that was all', async () => {
    const simulation = open()
    const query =
      'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true'
    const { events } = await watch(simulation, `${PODS}&${query}&resourceVersion=1`)
    expect(await events()).toMatchObject([
      { type: 'ADDED', object: { kind: 'Pod' } },
      {
        type: 'BOOKMARK',
        object: { metadata: { annotations: { 'k8s.io/initial-events-end': 'true' } } },
      },
    ])
    simulation.label({ change: '1' })
    expect(summaries(await events())).toStrictEqual(['MODIFIED 1'])
  })

  test('in lines of a table names the columns once', async () => {
    const simulation = open()
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io'
    const { events } = await watch(simulation, PODS, { headers: { accept } })
    simulation.label({ change: '1' })
    const [first, second] = await events()
    expect(first?.object.columnDefinitions).toBeArray()
    expect(second?.object.columnDefinitions).toBeNull()
    expect(second?.object.rows?.[0]?.cells[0]).toBe(simulation.pod().metadata.name)
  })

  test('of a client that reads nothing is given up', async () => {
    const simulation = open()
    const answer = await simulation.ask('platform', PODS)
    for (let change = 0; change < 6_000; change++) simulation.label({ change: String(change) })
    const { events, isEnded } = readEvents(answer)
    expect((await events()).length).toBeLessThan(6_000)
    expect(await isEnded()).toBe(true)
  })
})

describe('a watch that is over', () => {
  const leave = {
    'the client cancels': async (simulation: OpenSimulation) =>
      (await watch(simulation, PODS)).cancel(),
    'the request is aborted': async (simulation: OpenSimulation) => {
      const controller = new AbortController()
      const { isEnded } = await watch(simulation, PODS, { signal: controller.signal })
      controller.abort()
      expect(await isEnded()).toBe(true)
    },
    'the request was aborted before': async (simulation: OpenSimulation) => {
      const { isEnded } = await watch(simulation, PODS, { signal: AbortSignal.abort() })
      expect(await isEnded()).toBe(true)
    },
    'its time is over': async (simulation: OpenSimulation) => {
      const { isEnded } = await watch(simulation, `${PODS}&timeoutSeconds=1`)
      simulation.pass(1_000)
      expect(await isEnded()).toBe(true)
    },
  }

  test.each(Object.entries(leave))('leaves its place to another one when %s', async (_, go) => {
    const simulation = open()
    for (let place = 0; place < 200; place++) await watch(simulation, PODS)
    const refused = await simulation.ask('platform', PODS)
    expect([refused.status, refused.headers.get('retry-after')]).toStrictEqual([429, '1'])
    simulation.streams.closeAll()
    for (let place = 0; place < 199; place++) await watch(simulation, PODS)
    await go(simulation)
    await watch(simulation, PODS)
  })
})
