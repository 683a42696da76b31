import { afterEach, beforeEach, describe, expect, jest, test } from 'bun:test'
import { only, openSimulation, type OpenSimulation, WEB } from './open-simulation.ts'
import { readEvents, type WatchEvent } from './read-events.ts'

const DEPLOYMENTS = '/apis/apps/v1/namespaces/payments-dev/deployments?watch=true'
const SELECTED = `${DEPLOYMENTS}&labelSelector=seen%3Dyes`

async function watch({ ask }: OpenSimulation, path: string, init?: RequestInit) {
  const answer = await ask('platform', path, init)
  expect(answer.status).toBe(200)
  return readEvents(answer)
}

const summaries = (events: readonly WatchEvent[]) =>
  events.map(({ type, object }) => `${type} ${object.metadata.labels?.['change'] ?? '-'}`)

/** One deployment, and a function that changes its labels. */
function open() {
  const simulation = openSimulation(only({ replicas: 1 }))
  const label = (labels: Record<string, string | null>) =>
    simulation.patchBy(WEB, { metadata: { labels } })
  return { ...simulation, label }
}

describe('a watch', () => {
  test('without a version begins with what there is, and sees changes and deletions', async () => {
    const simulation = open()
    const { events } = await watch(simulation, DEPLOYMENTS)
    expect(await events()).toMatchObject([
      { type: 'ADDED', object: { kind: 'Deployment', metadata: { name: 'web' } } },
    ])
    await simulation.label({ change: '1' })
    simulation.sync({ applications: [], unreadable: [] })
    expect(summaries(await events())).toStrictEqual(['MODIFIED 1', 'DELETED 1'])
  })

  test('goes on from the version of a list', async () => {
    const simulation = open()
    await simulation.label({ change: '1' })
    const from = simulation.store.version
    await simulation.label({ change: '2' })
    const { events } = await watch(simulation, `${DEPLOYMENTS}&resourceVersion=${from}`)
    const [event, ...more] = await events()
    expect([event?.object.metadata.resourceVersion, more]).toStrictEqual([
      String(simulation.store.version),
      [],
    ])
  })

  test('sees what comes into its selection and leaves it', async () => {
    const simulation = open()
    const { events } = await watch(simulation, SELECTED)
    await simulation.label({ change: '1' })
    await simulation.label({ change: '2', seen: 'yes' })
    await simulation.label({ change: '3' })
    await simulation.label({ change: '4', seen: null })
    const version = String(simulation.store.version)
    await simulation.label({ change: '5' })
    const all = await events()
    expect(summaries(all)).toStrictEqual(['ADDED 2', 'MODIFIED 3', 'DELETED 3'])
    expect(all.at(-1)?.object.metadata.resourceVersion).toBe(version)
  })

  test('from a version that is compacted is over at once', async () => {
    const simulation = open()
    const from = simulation.store.version
    for (let change = 0; change < 5_001; change++) await simulation.label({ change: `${change}` })
    const { events, isEnded } = await watch(simulation, `${DEPLOYMENTS}&resourceVersion=${from}`)
    const message = `too old resource version: ${from} (${simulation.store.version})`
    expect(await events()).toMatchObject([
      { type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired', message } },
    ])
    expect(await isEnded()).toBe(true)
    const { events: fine } = await watch(simulation, `${DEPLOYMENTS}&resourceVersion=${from + 1}`)
    expect(await fine()).toHaveLength(5_000)
  })

  test('can begin with everything and say when that was all', async () => {
    const query = '&sendInitialEvents=true&allowWatchBookmarks=true&resourceVersion=1'
    const { events } = await watch(open(), `${DEPLOYMENTS}${query}`)
    const annotations = { 'k8s.io/initial-events-end': 'true' }
    expect(await events()).toMatchObject([
      { type: 'ADDED' },
      { type: 'BOOKMARK', object: { metadata: { annotations } } },
    ])
  })

  test('of a client that reads nothing is given up', async () => {
    const simulation = open()
    const answer = await simulation.ask('platform', DEPLOYMENTS)
    for (let change = 0; change < 7_000; change++) await simulation.label({ change: `${change}` })
    const { events, isEnded } = readEvents(answer)
    expect((await events()).length).toBeLessThan(7_000)
    expect(await isEnded()).toBe(true)
  })
})

describe('in time', () => {
  beforeEach(() => void jest.useFakeTimers())
  afterEach(() => void jest.useRealTimers())

  test('a watch gets a bookmark every minute if it asks for them, and ends', async () => {
    const simulation = open()
    const from = simulation.store.version
    const [marked, plain] = await Promise.all(
      ['&allowWatchBookmarks=true', ''].map((more) =>
        simulation.ask(
          'platform',
          `${DEPLOYMENTS}&resourceVersion=${from}&timeoutSeconds=90${more}`,
        ),
      ),
    )
    jest.advanceTimersByTime(90_000)
    const lines = (await marked?.text())?.trim().split('\n') ?? []
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { type: 'BOOKMARK', object: { metadata: { resourceVersion: String(from) } } },
    ])
    expect((await plain?.text())?.trim()).toBe('')
  })
})

describe('a watch that is over', () => {
  const leave = {
    'the client cancels': async (simulation: OpenSimulation) =>
      (await watch(simulation, DEPLOYMENTS)).cancel(),
    'the request is aborted': async (simulation: OpenSimulation) => {
      const controller = new AbortController()
      const { isEnded } = await watch(simulation, DEPLOYMENTS, { signal: controller.signal })
      controller.abort()
      expect(await isEnded()).toBe(true)
    },
    'the request was aborted before': async (simulation: OpenSimulation) => {
      const { isEnded } = await watch(simulation, DEPLOYMENTS, { signal: AbortSignal.abort() })
      expect(await isEnded()).toBe(true)
    },
  }

  test.each(Object.entries(leave))('leaves its place to another one when %s', async (_, go) => {
    const simulation = open()
    for (let place = 0; place < 200; place++) await watch(simulation, DEPLOYMENTS)
    const refused = await simulation.ask('platform', DEPLOYMENTS)
    expect([refused.status, refused.headers.get('retry-after')]).toStrictEqual([429, '1'])
    simulation.streams.closeAll()
    for (let place = 0; place < 199; place++) await watch(simulation, DEPLOYMENTS)
    await go(simulation)
    await watch(simulation, DEPLOYMENTS)
  })
})
