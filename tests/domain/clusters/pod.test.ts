import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { podView, type PodView } from '#src/lib/domain/clusters/pod.ts'
import type { KubernetesPod } from '#src/lib/ports/kubernetes-objects.ts'
import { anyPod } from './any-pod.ts'
import { condition, DONE, ended, is, pod, restarted, RUNNING, waiting } from './objects.ts'
import { growth, LINEAR_GROWTH_MAX } from '#tests/support/processor-time.ts'

const T1 = '2026-01-01T00:00:01Z'
const T2 = '2026-01-01T00:00:02Z'
const DIGEST = `sha256:${'ab'.repeat(32)}`
const one = { containers: [{ name: 'a' }] }
const two = { containers: [{ name: 'a' }, { name: 'b' }] }
const init = { initContainers: [{ name: 'i' }], ...one }

test('everything that is said of a pod', () => {
  const object = pod(
    {
      phase: 'Running',
      podIP: '10.0.0.7',
      conditions: [condition('Initialized', 'True'), condition('Ready', 'False')],
      initContainerStatuses: [is('migrate', DONE, { started: false }), is('proxy')],
      containerStatuses: [
        is('web', waiting('CrashLoopBackOff', 'back-off 5m0s restarting failed container'), {
          started: false,
          imageID: `registry.example.org/shop@${DIGEST}`,
          restartCount: 7,
          lastState: {
            terminated: { exitCode: 137, reason: 'OOMKilled', message: 'long log', finishedAt: T2 },
          },
        }),
      ],
    },
    {
      nodeName: 'node-1',
      initContainers: [
        { name: 'migrate', image: 'shop:1' },
        { name: 'proxy', image: 'proxy:2', restartPolicy: 'Always' },
      ],
      containers: [{ name: 'web', image: 'shop:1' }],
      ephemeralContainers: [{ name: 'debugger', image: 'busybox' }],
    },
    {
      deletionTimestamp: T2,
      labels: { app: 'shop', 'pod-template-hash': '5d4f' },
      ownerReferences: [{ kind: 'ReplicaSet', name: 'shop-5d4f', controller: true }],
    },
  )
  expect(podView(object)).toStrictEqual({
    name: 'shop-5d4f-x',
    namespace: 'payments',
    uid: 'u-1',
    phase: 'Running',
    status: 'Terminating',
    statusMessage: null,
    ready: { ready: 1, total: 2 },
    restarts: 7,
    lastRestartAt: T2,
    lastTermination: { container: 'web', reason: 'OOMKilled', exitCode: 137, finishedAt: T2 },
    createdAt: '2026-01-01T00:00:00Z',
    deletionTimestamp: T2,
    node: 'node-1',
    podIP: '10.0.0.7',
    owner: { kind: 'Deployment', name: 'shop' },
    images: ['shop:1'],
    labels: { app: 'shop', 'pod-template-hash': '5d4f' },
    containers: [
      {
        name: 'migrate',
        image: 'shop:1',
        digest: null,
        init: true,
        sidecar: false,
        ephemeral: false,
        ready: false,
        started: false,
        restarts: 0,
        state: 'terminated',
        reason: 'Completed',
        message: null,
        lastTermination: null,
      },
      {
        name: 'proxy',
        image: 'proxy:2',
        digest: null,
        init: true,
        sidecar: true,
        ephemeral: false,
        ready: true,
        started: true,
        restarts: 0,
        state: 'running',
        reason: null,
        message: null,
        lastTermination: null,
      },
      {
        name: 'web',
        image: 'shop:1',
        digest: DIGEST,
        init: false,
        sidecar: false,
        ephemeral: false,
        ready: false,
        started: false,
        restarts: 7,
        state: 'waiting',
        reason: 'CrashLoopBackOff',
        message: 'back-off 5m0s restarting failed container',
        lastTermination: { reason: 'OOMKilled', exitCode: 137, finishedAt: T2 },
      },
      {
        name: 'debugger',
        image: 'busybox',
        digest: null,
        init: false,
        sidecar: false,
        ephemeral: true,
        ready: false,
        started: null,
        restarts: 0,
        state: null,
        reason: null,
        message: null,
        lastTermination: null,
      },
    ],
  })
})

test('the least that there is of a pod', () => {
  const { name, namespace, uid, creationTimestamp } = pod().metadata
  const object = { metadata: { name, namespace, uid, creationTimestamp }, spec: one }
  expect(podView(object)).toStrictEqual({
    name: 'shop-5d4f-x',
    namespace: 'payments',
    uid: 'u-1',
    phase: null,
    status: '',
    statusMessage: null,
    ready: { ready: 0, total: 1 },
    restarts: 0,
    lastRestartAt: null,
    lastTermination: null,
    createdAt: '2026-01-01T00:00:00Z',
    deletionTimestamp: null,
    node: null,
    podIP: null,
    owner: null,
    images: [],
    labels: {},
    containers: [
      {
        name: 'a',
        image: null,
        digest: null,
        init: false,
        sidecar: false,
        ephemeral: false,
        ready: false,
        started: null,
        restarts: 0,
        state: null,
        reason: null,
        message: null,
        lastTermination: null,
      },
    ],
  })
})

describe('the message', () => {
  const UNSCHEDULABLE = condition('PodScheduled', 'False', 'Unschedulable', '0/3 nodes fit')
  const RUNS = { phase: 'Running', message: 'of the pod' }
  // prettier-ignore
  test.each<[string, KubernetesPod, string | null]>([
    ['of the container that waits',          pod({ ...RUNS, containerStatuses: [is('a', waiting('ErrImagePull', 'no such image'))] }),          'no such image'],
    ['of the container that ended',          pod({ ...RUNS, containerStatuses: [is('a', ended(1, { reason: 'Error', message: 'panic' }))] }),   'panic'],
    ['of the container that decides',        pod({ ...RUNS, containerStatuses: [is('a', waiting('X', 'first')), is('b', waiting('Y', 'second'))] }, two), 'first'],
    ['of the second, where it decides',      pod({ ...RUNS, containerStatuses: [is('a'), is('b', waiting('Y', 'second'))] }, two),              'second'],
    ['of the init container that decides',   pod({ ...RUNS, initContainerStatuses: [is('i', waiting('X', 'init'))], containerStatuses: [is('a', waiting('PodInitializing', 'main'))] }, init), 'init'],
    ['of what failed beside what is done',   pod({ ...RUNS, containerStatuses: [is('a', ended(0, { reason: 'Completed', message: 'well' })), is('b', ended(1, { message: 'badly' }))] }, two), 'badly'],
    ['of the pod, if its container is mute', pod({ ...RUNS, containerStatuses: [is('a', waiting('ContainerCreating', ''))] }),                  'of the pod'],
    ['of the pod, if no container decides',  pod({ phase: 'Failed', reason: 'Evicted', message: 'The node was low on memory.' }),               'The node was low on memory.'],
    ['not of a container that does not decide', pod({ phase: 'Running', containerStatuses: [is('a', waiting('X', 'first'))] }, one, { deletionTimestamp: T1 }), null],
    ['of the scheduler',                     pod({ phase: 'Pending', conditions: [UNSCHEDULABLE] }),                                            '0/3 nodes fit'],
    ['of the pod before the scheduler',      pod({ phase: 'Pending', message: 'of the pod', conditions: [UNSCHEDULABLE] }),                     'of the pod'],
    ['of the gates',                         pod({ phase: 'Pending', conditions: [condition('PodScheduled', 'False', 'SchedulingGated', 'gates are there')] }), 'gates are there'],
    ['not of a scheduler that succeeded',    pod({ phase: 'Pending', conditions: [condition('PodScheduled', 'True', 'X', 'fine')] }),           null],
    ['not of another condition',             pod({ phase: 'Running', conditions: [condition('Ready', 'False', 'X', 'not ready')] }),            null],
    ['none',                                 pod({ phase: 'Running', message: '', containerStatuses: [is('a')] }),                              null],
  ])('%s', (_, object, message) => {
    expect(podView(object).statusMessage).toBe(message)
  })
})

describe('the last termination', () => {
  const at = (finishedAt: string | null, exitCode = 1) =>
    ended(exitCode, { reason: 'Error', finishedAt })
  const line = (object: KubernetesPod): string | null => {
    const last = podView(object).lastTermination
    return last && `${last.container} ${last.reason} ${last.exitCode} ${last.finishedAt}`
  }
  // prettier-ignore
  test.each<[string, KubernetesPod, string | null]>([
    ['of the run before',                 pod({ containerStatuses: [is('a', RUNNING, restarted(1, T1))] }),                                  `a Error 1 ${T1}`],
    ['of the run now',                    pod({ containerStatuses: [is('a', at(T2))] }),                                                     `a Error 1 ${T2}`],
    ['the later one',                     pod({ containerStatuses: [is('a', at(T2, 2), restarted(1, T1))] }),                                `a Error 2 ${T2}`],
    ['in the same second the run now',    pod({ containerStatuses: [is('a', at(T1, 2), restarted(1, T1))] }),                                `a Error 2 ${T1}`],
    ['of all containers',                 pod({ containerStatuses: [is('a', RUNNING, restarted(1, T1)), is('b', RUNNING, restarted(1, T2))] }, two), `b Error 1 ${T2}`],
    ['a lost one is earlier',             pod({ containerStatuses: [is('a', at(null, 2)), is('b', RUNNING, restarted(1, T1))] }, two),       `b Error 1 ${T1}`],
    ['unless there is no other',          pod({ containerStatuses: [is('a', at(null, 137))] }),                                              'a Error 137 null'],
    ['without a reason and an exit code', pod({ containerStatuses: [is('a', { terminated: {} })] }),                                         'a null 0 null'],
    ['also one that went well',           pod({ containerStatuses: [is('a', DONE)] }),                                                       'a Completed 0 null'],
    ['an init container that failed',     pod({ initContainerStatuses: [is('i', at(T1))] }, init),                                           `i Error 1 ${T1}`],
    ['its run before',                    pod({ initContainerStatuses: [is('i', RUNNING, restarted(1, T1))] }, init),                        `i Error 1 ${T1}`],
    ['not an init container that is done', pod({ initContainerStatuses: [is('i', at(T2, 0))], containerStatuses: [is('a')] }, init),         null],
    ['but what it needed for that',       pod({ initContainerStatuses: [is('i', DONE, restarted(1, T1))], containerStatuses: [is('a')] }, init), `i Error 1 ${T1}`],
    ['none',                              pod({ containerStatuses: [is('a')] }),                                                             null],
  ])('%s', (_, object, expected) => {
    expect(line(object)).toBe(expected)
  })
})

describe('the owner', () => {
  const owned = (
    kind: string,
    name: string,
    labels: Record<string, string> = { 'pod-template-hash': '5d4f' },
    controller = true,
  ) => pod({}, one, { labels, ownerReferences: [{ kind, name, controller }] })
  // prettier-ignore
  test.each<[string, KubernetesPod, PodView['owner']]>([
    ['the deployment of a replica set',       owned('ReplicaSet', 'shop-5d4f'),                               { kind: 'Deployment', name: 'shop' }],
    ['a replica set of nobody',               owned('ReplicaSet', 'shop-5d4f', {}),                           { kind: 'ReplicaSet', name: 'shop-5d4f' }],
    ['a replica set whose name ends alike',   owned('ReplicaSet', 'shop-x', { app: 'x' }),                    { kind: 'ReplicaSet', name: 'shop-x' }],
    ['a replica set with an empty label',     owned('ReplicaSet', 'shop-', { 'pod-template-hash': '' }),      { kind: 'ReplicaSet', name: 'shop-' }],
    ['a replica set with another label',      owned('ReplicaSet', 'shop-5d4f', { 'pod-template-hash': '4f' }), { kind: 'ReplicaSet', name: 'shop-5d4f' }],
    ['a replica set that is only the label',  owned('ReplicaSet', '-5d4f'),                                   { kind: 'ReplicaSet', name: '-5d4f' }],
    ['something else of such a name',         owned('StatefulSet', 'shop-5d4f'),                              { kind: 'StatefulSet', name: 'shop-5d4f' }],
    ['a job',                                 owned('Job', 'nightly-1', {}),                                  { kind: 'Job', name: 'nightly-1' }],
    ['not one that does not control it',      owned('Node', 'node-1', {}, false),                             null],
    ['the one of two that controls',          pod({}, one, { ownerReferences: [{ kind: 'A', name: 'a' }, { kind: 'B', name: 'b', controller: true }] }), { kind: 'B', name: 'b' }],
  ])('%s', (_, object, owner) => {
    expect(podView(object).owner).toStrictEqual(owner)
  })
})

describe('containers', () => {
  test('in the order of the specification, whatever that of the statuses', () => {
    const object = pod(
      {
        containerStatuses: [is('b', waiting('X')), is('a')],
      },
      { containers: [{ name: 'a' }, { name: 'b' }], initContainers: [{ name: 'i' }] },
    )
    expect(
      podView(object).containers.map(({ name, init, reason }) => [name, init, reason]),
    ).toStrictEqual([
      ['i', true, null],
      ['a', false, null],
      ['b', false, 'X'],
    ])
  })

  test('a policy makes no sidecar of what is no init container', () => {
    const object = pod({}, { containers: [{ name: 'a', restartPolicy: 'Always' }] })
    expect(podView(object).containers[0]?.sidecar).toBe(false)
  })

  test('one of the same name elsewhere is another', () => {
    const object = pod({ initContainerStatuses: [is('a', DONE)] }, { containers: [{ name: 'a' }] })
    expect(podView(object).containers[0]?.state).toBeNull()
  })

  // prettier-ignore
  test.each<[string, Parameters<typeof is>[1], (string | null)[]]>([
    ['runs',                      RUNNING,                                         ['running', null, null]],
    ['waits',                     waiting('X', 'why'),                             ['waiting', 'X', 'why']],
    ['waits, mute',               waiting('', ''),                                 ['waiting', null, null]],
    ['ended',                     ended(1, { reason: 'Error', message: 'panic' }), ['terminated', 'Error', 'panic']],
    ['ended, mute',               { terminated: {} },                              ['terminated', null, null]],
    ['in no state: waits, as Kubernetes has it', {},                               ['waiting', null, null]],
  ])('%s', (_, given, expected) => {
    const [container] = podView(pod({ containerStatuses: [is('a', given)] })).containers
    expect([container?.state, container?.reason, container?.message]).toStrictEqual(expected)
  })

  test('images are those of the containers, once each', () => {
    const object = pod(
      {},
      {
        initContainers: [{ name: 'i', image: 'init:1' }],
        containers: [
          { name: 'a', image: 'x:1' },
          { name: 'b', image: 'y:1' },
          { name: 'c', image: 'x:1' },
          { name: 'd' },
        ],
      },
    )
    expect(podView(object).images).toStrictEqual(['x:1', 'y:1'])
  })
})

test('what nobody asked for stays out', () => {
  const canary = 'correct horse battery staple'
  const container = {
    name: 'a',
    image: 'shop:1',
    args: [canary],
    command: [canary],
    env: [{ name: 'PASSWORD', value: canary }],
    envFrom: [{ secretRef: { name: canary } }],
  }
  const status = {
    ...is('a', waiting('X', 'why'), restarted(1, T1)),
    containerID: canary,
    resources: { x: canary },
  }
  const object = {
    metadata: {
      ...pod().metadata,
      annotations: { 'kubectl.kubernetes.io/last-applied-configuration': canary },
      managedFields: [{ manager: canary }],
      finalizers: [canary],
      ownerReferences: [{ kind: 'Job', name: 'j', controller: true, uid: canary }],
    },
    spec: {
      containers: [container],
      initContainers: [{ ...container, name: 'i' }],
      volumes: [{ name: canary }],
      serviceAccountName: canary,
    },
    status: {
      phase: 'Running',
      hostIP: canary,
      conditions: [{ ...condition('Ready', 'True'), other: canary }],
      initContainerStatuses: [{ ...status, name: 'i' }],
      containerStatuses: [status],
    },
  }
  expect(JSON.stringify(podView(object))).not.toContain(canary)
})

test('there is an answer for any pod, with all its members', () => {
  const members = Object.keys(podView(pod())).toSorted()
  fc.assert(
    fc.property(anyPod, (object) => {
      const view = podView(object)
      expect(Object.keys(view).toSorted()).toStrictEqual(members)
      expect(Object.values(view)).not.toContain(undefined)
    }),
    { numRuns: 1_000 },
  )
})

test('each container has the first status of its name, however many there are', () => {
  const ofContainers = (count: number) => {
    const names = Array.from({ length: count }, (_, index) => `c-${index}`)
    const object = pod(
      { containerStatuses: [...names.map((name) => is(name)), is('c-0', DONE)] },
      { containers: names.map((name) => ({ name })) },
    )
    return () =>
      expect(podView(object).containers.every(({ state }) => state === 'running')).toBe(true)
  }
  // Looking through all statuses for each container takes eight seconds.
  expect(growth(60_000, ofContainers)).toBeLessThan(LINEAR_GROWTH_MAX)
})
