import { describe, expect, test } from 'bun:test'
import { image, live } from './live-pod.ts'
import { openSimulation, WEB } from './open-simulation.ts'

const PROXY = 'ghcr.io/acme/postgres-proxy:2.15.1'
const WAIT = 'ghcr.io/acme/wait-for-printers:1.0.2'

const id = expect.stringMatching(/^containerd:\/\/[0-9a-f]{64}$/)
const running = { running: { startedAt: expect.stringMatching(/^2026-/) } }

describe('a pod', () => {
  test('comes up', async () => {
    const { statusLines, container, pod, events } = await live({}, {}, 10_000)
    expect(statusLines).toStrictEqual([
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

  test('starts what goes on beside it first, and then what initImage it', async () => {
    const { statusLines, container, events } = await live(
      { sidecarImage: PROXY, initImage: WAIT },
      {},
      20_000,
    )
    expect(statusLines).toStrictEqual([
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
    const { statusLines, pod, store } = await live(
      { initImage: WAIT },
      { [WAIT]: { does: 'serve' } },
      60_000,
    )
    expect(statusLines.at(-1)).toBe('300 Init:0/1 0/1 0')
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
    const { statusLines, container, events, pass } = await live(
      {},
      { [image('web')]: { does: 'fail_to_pull' } },
      60_000,
    )
    expect(statusLines.slice(2)).toStrictEqual([
      '1300 ErrImagePull 0/1 0',
      '2300 ImagePullBackOff 0/1 0',
      '9767 ErrImagePull 0/1 0',
      '10767 ImagePullBackOff 0/1 0',
      '24900 ErrImagePull 0/1 0',
      '25900 ImagePullBackOff 0/1 0',
      '53367 ErrImagePull 0/1 0',
      '54367 ImagePullBackOff 0/1 0',
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
    const [last = '', before = ''] = statusLines
      .filter((line) => line.includes('ErrImagePull'))
      .toReversed()
    expect(Number.parseInt(last, 10) - Number.parseInt(before, 10)).toBe(201_800)
  })

  test('is killed, started again at once, and then after longer and longer', async () => {
    const { statusLines, container, events } = await live(
      {},
      { [image('web')]: { does: 'run_out_of_memory', afterSteps: 5 } },
      60_000,
    )
    expect(statusLines.slice(3)).toStrictEqual([
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
    const { statusLines, events, pass } = await live(
      {},
      { [image('web')]: { does: 'fail_probe' } },
      10_000,
    )
    expect(statusLines.at(-1)).toBe('1300 Running 0/1 0')
    expect(events('web').at(-1)).toBe('Warning Unhealthy 1')
    pass(201_000)
    expect(events('web').at(-1)).toBe('Warning Unhealthy 2')
  })

  test('that is to go ends after a moment, or uses the time that it is given', async () => {
    const going = async (does: 'serve' | 'linger') => {
      const { patch, pass, store, statusLines, pod, events } = await live(
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
      expect(statusLines.at(-1)).toBe('10000 Terminating 1/1 0')
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
    const { store } = openSimulation()
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
