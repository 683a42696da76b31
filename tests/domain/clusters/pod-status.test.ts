import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { podStatus } from '#src/lib/domain/clusters/pod-status.ts'
import type { KubernetesPod } from '#src/lib/ports/kubernetes-objects.ts'
import { condition, DONE, ended, is, pod, restarted, RUNNING, waiting } from './objects.ts'
import { anyPod, consistentPod } from './any-pod.ts'

const T1 = '2026-01-01T00:00:01Z'
const T2 = '2026-01-01T00:00:02Z'
const T3 = '2026-01-01T00:00:03Z'

/** The columns, and the container that STATUS is about. */
const printed = (object: KubernetesPod): string => {
  const { status, ready, restarts, lastRestartAt, decidedBy } = podStatus(object)
  const since = lastRestartAt === null ? '' : ` (${lastRestartAt})`
  const by = decidedBy === null ? '' : ` by ${decidedBy.name}`
  return `${status} ${ready.ready}/${ready.total} ${restarts}${since}${by}`
}

const two = { containers: [{ name: 'a' }, { name: 'b' }] }
const one = { containers: [{ name: 'a' }] }
const init = { initContainers: [{ name: 'i' }], ...one }
const inits = { initContainers: [{ name: 'i' }, { name: 'j' }], ...one }
const sidecar = { initContainers: [{ name: 's', restartPolicy: 'Always' }], ...one }
const sidecarAndInit = {
  initContainers: [{ name: 's', restartPolicy: 'Always' }, { name: 'i' }],
  ...one,
}
const GATED = condition('PodScheduled', 'False', 'SchedulingGated')
const INITIALIZED = condition('Initialized', 'True')
const READY = condition('Ready', 'True')
const OOM = { exitCode: 137, reason: 'OOMKilled' }

describe('the pod itself', () => {
  // prettier-ignore
  test.each<[string, KubernetesPod, string]>([
    ['its phase, while nothing is known of its containers', pod({ phase: 'Pending' }),                                   'Pending 0/1 0'],
    ['its reason rather than its phase',       pod({ phase: 'Failed', reason: 'Evicted' }),                              'Evicted 0/1 0'],
    ['its phase, if its reason is empty',      pod({ phase: 'Failed', reason: '' }),                                     'Failed 0/1 0'],
    ['nothing, if there is nothing',           pod({}),                                                                  ' 0/1 0'],
    ['nothing, without a status',              { metadata: pod().metadata, spec: one },                                  ' 0/1 0'],
    ['gated',                                  pod({ phase: 'Pending', conditions: [GATED] }),                           'SchedulingGated 0/1 0'],
    ['gated, whatever its reason',             pod({ phase: 'Pending', reason: 'X', conditions: [GATED] }),              'SchedulingGated 0/1 0'],
    ['not gated, but unschedulable',           pod({ phase: 'Pending', conditions: [condition('PodScheduled', 'False', 'Unschedulable')] }), 'Pending 0/1 0'],
    ['not gated, but ready for another reason', pod({ phase: 'Pending', conditions: [condition('Ready', 'False', 'SchedulingGated')] }), 'Pending 0/1 0'],
  ])('%s', (_, object, line) => {
    expect(printed(object)).toBe(line)
  })
})

describe('containers', () => {
  // prettier-ignore
  test.each<[string, KubernetesPod, string]>([
    ['runs and is ready',              pod({ phase: 'Running', containerStatuses: [is('a')] }),                                             'Running 1/1 0'],
    ['runs and is not ready',          pod({ phase: 'Running', containerStatuses: [is('a', RUNNING, { ready: false })] }),                  'Running 0/1 0'],
    ['runs, ready is left out',        pod({ phase: 'Running', containerStatuses: [{ name: 'a', state: RUNNING }] }),                       'Running 0/1 0'],
    ['ready, but in no state',         pod({ phase: 'Running', containerStatuses: [{ name: 'a', ready: true, state: {} }] }),               'Running 0/1 0'],
    ['no state at all',                pod({ phase: 'Running', containerStatuses: [{ name: 'a', ready: true }] }),                          'Running 0/1 0'],
    ['waits',                          pod({ phase: 'Pending', containerStatuses: [is('a', waiting('ContainerCreating'))] }),               'ContainerCreating 0/1 0 by a'],
    ['waits for its init containers',  pod({ phase: 'Pending', containerStatuses: [is('a', waiting('PodInitializing'))] }),                 'PodInitializing 0/1 0 by a'],
    ['waits without a reason',         pod({ phase: 'Pending', containerStatuses: [is('a', waiting())] }),                                  'Pending 0/1 0'],
    ['waits with an empty reason',     pod({ phase: 'Pending', containerStatuses: [is('a', waiting(''))] }),                                'Pending 0/1 0'],
    ['waits, and a stale ready',       pod({ phase: 'Running', containerStatuses: [is('a', waiting('X'), { ready: true })] }),              'X 0/1 0 by a'],
    ['waits after it was killed',      pod({ phase: 'Running', containerStatuses: [is('a', waiting('CrashLoopBackOff'), restarted(7, T2, OOM))] }), `CrashLoopBackOff 0/1 7 (${T2}) by a`],
    ['ended with a reason',            pod({ phase: 'Running', containerStatuses: [is('a', ended(137, { reason: 'OOMKilled' }))] }),        'OOMKilled 0/1 0 by a'],
    ['ended without a reason',         pod({ phase: 'Failed', containerStatuses: [is('a', ended(3))] }),                                    'ExitCode:3 0/1 0 by a'],
    ['ended with an empty reason',     pod({ phase: 'Failed', containerStatuses: [is('a', ended(3, { reason: '', signal: 0 }))] }),         'ExitCode:3 0/1 0 by a'],
    ['ended, and everything left out', pod({ phase: 'Failed', containerStatuses: [is('a', { terminated: {} })] }),                          'ExitCode:0 0/1 0 by a'],
    ['ended by a signal',              pod({ phase: 'Failed', containerStatuses: [is('a', ended(137, { signal: 9 }))] }),                   'Signal:9 0/1 0 by a'],
    ['a reason goes before a signal',  pod({ phase: 'Failed', containerStatuses: [is('a', ended(137, { signal: 9, reason: 'Error' }))] }),  'Error 0/1 0 by a'],
    ['ended, and a stale ready',       pod({ phase: 'Failed', containerStatuses: [is('a', ended(1, { reason: 'Error' }), { ready: true })] }), 'Error 0/1 0 by a'],
    ['done',                           pod({ phase: 'Succeeded', containerStatuses: [is('a', DONE)] }),                                     'Completed 0/1 0 by a'],
    ['evicted, and what became of it', pod({ phase: 'Failed', reason: 'Evicted', containerStatuses: [is('a', ended(137, { reason: 'ContainerStatusUnknown', finishedAt: null }))] }), 'ContainerStatusUnknown 0/1 0 by a'],
    ['two reasons: the first decides', pod({ phase: 'Running', containerStatuses: [is('a', waiting('ImagePullBackOff')), is('b', waiting('CrashLoopBackOff'))] }, two), 'ImagePullBackOff 0/2 0 by a'],
    ['one runs, one does not',         pod({ phase: 'Running', containerStatuses: [is('a'), is('b', waiting('CrashLoopBackOff'))] }, two),  'CrashLoopBackOff 1/2 0 by b'],
    ['of the second nothing is known', pod({ phase: 'Running', containerStatuses: [is('a')] }, two),                                        'Running 1/2 0'],
  ])('%s', (_, object, line) => {
    expect(printed(object)).toBe(line)
  })
})

describe('done, but not all of it', () => {
  const of = (
    conditions: NonNullable<KubernetesPod['status']>['conditions'],
    ...states: Parameters<typeof is>[1][]
  ) =>
    pod(
      {
        phase: 'Running',
        conditions: conditions ?? [],
        containerStatuses: states.map((state, at) => is('abc'.charAt(at), state)),
      },
      { containers: states.map((_, at) => ({ name: 'abc'.charAt(at) })) },
    )
  const ERROR = ended(1, { reason: 'Error' })
  // prettier-ignore
  test.each<[string, KubernetesPod, string]>([
    ['one runs, and the pod is ready',        of([READY], DONE, RUNNING),                        'Running 1/2 0'],
    ['in the other order',                    of([READY], RUNNING, DONE),                        'Running 1/2 0'],
    ['one runs, and the pod is not ready',    of([condition('Ready', 'False')], DONE, RUNNING),  'NotReady 1/2 0'],
    ['one runs, and nobody says',             of([], DONE, RUNNING),                             'NotReady 1/2 0'],
    ['one runs, and another is true',         of([condition('Initialized', 'True')], DONE, RUNNING), 'NotReady 1/2 0'],
    ['one failed',                            of([], DONE, ERROR),                               'Error 0/2 0 by b'],
    ['one failed, in the other order',        of([], ERROR, DONE),                               'Error 0/2 0 by a'],
    ['two failed: the first of them',         of([], DONE, ended(2), ERROR),                     'ExitCode:2 0/3 0 by b'],
    ['one failed, one runs, not ready',       of([], DONE, ERROR, RUNNING),                      'Error 1/3 0 by b'],
    ['one failed, one runs, ready',           of([READY], DONE, ERROR, RUNNING),                 'Running 1/3 0'],
    ['one waits',                             of([READY], DONE, waiting('CrashLoopBackOff')),    'Completed 0/2 0 by a'],
    ['not done, but in error: one runs',      of([READY], ERROR, RUNNING),                       'Error 1/2 0 by a'],
  ])('%s', (_, object, line) => {
    expect(printed(object)).toBe(line)
  })
})

describe('init containers', () => {
  const WAITS = [is('a', waiting('PodInitializing'))]
  const of = (
    spec: Partial<KubernetesPod['spec']>,
    initContainerStatuses: ReturnType<typeof is>[],
    more: KubernetesPod['status'] = {},
  ) => pod({ phase: 'Pending', initContainerStatuses, containerStatuses: WAITS, ...more }, spec)
  // prettier-ignore
  test.each<[string, KubernetesPod, string]>([
    ['runs',                            of(init, [is('i', RUNNING, { ready: false })]),                       'Init:0/1 0/1 0 by i'],
    ['waits for its turn',              of(inits, [is('i', DONE), is('j', waiting('PodInitializing'))]),      'Init:1/2 0/1 0 by j'],
    ['waits without a reason',          of(inits, [is('i', waiting()), is('j', waiting('X'))]),               'Init:0/2 0/1 0 by i'],
    ['has no state',                    of(init, [{ name: 'i' }]),                                            'Init:0/1 0/1 0 by i'],
    ['cannot start',                    of(init, [is('i', waiting('ImagePullBackOff'))]),                     'Init:ImagePullBackOff 0/1 0 by i'],
    ['crashes again and again',         of(init, [is('i', waiting('CrashLoopBackOff'), restarted(4, T3))]),   `Init:CrashLoopBackOff 0/1 4 (${T3}) by i`],
    ['failed',                          of(init, [is('i', ended(1, { reason: 'Error' }))]),                   'Init:Error 0/1 0 by i'],
    ['failed without a reason',         of(init, [is('i', ended(5))]),                                        'Init:ExitCode:5 0/1 0 by i'],
    ['was killed without a reason',     of(init, [is('i', ended(137, { signal: 9 }))]),                       'Init:Signal:9 0/1 0 by i'],
    ['the exit code is left out: 0',    of(init, [is('i', { terminated: { reason: 'Completed' } })]),         'PodInitializing 0/1 0 by a'],
    ['all are done',                    of(inits, [is('i', DONE), is('j', DONE)], { phase: 'Running', containerStatuses: [is('a')] }), 'Running 1/1 0'],
    ['the first decides',               of(inits, [is('i', ended(1, { reason: 'Error' })), is('j', waiting('ImagePullBackOff'), restarted(3, T1))]), 'Init:Error 0/1 0 by i'],
    ['failed, but initialised: the containers count, and have nothing to say', of(init, [is('i', ended(1, { reason: 'Error' }))], { conditions: [INITIALIZED], containerStatuses: [is('a')] }), 'Init:Error 1/1 0 by i'],
    ['failed, but initialised: the containers have something to say', of(init, [is('i', ended(1, { reason: 'Error' }))], { conditions: [INITIALIZED], containerStatuses: [is('a', waiting('CrashLoopBackOff'))] }), 'CrashLoopBackOff 0/1 0 by a'],
    ['not initialised: containers do not count', of(init, [is('i')], { conditions: [condition('Initialized', 'False')], containerStatuses: [is('a')] }), 'Init:0/1 0/1 0 by i'],
    ['the first such condition counts', of(init, [is('i')], { conditions: [condition('Initialized', 'False'), INITIALIZED], containerStatuses: [is('a')] }), 'Init:0/1 0/1 0 by i'],
    ['its restarts are forgotten',      of(init, [is('i', DONE, restarted(9, T3))], { containerStatuses: [is('a', RUNNING, restarted(1, T1))] }), `Pending 1/1 1 (${T1})`],
    ['its restarts count until then',   of(inits, [is('i', DONE, restarted(2, T3)), is('j', RUNNING, restarted(1, T2))]), `Init:1/2 0/1 3 (${T3}) by j`],
    ['unless it is behind',             of(inits, [is('i', RUNNING, restarted(2, T1)), is('j', waiting('PodInitializing'), restarted(9, T3))]), `Init:0/2 0/1 2 (${T1}) by i`],
  ])('%s', (_, object, line) => {
    expect(printed(object)).toBe(line)
  })
})

describe('sidecars', () => {
  const of = (
    spec: Partial<KubernetesPod['spec']>,
    initContainerStatuses: ReturnType<typeof is>[],
    more: KubernetesPod['status'] = {},
  ) => pod({ phase: 'Running', initContainerStatuses, containerStatuses: [is('a')], ...more }, spec)
  // prettier-ignore
  test.each<[string, KubernetesPod, string]>([
    ['started and ready',              of(sidecar, [is('s')]),                                             'Running 2/2 0'],
    ['started and not ready',          of(sidecar, [is('s', RUNNING, { ready: false })]),                  'Running 1/2 0'],
    ['not started',                    of(sidecar, [is('s', RUNNING, { started: false, ready: false })]),  'Init:0/1 0/2 0 by s'],
    ['started is left out',            of(sidecar, [{ name: 's', ready: true, state: RUNNING }]),          'Init:0/1 0/2 0 by s'],
    ['not started, and a stale ready', of(sidecar, [is('s', RUNNING, { started: false })]),                'Init:0/1 0/2 0 by s'],
    ['counts among the init containers', of(sidecarAndInit, [is('s'), is('i', RUNNING)]),                  'Init:1/2 1/2 0 by i'],
    ['restarts for good',              of(sidecar, [is('s', RUNNING, restarted(2, T2))], { containerStatuses: [is('a', RUNNING, restarted(1, T1))] }), `Running 2/2 3 (${T2})`],
    ['the later of two',               of(sidecar, [is('s', RUNNING, restarted(2, T1))], { containerStatuses: [is('a', RUNNING, restarted(1, T2))] }), `Running 2/2 3 (${T2})`],
    ['beside an init container',       of(sidecarAndInit, [is('s', RUNNING, restarted(2, T1)), is('i', DONE, restarted(4, T3))]), `Running 2/2 2 (${T1})`],
    ['crashes once all is initialised', of(sidecar, [is('s', waiting('CrashLoopBackOff'), restarted(3, T1))], { conditions: [INITIALIZED] }), `Init:CrashLoopBackOff 1/2 3 (${T1}) by s`],
    ['crashed while started',          of(sidecar, [is('s', ended(1, { reason: 'Error' }), { started: true })]), 'Running 1/2 0'],
    ['ended well',                     of(sidecar, [is('s', DONE, { ready: true, started: true })]),       'Running 1/2 0'],
    ['is one by its policy alone',     of({ initContainers: [{ name: 's', restartPolicy: 'OnFailure' }], ...one }, [is('s')]), 'Init:0/1 0/1 0 by s'],
    ['a status of an unknown container', of(one, [is('x')]),                                               'Init:0/0 0/1 0 by x'],
  ])('%s', (_, object, line) => {
    expect(printed(object)).toBe(line)
  })
})

describe('restarts', () => {
  const of = (...containerStatuses: ReturnType<typeof is>[]) =>
    pod({ phase: 'Running', containerStatuses }, two)
  // prettier-ignore
  test.each<[string, KubernetesPod, string]>([
    ['none',                            of(is('a'), is('b')),                                                    'Running 2/2 0'],
    ['left out',                        of({ name: 'a', ready: true, state: RUNNING }),                          'Running 1/2 0'],
    ['of all containers, and the last', of(is('a', RUNNING, restarted(2, T2)), is('b', RUNNING, restarted(3, T1))), `Running 2/2 5 (${T2})`],
    ['of which nobody knows when',      of(is('a', RUNNING, { restartCount: 1 })),                               'Running 1/2 1'],
    ['of which Kubernetes lost one',    of(is('a', RUNNING, restarted(1, null)), is('b', RUNNING, restarted(1, T1))), `Running 2/2 2 (${T1})`],
    ['of which Kubernetes lost all',    of(is('a', RUNNING, restarted(1, null))),                                'Running 1/2 1'],
    ['none, though a run ended',        of(is('a', RUNNING, restarted(0, T1))),                                  'Running 1/2 0'],
    ['compared as times, not as text',  of(is('a', RUNNING, restarted(1, '2026-01-01T02:00:00+02:00')), is('b', RUNNING, restarted(1, T1))), `Running 2/2 2 (${T1})`],
  ])('%s', (_, object, line) => {
    expect(printed(object)).toBe(line)
  })
})

describe('deletion', () => {
  const deleted = { deletionTimestamp: T1 }
  // prettier-ignore
  test.each<[string, KubernetesPod, string]>([
    ['while it runs',                pod({ phase: 'Running', containerStatuses: [is('a')] }, one, deleted),                              'Terminating 1/1 0'],
    ['while a container fails',      pod({ phase: 'Running', containerStatuses: [is('a', ended(1))] }, one, deleted),                    'Terminating 0/1 0'],
    ['before anything started',      pod({ phase: 'Pending', conditions: [GATED] }, one, deleted),                                       'Terminating 0/1 0'],
    ['while it initialises',         pod({ phase: 'Pending', initContainerStatuses: [is('i')] }, init, deleted),                         'Terminating 0/1 0'],
    ['once it succeeded',            pod({ phase: 'Succeeded', containerStatuses: [is('a', DONE)] }, one, deleted),                      'Completed 0/1 0 by a'],
    ['once it failed',               pod({ phase: 'Failed', reason: 'Evicted' }, one, deleted),                                          'Evicted 0/1 0'],
    ['while its node is lost',       pod({ phase: 'Running', reason: 'NodeLost', containerStatuses: [is('a')] }, one, deleted),          'Unknown 1/1 0'],
    ['node lost, and it is over',    pod({ phase: 'Failed', reason: 'NodeLost' }, one, deleted),                                         'Unknown 0/1 0'],
    ['node lost, and not deleted',   pod({ phase: 'Running', reason: 'NodeLost', containerStatuses: [is('a')] }),                        'NodeLost 1/1 0'],
  ])('%s', (_, object, line) => {
    expect(printed(object)).toBe(line)
  })
})

describe('for any pod', () => {
  test('there is an answer', () => {
    fc.assert(
      fc.property(anyPod, (object) => {
        const { status, ready, restarts } = podStatus(object)
        expect(status).toBeString()
        expect(ready.ready).toBeGreaterThanOrEqual(0)
        expect(restarts).toBeGreaterThanOrEqual(0)
      }),
      { numRuns: 2_000 },
    )
  })

  test('no more containers are ready than there are, and what decides is one of them', () => {
    fc.assert(
      fc.property(consistentPod, (object) => {
        const { ready, restarts, lastRestartAt, decidedBy } = podStatus(object)
        const { initContainerStatuses = [], containerStatuses = [] } = object.status ?? {}
        expect(ready.ready).toBeLessThanOrEqual(ready.total)
        expect(restarts > 0 || lastRestartAt === null).toBe(true)
        expect([null, ...initContainerStatuses, ...containerStatuses]).toContain(decidedBy)
      }),
      { numRuns: 2_000 },
    )
  })

  test('what is left out is as good as zero, false and empty', () => {
    fc.assert(
      fc.property(consistentPod, (object) => {
        expect(printed(withZeros(object))).toBe(printed(object))
      }),
      { numRuns: 2_000 },
    )
  })
})

/** The object as a serialiser would write it that keeps zero values. */
function withZeros(object: KubernetesPod): KubernetesPod {
  const full = (statuses: ReturnType<typeof is>[] = []): ReturnType<typeof is>[] =>
    statuses.map(({ state, lastState, ...status }) => ({
      ready: false,
      started: false,
      restartCount: 0,
      ...status,
      state: fullState(state),
      lastState: fullState(lastState),
    }))
  const fullState = (state: ReturnType<typeof is>['state'] = {}) => ({
    ...(state.running && { running: { startedAt: null, ...state.running } }),
    ...(state.waiting && { waiting: { reason: '', message: '', ...state.waiting } }),
    ...(state.terminated && {
      terminated: {
        exitCode: 0,
        signal: 0,
        reason: '',
        message: '',
        finishedAt: null,
        ...state.terminated,
      },
    }),
  })
  return {
    ...object,
    status: {
      phase: '',
      reason: '',
      message: '',
      conditions: [],
      ...object.status,
      initContainerStatuses: full(object.status?.initContainerStatuses),
      containerStatuses: full(object.status?.containerStatuses),
    },
  }
}
