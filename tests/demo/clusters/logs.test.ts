import { afterEach, beforeEach, describe, expect, jest, test } from 'bun:test'
import { clusters } from '#src/demo/clusters/workloads.ts'
import { imagesThat, NOW, only, openSimulation, type OpenSimulation } from './open-simulation.ts'

/** The log of a pod of a component, preferably of one that is not running. */
function logPath({ store }: OpenSimulation, component: string, query = ''): string {
  const pods = store
    .list('Pod')
    .filter(({ metadata }) => new RegExp(`^${component}-\\w+-\\w+$`).test(metadata.name))
  const pod = pods.find(({ status }) => status.phase === 'Pending') ?? pods[0]
  return `/api/v1/namespaces/${pod?.metadata.namespace}/pods/${pod?.metadata.name}/log${query}`
}
const nameOf = (simulation: OpenSimulation, component: string) =>
  logPath(simulation, component).split('/').at(-2)

const open = () => openSimulation(clusters['dev-east'])
const read = async (simulation: OpenSimulation, component: string, query = '') =>
  (await simulation.ask('platform', logPath(simulation, component, query))).text()
const linesOf = (text: string) => text.split('\n').slice(0, -1)

describe('a log', () => {
  test('is plain text and says the same when it is asked again', async () => {
    const simulation = open()
    const answer = await simulation.ask('dev', logPath(simulation, 'checkout-web'))
    expect([answer.status, answer.headers.get('content-type')]).toStrictEqual([200, 'text/plain'])
    const text = await answer.text()
    expect(await read(simulation, 'checkout-web')).toBe(text)
    simulation.pass(60_000)
    expect(linesOf(await read(simulation, 'checkout-web')).length).toBeGreaterThan(1_000)
    expect((await read(simulation, 'checkout-web')).slice(1_000)).toContain(text.slice(-1_000))
  })

  test('is in the order of time, as far back as is kept', async () => {
    const times = linesOf(await read(open(), 'checkout-web', '?timestamps=true')).map(
      (line) => line.split(' ')[0] ?? '',
    )
    expect(times).toStrictEqual(times.toSorted())
    expect(times.every((time) => /^2026-11-\d\dT\d\d:\d\d:\d\d\.\d{9}Z$/.test(time))).toBe(true)
    expect(times.length).toBeWithin(2_500, 3_010)
    expect(Date.parse(times.at(-1) ?? '')).toBeWithin(NOW - 15_000, NOW + 1)
  })

  test('begins with a second', async () => {
    const lines = linesOf(await read(open(), 'checkout-web', '?timestamps=true'))
    const since = `${lines.at(-5)?.slice(0, 19)}Z`
    const rest = linesOf(await read(open(), 'checkout-web', `?timestamps=true&sinceTime=${since}`))
    expect(rest).toStrictEqual(lines.filter((line) => line >= since.slice(0, 19)))
  })

  test('of a crash loop ends with what the memory was used up for', async () => {
    const lines = linesOf(await read(open(), 'payments-api')).map(
      (line) => JSON.parse(line) as Record<string, unknown>,
    )
    expect(lines[0]).toMatchObject({ level: 'info', msg: 'starting payments-api' })
    expect(lines.slice(-3).map(({ msg }) => msg)).toStrictEqual([
      'memory is nearly used up',
      'settlement import: next batch of 25000 rows',
      'allocation failed, collecting garbage again',
    ])
  })

  test('is of the container that is named', async () => {
    const simulation = open()
    expect(await read(simulation, 'ledger', '?container=ledger&tailLines=50')).toContain(
      'level=INFO msg="entries booked"',
    )
    expect(await read(simulation, 'ledger', '?container=postgres-proxy&tailLines=50')).toContain(
      'connection',
    )
    expect(await read(simulation, 'ledger', '?tailLines=50')).toContain('level=INFO')
    expect(
      await read(simulation, 'label-printer', '?container=wait-for-printers&tailLines=1'),
    ).toStartWith('printers.acme.example:9100 does not answer')
  })

  test('is as long as is asked', async () => {
    const simulation = open()
    const whole = linesOf(await read(simulation, 'checkout-web'))
    expect(linesOf(await read(simulation, 'checkout-web', '?tailLines=7'))).toStrictEqual(
      whole.slice(-7),
    )
    expect(await read(simulation, 'checkout-web', '?tailLines=0')).toBe('')
    const recent = linesOf(await read(simulation, 'checkout-web', '?sinceSeconds=60'))
    expect(recent).toStrictEqual(whole.slice(-recent.length))
    expect(recent.length).toBeWithin(10, 25)
  })

  test('of the run before is there where there was one', async () => {
    const simulation = open()
    const before = await read(simulation, 'payments-api', '?previous=true')
    expect(before).toBe(await read(simulation, 'payments-api'))
    for (let tries = 0; tries < 400; tries++) {
      simulation.pass(1_000)
      const pod = simulation.store
        .list('Pod')
        .find(({ metadata }) => metadata.name === nameOf(simulation, 'payments-api'))
      if (pod?.status.containerStatuses?.[0]?.state?.running) break
    }
    simulation.pass(2_000)
    expect(await read(simulation, 'payments-api', '?previous=true')).toBe(before)
    const now = await read(simulation, 'payments-api')
    expect(now).toContain('starting payments-api')
    expect(now).not.toContain('allocation failed')
  })

  // prettier-ignore
  test.each([
    ['checkout-web', '?previous=true', 400, 'previous terminated container "checkout-web" in pod "POD" not found'],
    ['checkout-web', '?container=nope', 400, 'container nope is not valid for pod POD'],
    ['invoice-service', '', 400, 'container "invoice-service" in pod "POD" is waiting to start: trying and failing to pull image'],
    ['label-printer', '', 400, 'container "label-printer" in pod "POD" is waiting to start: PodInitializing'],
    ['checkout-web', '?tailLines=-1', 400, 'tailLines: -1 is no number of lines'],
  ])('of %s with %p: %d', async (component, query, status, message) => {
    const simulation = open()
    const answer = await simulation.ask('platform', logPath(simulation, component, query))
    expect(answer.status).toBe(status)
    const expected = message.replace('POD', nameOf(simulation, component) ?? '')
    expect(await answer.json()).toMatchObject({ kind: 'Status', code: status, message: expected })
  })
})

describe('a log that is followed', () => {
  beforeEach(() => void jest.useFakeTimers())
  afterEach(() => void jest.useRealTimers())

  const follow = (simulation: OpenSimulation, component: string, query = '') =>
    simulation.ask('platform', logPath(simulation, component, `?follow=true${query}`))
  /** Both the time of the cluster and that of the server. */
  const pass = (simulation: OpenSimulation, seconds: number) => {
    for (let second = 0; second < seconds; second++) {
      simulation.pass(1_000)
      jest.advanceTimersByTime(1_000)
    }
  }

  test('goes on where it was, and ends with the pod', async () => {
    const simulation = openSimulation(only({ replicas: 1 }))
    const answer = await follow(simulation, 'web', '&tailLines=5')
    pass(simulation, 30)
    const whole = await read(simulation, 'web')
    simulation.sync({ applications: [], unreadable: [] })
    pass(simulation, 1)
    const lines = linesOf(await answer.text())
    expect(lines.length).toBeGreaterThan(6)
    expect(linesOf(whole).slice(-lines.length)).toStrictEqual(lines)
  })

  test('ends with the run', async () => {
    const behaviour = { does: 'run_out_of_memory', afterSteps: 20 } as const
    const images = imagesThat({ 'ghcr.io/acme/web:1.0.0': behaviour })
    const simulation = openSimulation(only({ replicas: 1 }), images)
    const running = () =>
      simulation.store.list('Pod')[0]?.status.containerStatuses?.[0]?.state?.running
    for (let tries = 0; tries < 400 && !running(); tries++) simulation.pass(1_000)
    const answer = await follow(simulation, 'web')
    pass(simulation, 40)
    expect(await answer.text()).not.toBe('')
  })

  test('of a run that is over is no stream', async () => {
    const answer = await follow(open(), 'ledger-nightly-close')
    expect(linesOf(await answer.text()).at(-1)).toContain('msg="day closed" difference=0.00')
  })
})
