import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { Pod } from '#src/demo/clusters/objects.ts'
import { summarize } from '#src/demo/clusters/tables/pod-summary.ts'
import { podStatus } from '#src/lib/domain/clusters/pod-status.ts'
import type { KubernetesContainerStatus } from '#src/lib/ports/kubernetes-objects.ts'
import { consistentPod } from '#tests/domain/clusters/any-pod.ts'

describe('READY, STATUS and RESTARTS', () => {
  const running = { running: { startedAt: '2026-11-20T08:00:00Z' } }
  const done = { terminated: { exitCode: 0, reason: 'Completed' } }
  const ended = (exitCode: number, rest: object = {}) => ({ terminated: { exitCode, ...rest } })
  const waits = (reason: string) => ({ waiting: { reason } })
  const failedAt = (finishedAt: string) => ({ terminated: { exitCode: 1, finishedAt } })
  const status = (name: string, state: object, rest: object = {}) => ({
    name,
    image: 'x',
    imageID: '',
    ready: 'running' in state,
    restartCount: 0,
    state,
    lastState: {},
    ...rest,
  })
  const pod = (rest: { spec?: object; status?: object; metadata?: object }) =>
    ({
      metadata: rest.metadata ?? {},
      spec: { containers: [{ name: 'a' }], ...rest.spec },
      status: { phase: 'Running', ...rest.status },
    }) as Pod
  const one = (state: object, rest: object = {}) =>
    pod({ status: { containerStatuses: [status('a', state, rest)] } })
  const failed = ended(1, { reason: 'Error' })
  const gated = { type: 'PodScheduled', status: 'False', reason: 'SchedulingGated' }
  const several = (...states: readonly object[]) => {
    const statuses = states.map((state, index) => status(`c${index}`, state))
    return pod({
      spec: { containers: statuses.map(({ name }) => ({ name })) },
      status: { containerStatuses: statuses },
    })
  }
  const inCondition = (type: string, { status, ...rest }: Pod): Pod => ({
    ...rest,
    status: { ...status, conditions: [{ type, status: 'True' }] },
  })
  const init = (states: readonly object[], rest: object = {}) =>
    pod({
      spec: { initContainers: [{ name: 'i' }, { name: 's', restartPolicy: 'Always' }] },
      status: {
        phase: 'Pending',
        initContainerStatuses: states,
        containerStatuses: [status('a', waits('PodInitializing'))],
        ...rest,
      },
    })

  // prettier-ignore
  test.each<[string, Pod, string]>([
    ['no status yet', pod({ status: { phase: 'Pending' } }), '0/1 Pending 0'],
    ['no status yet, and an empty reason', pod({ status: { phase: 'Pending', reason: '' } }), '0/1 Pending 0'],
    ['held back by a gate', pod({ status: { phase: 'Pending', conditions: [gated] } }), '0/1 SchedulingGated 0'],
    ['held back by a gate, whatever its reason', pod({ status: { phase: 'Pending', reason: 'Any', conditions: [gated] } }), '0/1 SchedulingGated 0'],
    ['without a place, but not for a gate', pod({ status: { phase: 'Pending', conditions: [{ ...gated, reason: 'Unschedulable' }] } }), '0/1 Pending 0'],
    ['evicted', pod({ status: { phase: 'Failed', reason: 'Evicted' } }), '0/1 Evicted 0'],
    ['running', one(running), '1/1 Running 0'],
    ['running and not ready', one(running, { ready: false }), '0/1 Running 0'],
    ['a crash loop', one(waits('CrashLoopBackOff'), { restartCount: 7, lastState: failedAt('2026-11-20T08:59:00Z') }), '0/1 CrashLoopBackOff 7'],
    ['done', one(done), '0/1 Completed 0'],
    ['killed without a reason', one(ended(137, { signal: 9 })), '0/1 Signal:9 0'],
    ['ended without a reason', one(ended(3)), '0/1 ExitCode:3 0'],
    ['first of two counts', pod({ spec: { containers: [{ name: 'a' }, { name: 'b' }] }, status: { containerStatuses: [status('a', waits('ImagePullBackOff')), status('b', waits('CrashLoopBackOff'))] } }), '0/2 ImagePullBackOff 0'],
    ['one done, one running and the pod ready', pod({ status: { conditions: [{ type: 'Ready', status: 'True' }], containerStatuses: [status('a', done), status('b', running)] } }), '1/1 Running 0'],
    ['one done, one running and the pod not ready', pod({ status: { containerStatuses: [status('a', done), status('b', running)] } }), '1/1 NotReady 0'],
    ['one done, one failed', several(done, failed), '0/2 Error 0'],
    ['one done, two failed: the first of them', several(done, ended(2), failed), '0/3 ExitCode:2 0'],
    ['one done, one failed, one running and the pod not ready', several(done, failed, running), '1/3 Error 0'],
    ['one done, one failed, one running and the pod ready', inCondition('Ready', several(done, failed, running)), '1/3 Running 0'],
    ['one failed and the pod ready', inCondition('Ready', several(failed, running)), '1/2 Error 0'],
    ['going', { ...one(running), metadata: { deletionTimestamp: 'x' } } as Pod, '1/1 Terminating 0'],
    ['going from a lost node', pod({ metadata: { deletionTimestamp: 'x' }, status: { reason: 'NodeLost' } }), '0/1 Unknown 0'],
    ['going from a lost node and already over', pod({ metadata: { deletionTimestamp: 'x' }, status: { phase: 'Failed', reason: 'NodeLost' } }), '0/1 Unknown 0'],
    ['on a lost node and not going', pod({ status: { reason: 'NodeLost' } }), '0/1 NodeLost 0'],
    ['going and already over', pod({ metadata: { deletionTimestamp: 'x' }, status: { phase: 'Succeeded', containerStatuses: [status('a', done)] } }), '0/1 Completed 0'],
    ['first init container runs', init([status('i', running), status('s', waits('PodInitializing'))]), '0/2 Init:0/2 0'],
    ['first init container is done, the sidecar starts', init([status('i', done), status('s', waits('PodInitializing'))]), '0/2 Init:1/2 0'],
    ['init container fails', init([status('i', ended(2))]), '0/2 Init:ExitCode:2 0'],
    ['init container is killed', init([status('i', ended(137, { signal: 9 }))]), '0/2 Init:Signal:9 0'],
    ['init container has no image', init([status('i', waits('ErrImagePull'))]), '0/2 Init:ErrImagePull 0'],
    ['restarts of an init container count while it lasts', init([status('i', running, { restartCount: 2 })]), '0/2 Init:0/2 2'],
    ['and are forgotten afterwards', init([status('i', done, { restartCount: 2 }), status('s', running, { started: true, restartCount: 3 })], { phase: 'Running', containerStatuses: [status('a', running)] }), '2/2 Running 3'],
    ['a sidecar that crashes later', init([status('i', done), status('s', waits('CrashLoopBackOff'), { restartCount: 4 })], { conditions: [{ type: 'Initialized', status: 'True' }], containerStatuses: [status('a', running)] }), '1/2 Init:CrashLoopBackOff 4'],
  ])('%s', (_, subject, expected) => {
    const { ready, total, status, restarts } = summarize(subject)
    expect(`${ready}/${total} ${status} ${restarts}`).toBe(expected)
  })

  test('the last of all restarts counts', () => {
    const subject = pod({
      status: {
        containerStatuses: [
          status('a', running, { restartCount: 1, lastState: failedAt('2026-11-20T08:10:00Z') }),
          status('b', running, { restartCount: 1, lastState: failedAt('2026-11-20T08:20:00Z') }),
        ],
      },
    })
    expect(summarize(subject).lastRestartAt).toBe('2026-11-20T08:20:00Z')
  })
})

test('what the portal makes of a pod, by rules that were written apart, is the same', () => {
  // An API server always writes these.
  const full = (statuses: readonly KubernetesContainerStatus[] = []) =>
    statuses.map(({ state = {}, ...status }) => ({
      ready: false,
      restartCount: 0,
      ...status,
      state: {
        ...state,
        ...(state.terminated && { terminated: { exitCode: 0, ...state.terminated } }),
      },
    }))
  fc.assert(
    fc.property(consistentPod, (any) => {
      const { conditions = [], ...rest } = any.status ?? {}
      fc.pre(new Set(conditions.map(({ type }) => type)).size === conditions.length)
      const status = {
        ...rest,
        conditions,
        initContainerStatuses: full(rest.initContainerStatuses),
        containerStatuses: full(rest.containerStatuses),
      }
      const subject = { ...any, status }
      const expected = podStatus(subject)
      expect(summarize(subject as unknown as Pod)).toMatchObject({
        ...expected.ready,
        status: expected.status,
        restarts: expected.restarts,
      })
    }),
    { numRuns: 2_000 },
  )
})
