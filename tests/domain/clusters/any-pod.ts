import fc from 'fast-check'
import type {
  KubernetesContainerState,
  KubernetesContainerStatus,
  KubernetesPod,
} from '#src/lib/ports/kubernetes-objects.ts'

/** Pods that the schema accepts; `consistentPod` is one that an API server could return. */

const optional = { requiredKeys: [] }
const text = fc.oneof(
  fc.constantFrom('', 'Completed', 'Error', 'PodInitializing', 'CrashLoopBackOff', 'NodeLost'),
  fc.string({ maxLength: 5 }),
)
const time = fc.oneof(
  fc.constantFrom('2026-01-01T00:00:01Z', '2026-01-01T00:00:02Z', '2026-01-01T01:00:02+01:00'),
  fc.constantFrom(null),
)
const anyTime = fc.oneof(time, text)
const exitCode = fc.constantFrom(0, 1, 137)

const terminated = fc.record(
  { exitCode, signal: fc.constantFrom(0, 9), reason: text, message: text, finishedAt: anyTime },
  optional,
)
const waiting = fc.record({ reason: text, message: text }, optional)
const running = fc.record({ startedAt: time }, optional)

/** Includes states that exclude each other. */
const anyState: fc.Arbitrary<KubernetesContainerState> = fc.record(
  { waiting, running, terminated },
  optional,
)
const oneState: fc.Arbitrary<KubernetesContainerState> = fc.oneof(
  fc.constant({}),
  waiting.map((each) => ({ waiting: each })),
  running.map((each) => ({ running: each })),
  terminated.map((each) => ({ terminated: each })),
)

const statusOf = (
  name: fc.Arbitrary<string>,
  state: fc.Arbitrary<KubernetesContainerState>,
): fc.Arbitrary<KubernetesContainerStatus> =>
  fc.record(
    {
      name,
      ready: fc.boolean(),
      started: fc.boolean(),
      restartCount: fc.nat(9),
      state,
      lastState: state,
    },
    { requiredKeys: ['name'] },
  )

const condition = fc.record(
  {
    type: fc.constantFrom('PodScheduled', 'Initialized', 'Ready', 'ContainersReady'),
    status: fc.constantFrom('True', 'False', 'Unknown'),
    reason: fc.constantFrom('SchedulingGated', 'Unschedulable', ''),
    message: text,
  },
  { requiredKeys: ['type', 'status'] },
)
const phase = fc.constantFrom('Pending', 'Running', 'Succeeded', 'Failed', 'Unknown')

const restartPolicy = fc.constantFrom('Always', 'OnFailure')
const containerOf = (name: fc.Arbitrary<string>) =>
  fc.record({ name, image: text, restartPolicy }, { requiredKeys: ['name'] })

const metadata = fc.record(
  {
    name: text,
    namespace: text,
    uid: text,
    creationTimestamp: text,
    deletionTimestamp: text,
    labels: fc.dictionary(fc.constantFrom('pod-template-hash', 'app'), text),
    ownerReferences: fc.array(
      fc.record(
        { kind: fc.constantFrom('ReplicaSet', 'Job'), name: text, controller: fc.boolean() },
        { requiredKeys: ['kind', 'name'] },
      ),
    ),
  },
  { requiredKeys: ['name', 'namespace', 'uid', 'creationTimestamp'] },
)

export const anyPod: fc.Arbitrary<KubernetesPod> = fc.record(
  {
    metadata,
    spec: fc.record(
      {
        containers: fc.array(containerOf(text), { maxLength: 3 }),
        initContainers: fc.array(containerOf(text), { maxLength: 3 }),
        nodeName: text,
      },
      { requiredKeys: ['containers'] },
    ),
    status: fc.record(
      {
        phase: fc.oneof(phase, text),
        reason: text,
        message: text,
        podIP: text,
        conditions: fc.array(condition, { maxLength: 3 }),
        initContainerStatuses: fc.array(statusOf(text, anyState), { maxLength: 3 }),
        containerStatuses: fc.array(statusOf(text, anyState), { maxLength: 3 }),
      },
      optional,
    ),
  },
  { requiredKeys: ['metadata', 'spec'] },
)

const INITS = ['i', 'j', 'k']
const MAINS = ['a', 'b', 'c']
const containersNamed = (names: readonly string[]) =>
  fc.tuple(...names.map((name) => containerOf(fc.constant(name))))
const statusesNamed = (names: readonly string[]) =>
  fc.tuple(...names.map((name) => statusOf(fc.constant(name), oneState)))

export const consistentPod: fc.Arbitrary<KubernetesPod> = fc
  .record({ inits: fc.nat(3), mains: fc.integer({ min: 1, max: 3 }) })
  .chain(({ inits, mains }) =>
    fc.record({
      metadata,
      spec: fc.record({
        initContainers: containersNamed(INITS.slice(0, inits)),
        containers: containersNamed(MAINS.slice(0, mains)),
      }),
      status: fc.record(
        {
          phase,
          reason: text,
          message: text,
          podIP: text,
          conditions: fc.array(condition, { maxLength: 3 }),
          initContainerStatuses: statusesNamed(INITS.slice(0, inits)),
          containerStatuses: statusesNamed(MAINS.slice(0, mains)),
        },
        optional,
      ),
    }),
  )
