import { expect, test } from 'bun:test'
import {
  condition,
  deployment,
  is,
  pod,
  restarted,
  RUNNING,
} from '#tests/domain/clusters/objects.ts'
import { list, sharedWorld } from './cluster-world.ts'

const shared = sharedWorld()
const NAMESPACE = '/api/v1/clusters/dev-east/namespaces/payments-dev'
const MINUTE_MS = 60_000

/** A time of the cluster, so many minutes ago. */
type Ago = (minutes: number) => string
type Case = readonly [name: string, verdict: string, objects: (ago: Ago, name: string) => object]

const meta = (ago: Ago, name: string, minutes = 600) => ({
  namespace: 'payments-dev',
  uid: name,
  name,
  creationTimestamp: ago(minutes),
})
const ready = (status: string, at: string) => ({
  type: 'Ready',
  status,
  lastTransitionTime: at,
})
const podOf = (ago: Ago, name: string, lostMinutes: number) =>
  pod(
    {
      phase: 'Running',
      conditions: [ready('False', ago(lostMinutes))],
      containerStatuses: [is('a', { running: { startedAt: ago(500) } }, { ready: false })],
    },
    {},
    meta(ago, name),
  )
const neverReady = (ago: Ago, name: string, minutes: number) =>
  pod(
    {
      phase: 'Running',
      conditions: [ready('False', ago(minutes))],
      containerStatuses: [is('a', { running: { startedAt: ago(minutes) } }, { ready: false })],
    },
    {},
    meta(ago, name, minutes),
  )
const restartedPod = (ago: Ago, name: string, minutes: number) =>
  pod(
    {
      phase: 'Running',
      conditions: [ready('True', ago(minutes))],
      containerStatuses: [is('a', RUNNING, restarted(2, ago(minutes)))],
    },
    {},
    meta(ago, name),
  )
const cronJob = (ago: Ago, name: string, minutes: number) => ({
  metadata: meta(ago, name, 2_000),
  // Once a day: the last run was a day, and so many minutes, ago.
  spec: {
    schedule: scheduleAt(Date.parse(ago(minutes))),
    jobTemplate: {},
  },
  status: { lastScheduleTime: ago(1_440 + minutes), lastSuccessfulTime: ago(1_439 + minutes) },
})
const scheduleAt = (at: number) =>
  `${new Date(at).getUTCMinutes()} ${new Date(at).getUTCHours()} * * *`

// prettier-ignore
const CASES: readonly Case[] = [
  ['unready-55s',   'Progressing Running',      (ago, name) => podOf(ago, name, 0.9)],
  ['unready-65s',   'Degraded NotReady',        (ago, name) => podOf(ago, name, 1.1)],
  ['starting-9m',   'Progressing Running',      (ago, name) => neverReady(ago, name, 9)],
  ['starting-11m',  'Degraded NotReady',        (ago, name) => neverReady(ago, name, 11)],
  ['restarted-29m', 'Unstable Error',           (ago, name) => restartedPod(ago, name, 29)],
  ['restarted-31m', 'Healthy null',             (ago, name) => restartedPod(ago, name, 31)],
  ['late-13m',      'Healthy null',             (ago, name) => cronJob(ago, name, 13)],
  ['late-17m',      'Degraded MissedSchedule',  (ago, name) => cronJob(ago, name, 17)],
]

/** Rolled out, and one of two pods is gone since then. */
const short = (ago: Ago, name: string, minutes: number) =>
  deployment(
    {
      replicas: 2,
      updatedReplicas: 2,
      readyReplicas: 1,
      availableReplicas: 1,
      conditions: ['Available', 'Progressing'].map((type) => ({
        ...condition(type, type === 'Available' ? 'False' : 'True', 'NewReplicaSetAvailable'),
        lastUpdateTime: ago(minutes),
        lastTransitionTime: ago(minutes),
      })),
    },
    {},
    meta(ago, name),
  )

test.each([
  ['behind ours', -10],
  ['as ours', 0],
  ['ahead of ours', 10],
])('verdicts go by the clock of the API server, ten minutes %s', async (_, ahead) => {
  const aheadMs = ahead * MINUTE_MS
  const at = await shared((_, { path }) => {
    const now = at.portal.clock.now() + aheadMs
    const ago: Ago = (minutes) => new Date(now - minutes * MINUTE_MS).toISOString()
    const of = (kind: string) =>
      CASES.filter(([name]) => name.startsWith('late') === (kind === 'cronjobs')).map(
        ([name, , object]) => object(ago, name),
      )
    const [kind = ''] = path.split('/').slice(-1)
    const items =
      kind === 'deployments'
        ? [short(ago, 'short-55s', 0.9), short(ago, 'short-65s', 1.1)]
        : kind === 'pods' || kind === 'cronjobs'
          ? of(kind)
          : []
    const answer = list(items)
    answer.headers.set('date', new Date(Date.now() + aheadMs).toUTCString())
    return answer
  })
  const read = async (what: string) =>
    (await (await at.get(`${NAMESPACE}/${what}`)).json()) as Record<string, string | null>[]
  const workloads = await read('workloads?kind=pod,cronjob')
  expect(
    Object.fromEntries(workloads.map(({ name, health, reason }) => [name, `${health} ${reason}`])),
  ).toStrictEqual(Object.fromEntries(CASES.map(([name, verdict]) => [name, verdict])))
  expect((await read('deployments')).map(({ name, status }) => [name, status])).toStrictEqual([
    ['short-55s', 'Progressing'],
    ['short-65s', 'Degraded'],
  ])
})
