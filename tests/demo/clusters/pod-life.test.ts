import { describe, expect, test } from 'bun:test'
import type { Behaviours } from '#src/lib/demo/clusters/control/behaviour.ts'
import type { Pod } from '#src/lib/demo/clusters/objects.ts'
import { summarize } from '#src/lib/demo/clusters/tables/pod-summary.ts'
import { clusters } from '#src/lib/demo/clusters/workloads/clusters.ts'
import type { Workload } from '#src/lib/demo/clusters/workloads/workload.ts'
import { NOW, only, openSimulation, WEB } from './open-simulation.ts'

const PROXY = 'ghcr.io/acme/postgres-proxy:2.15.1'
const WAIT = 'ghcr.io/acme/wait-for-printers:1.0.2'

/** The life of a pod from its beginning: what kubectl shows, and when it changed. */
async function live(workload: Partial<Omit<Workload, 'past'>>, behaviours: Behaviours, ms: number) {
  const simulation = openSimulation(only({ replicas: 0, ...workload }), behaviours)
  const { store, timeline, patch, pass } = simulation
  const told: string[] = []
  let began = 0
  store.watch('pods', ({ type, object }) => {
    if (type === 'ADDED') began = timeline.now()
    const { ready, total, status, restarts } = summarize(object)
    const line = `${status} ${ready}/${total} ${restarts}`
    if (told.at(-1)?.replace(/^\S+ /, '') !== line)
      told.push(`${Math.round(timeline.now() - began)} ${line}`)
  })
  await patch(WEB, { spec: { replicas: 1 } })
  pass(ms)
  const pod = (): Pod => {
    const [found] = store.list('pods')
    if (found === undefined) throw new Error('no pod')
    return found
  }
  const container = (name = 'web') =>
    [...(pod().status.initContainerStatuses ?? []), ...(pod().status.containerStatuses ?? [])].find(
      (status) => status.name === name,
    )
  const events = (of: string) =>
    store
      .list('events')
      .filter(({ involvedObject }) => involvedObject.fieldPath?.endsWith(`{${of}}`))
      .toSorted((a, b) => Number(a.metadata.resourceVersion) - Number(b.metadata.resourceVersion))
      .map(({ type, reason, count }) => `${type} ${reason} ${count}`)
  return { ...simulation, told, pod, container, events }
}

const image = (of: string) => `ghcr.io/acme/${of}:1.0.0`
const id = expect.stringMatching(/^containerd:\/\/[0-9a-f]{64}$/)
const running = { running: { startedAt: expect.stringMatching(/^2026-/) } }

describe('a pod', () => {
  test('comes up', async () => {
    const { told, container, pod, events } = await live({}, {}, 10_000)
    expect(told).toStrictEqual([
      '0 Pending 0/1 0',
      '300 ContainerCreating 0/1 0',
      '1300 Running 0/1 0',
      '2300 Running 1/1 0',
    ])
    expect(container()).toStrictEqual({
      name: 'web',
      image: image('web'),
      imageID: expect.stringMatching(/^ghcr\.io\/acme\/web@sha256:[0-9a-f]{64}$/),
      containerID: id,
      ready: true,
      started: true,
      restartCount: 0,
      state: running,
      lastState: {},
    })
    expect(pod().status.phase).toBe('Running')
    expect(events('web')).toStrictEqual([
      'Normal Pulling 1',
      'Normal Pulled 1',
      'Normal Created 1',
      'Normal Started 1',
    ])
  })

  test('is being created', async () => {
    const { container, pod } = await live({}, {}, 1_000)
    expect(container()).toStrictEqual({
      name: 'web',
      image: image('web'),
      imageID: '',
      ready: false,
      started: false,
      restartCount: 0,
      state: { waiting: { reason: 'ContainerCreating' } },
      lastState: {},
    })
    const conditions = pod().status.conditions?.map(({ type, status, reason = '', message = '' }) =>
      `${type} ${status} ${reason} ${message}`.trim(),
    )
    expect(conditions?.toSorted()).toStrictEqual([
      'ContainersReady False ContainersNotReady containers with unready status: [web]',
      'Initialized True',
      'PodReadyToStartContainers True',
      'PodScheduled True',
      'Ready False ContainersNotReady containers with unready status: [web]',
    ])
  })

  test('starts what goes on beside it first, and then what prepares it', async () => {
    const { told, container, events } = await live({ sidecar: PROXY, prepares: WAIT }, {}, 20_000)
    expect(told).toStrictEqual([
      '0 Pending 0/2 0',
      '300 Init:0/2 0/2 0',
      '1300 Init:1/2 0/2 0',
      '2300 Init:1/2 1/2 0',
      '4100 PodInitializing 1/2 0',
      '4900 Running 1/2 0',
      '5900 Running 2/2 0',
    ])
    expect(container('postgres-proxy')).toMatchObject({
      ready: true,
      started: true,
      state: running,
    })
    expect(container('wait-for-printers')).toMatchObject({
      ready: true,
      started: false,
      state: {
        terminated: {
          exitCode: 0,
          reason: 'Completed',
          containerID: id,
          startedAt: expect.stringMatching(/^2026-/),
        },
      },
    })
    expect(events('wait-for-printers')).toStrictEqual([
      'Normal Pulling 1',
      'Normal Pulled 1',
      'Normal Created 1',
      'Normal Started 1',
    ])
  })

  test('waits for what never ends preparing it', async () => {
    const { told, pod, store } = await live(
      { prepares: WAIT },
      { [WAIT]: { does: 'serve' } },
      60_000,
    )
    expect(told.at(-1)).toBe('300 Init:0/1 0/1 0')
    expect(pod().status.conditions).toContainEqual(
      expect.objectContaining({
        type: 'Initialized',
        status: 'False',
        message: 'containers with incomplete status: [wait-for-printers]',
      }),
    )
    const paths = store
      .list('events')
      .flatMap(({ involvedObject: { fieldPath } }) => fieldPath ?? [])
    expect(new Set(paths)).toStrictEqual(new Set(['spec.initContainers{wait-for-printers}']))
  })

  test('is not started without its image, and that is tried less and less often', async () => {
    const { told, container, events, pass } = await live(
      {},
      { [image('web')]: { does: 'fail_to_pull' } },
      60_000,
    )
    expect(told.slice(2)).toStrictEqual([
      '1300 ErrImagePull 0/1 0',
      '2300 ImagePullBackOff 0/1 0',
      '8967 ErrImagePull 0/1 0',
      '9967 ImagePullBackOff 0/1 0',
      '23300 ErrImagePull 0/1 0',
      '24300 ImagePullBackOff 0/1 0',
      '50967 ErrImagePull 0/1 0',
      '51967 ImagePullBackOff 0/1 0',
    ])
    expect(container()).toMatchObject({ imageID: '', started: false, restartCount: 0 })
    expect(container()).not.toHaveProperty('containerID')
    expect(events('web').toSorted()).toStrictEqual([
      'Normal BackOff 4',
      'Normal Pulling 4',
      'Warning Failed 4',
      'Warning Failed 4',
      'Warning Failed 4',
    ])
    pass(3_600_000)
    const [last = '', before = ''] = told
      .filter((line) => line.includes('ErrImagePull'))
      .toReversed()
    expect(Number.parseInt(last, 10) - Number.parseInt(before, 10)).toBe(201_000)
  })

  test('is killed, started again at once, and then after longer and longer', async () => {
    const { told, container, events } = await live(
      {},
      { [image('web')]: { does: 'run_out_of_memory', afterSteps: 5 } },
      60_000,
    )
    expect(told.slice(3)).toStrictEqual([
      '2300 Running 1/1 0',
      '7300 OOMKilled 0/1 0',
      '8300 Running 0/1 1',
      '9300 Running 1/1 1',
      '14300 OOMKilled 0/1 1',
      '15300 CrashLoopBackOff 0/1 1',
      '21967 Running 0/1 2',
      '22967 Running 1/1 2',
      '27967 OOMKilled 0/1 2',
      '28967 CrashLoopBackOff 0/1 2',
      '42300 Running 0/1 3',
      '43300 Running 1/1 3',
      '48300 OOMKilled 0/1 3',
      '49300 CrashLoopBackOff 0/1 3',
    ])
    const status = container()
    expect(status).toMatchObject({
      ready: false,
      started: false,
      restartCount: 3,
      state: {
        waiting: {
          message: expect.stringMatching(
            /^back-off 40s restarting failed container=web pod=web-\w+-\w+_payments-dev\([0-9a-f-]{36}\)$/,
          ),
        },
      },
      lastState: {
        terminated: { exitCode: 137, reason: 'OOMKilled', containerID: status?.containerID ?? '' },
      },
    })
    expect(events('web')).toStrictEqual([
      'Normal Pulling 1',
      'Normal Pulled 1',
      'Normal Pulled 3',
      'Normal Created 4',
      'Normal Started 4',
      'Warning BackOff 3',
    ])
  })

  test('has another container with every run', async () => {
    const { store, pass } = await live(
      {},
      { [image('web')]: { does: 'run_out_of_memory', afterSteps: 5 } },
      0,
    )
    const ids = new Map<number, Set<string>>()
    store.watch('pods', ({ object }) => {
      const [status] = object.status.containerStatuses ?? []
      if (!status?.state?.running) return
      const known = ids.get(status.restartCount) ?? new Set()
      ids.set(status.restartCount, known.add(status.containerID ?? ''))
    })
    pass(60_000)
    expect([...ids.values()].map(({ size }) => size)).toStrictEqual([1, 1, 1, 1])
    expect(new Set([...ids.values()].flatMap((of) => [...of])).size).toBe(4)
  })

  test('is asked whether it is ready, now and then', async () => {
    const { told, events, pass } = await live(
      {},
      { [image('web')]: { does: 'fail_probe' } },
      10_000,
    )
    expect(told.at(-1)).toBe('1300 Running 0/1 0')
    expect(events('web').at(-1)).toBe('Warning Unhealthy 1')
    pass(201_000)
    expect(events('web').at(-1)).toBe('Warning Unhealthy 2')
  })

  test('that is to go ends after a moment, or uses the time that it is given', async () => {
    const going = async (does: 'serve' | 'linger') => {
      const { patch, pass, store, told, pod, events } = await live(
        { graceSeconds: 60 },
        { [image('web')]: { does } },
        10_000,
      )
      await patch(WEB, { spec: { replicas: 0 } })
      pass(500)
      expect(pod().metadata).toMatchObject({
        deletionGracePeriodSeconds: 60,
        deletionTimestamp: '2026-11-20T09:01:10Z',
      })
      expect(told.at(-1)).toBe('10000 Terminating 1/1 0')
      expect(events('web').at(-1)).toBe('Normal Killing 1')
      pass(900)
      const soon = store.list('pods').length
      pass(58_000)
      const late = store.list('pods').length
      pass(2_000)
      return [soon, late, store.list('pods').length]
    }
    expect(await going('serve')).toStrictEqual([0, 0, 0])
    expect(await going('linger')).toStrictEqual([1, 1, 0])
  })

  test('of a job runs once', () => {
    const { store } = openSimulation(clusters['dev-east'])
    const pod = store
      .list('pods')
      .find(({ metadata }) => metadata.ownerReferences?.[0]?.kind === 'Job')
    expect(pod?.status).toMatchObject({
      phase: 'Succeeded',
      containerStatuses: [
        {
          name: 'job',
          ready: false,
          started: false,
          restartCount: 0,
          state: { terminated: { exitCode: 0, reason: 'Completed' } },
        },
      ],
    })
    const conditions = pod?.status.conditions?.map(({ type, status, reason = '' }) =>
      `${type} ${status} ${reason}`.trim(),
    )
    expect(conditions?.toSorted()).toStrictEqual([
      'ContainersReady False PodCompleted',
      'Initialized True PodCompleted',
      'PodReadyToStartContainers False',
      'PodScheduled True',
      'Ready False PodCompleted',
    ])
    const { startedAt, finishedAt } = pod?.status.containerStatuses?.[0]?.state?.terminated ?? {}
    expect(Date.parse(finishedAt ?? '') - Date.parse(startedAt ?? '')).toBe(135_000)
  })
})

describe('events', () => {
  test('that are alike are counted', async () => {
    const { store, pod } = await live(
      {},
      { [image('web')]: { does: 'run_out_of_memory', afterSteps: 5 } },
      60_000,
    )
    const { name, namespace, uid } = pod().metadata
    const event = store
      .list('events')
      .find(({ reason, involvedObject }) => reason === 'BackOff' && involvedObject.uid === uid)
    expect(event).toMatchObject({
      apiVersion: 'v1',
      kind: 'Event',
      type: 'Warning',
      count: 3,
      message: `Back-off restarting failed container web in pod ${name}_${namespace}(${uid})`,
      involvedObject: {
        kind: 'Pod',
        apiVersion: 'v1',
        namespace,
        name,
        uid,
        fieldPath: 'spec.containers{web}',
      },
      source: { component: 'kubelet', host: pod().spec.nodeName ?? '' },
      reportingComponent: 'kubelet',
      eventTime: null,
      firstTimestamp: '2026-11-20T09:00:15Z',
      lastTimestamp: '2026-11-20T09:00:49Z',
    })
  })

  test('say who reports them', async () => {
    const { store, deployment } = await live({}, {}, 10_000)
    const event = store.list('events').find(({ reason }) => reason === 'ScalingReplicaSet')
    expect(event).toMatchObject({
      type: 'Normal',
      message: expect.stringMatching(/^Scaled up replica set web-\w+ from 0 to 1$/),
      source: { component: 'deployment-controller' },
      reportingInstance: '',
    })
    expect(event?.source).not.toHaveProperty('host')
    expect(event?.involvedObject).toStrictEqual({
      kind: 'Deployment',
      apiVersion: 'apps/v1',
      namespace: 'payments-dev',
      name: 'web',
      uid: deployment().metadata.uid,
      resourceVersion: expect.any(String),
    })
  })

  test('are forgotten after an hour', async () => {
    const { store, pass } = await live({}, {}, 10_000)
    const begin = store.list('events').length
    pass(3_600_000 - 10_000)
    expect(store.list('events')).toHaveLength(begin)
    pass(310_000)
    expect(store.list('events')).toStrictEqual([])
  })

  test('are four hundred at most, the latest', async () => {
    const { store, patch, pass } = openSimulation(only({ replicas: 0 }))
    let most = 0
    store.watch('events', () => {
      most = Math.max(most, store.list('events').length)
    })
    for (let round = 0; round < 6; round++) {
      await patch(WEB, { spec: { replicas: 50 } })
      pass(5_000)
      await patch(WEB, { spec: { replicas: 0 } })
      pass(5_000)
      expect(store.list('events').length).toBeLessThanOrEqual(400)
    }
    const events = store.list('events')
    expect(events.length).toBeWithin(300, 401)
    expect(most).toBe(401)
    expect(
      events.every(({ lastTimestamp }) => Date.parse(lastTimestamp ?? '') >= NOW + 40_000),
    ).toBe(true)
  })
})
