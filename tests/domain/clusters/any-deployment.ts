import fc from 'fast-check'
import type { KubernetesDeployment } from '#src/lib/ports/kubernetes-objects.ts'
import { condition, deployment } from './objects.ts'

const SEED = 20_261_121

const reason = fc.constantFrom(
  'ReplicaSetUpdated',
  'NewReplicaSetAvailable',
  'DeploymentPaused',
  'ProgressDeadlineExceeded',
)
const conditions = fc.array(
  fc
    .record({ type: fc.constantFrom('Available', 'Progressing'), reason, is: fc.boolean() })
    .map(({ type, reason, is }) => condition(type, is ? 'True' : 'False', reason)),
  { maxLength: 2 },
)
const count = fc.nat(3)
const status = fc.record(
  {
    replicas: count,
    updatedReplicas: count,
    readyReplicas: count,
    availableReplicas: count,
    unavailableReplicas: count,
    observedGeneration: fc.constantFrom(2, 2, 2, 2, 1),
    conditions,
  },
  { requiredKeys: ['observedGeneration'] },
)
const spec = fc.record({ replicas: count, paused: fc.boolean() }, { requiredKeys: ['replicas'] })

/** The same ones each time: of different names, in all stages of a rollout and some that cannot be. */
export const anyDeployments = (howMany: number): readonly KubernetesDeployment[] =>
  fc
    .sample(fc.tuple(status, spec), { seed: SEED, numRuns: howMany })
    .map(([status, spec], index) =>
      deployment(status, spec, { name: `shop-${index}.v2`, generation: 2 }),
    )
