import fc from 'fast-check'
import type {
  KubernetesDaemonSet,
  KubernetesStatefulSet,
} from '#src/lib/ports/kubernetes-objects.ts'

/** Objects in all stages of a rollout, and some that cannot be: the same ones each time, of different names. */

const SEED = 20_261_128
const count = fc.nat(3)
const template = { spec: { containers: [{ name: 'a' }] } }

const metadata = (index: number) => ({
  name: `shop-${index}`,
  namespace: 'payments',
  uid: `u-${index}`,
  generation: 2,
  creationTimestamp: '2026-01-01T00:00:00Z',
})

export const anyStatefulSets = (howMany: number): readonly KubernetesStatefulSet[] =>
  fc
    .sample(
      fc.record({
        replicas: count,
        ready: count,
        updated: count,
        partition: fc.constantFrom(0, 1, null),
        generation: fc.constantFrom(2, 2, 2, 2, 2, 1),
        revision: fc.constantFrom('a', 'b'),
      }),
      { seed: SEED, numRuns: howMany },
    )
    .map(({ replicas, ready, updated, partition, generation, revision }, index) => ({
      metadata: metadata(index),
      spec: {
        replicas,
        template,
        updateStrategy: {
          type: 'RollingUpdate',
          ...(partition !== null && { rollingUpdate: { partition } }),
        },
      },
      status: {
        observedGeneration: generation,
        readyReplicas: ready,
        updatedReplicas: updated,
        currentReplicas: ready,
        currentRevision: 'a',
        updateRevision: revision,
      },
    }))

export const anyDaemonSets = (howMany: number): readonly KubernetesDaemonSet[] =>
  fc
    .sample(
      fc.record({
        desired: count,
        updated: count,
        available: count,
        generation: fc.constantFrom(2, 2, 2, 1),
      }),
      { seed: SEED, numRuns: howMany },
    )
    .map(({ desired, updated, available, generation }, index) => ({
      metadata: metadata(index),
      spec: { template, updateStrategy: { type: 'RollingUpdate' } },
      status: {
        observedGeneration: generation,
        desiredNumberScheduled: desired,
        updatedNumberScheduled: updated,
        numberAvailable: available,
      },
    }))
