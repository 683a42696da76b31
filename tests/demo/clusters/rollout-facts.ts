import type { Pod } from '#src/demo/clusters/objects.ts'
import type { OpenSimulation } from './open-simulation.ts'

/** What a test asks about a rollout. */

type Condition = { type: string; status: string; reason?: string; message?: string }

export const isGoing = ({ metadata }: Pod) => metadata.deletionTimestamp !== undefined
export const isReady = ({ status }: Pod) =>
  status.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false
export const staying = ({ store }: OpenSimulation) =>
  store.list('pods').filter((pod) => !isGoing(pod))
export const names = (simulation: OpenSimulation) =>
  staying(simulation).map(({ metadata }) => metadata.name)

export const said = (simulation: OpenSimulation, type: string) => {
  const conditions: readonly Condition[] = simulation.deployment().status.conditions ?? []
  const found = conditions.find((condition) => condition.type === type)
  return found && `${found.status} ${found.reason}: ${found.message}`
}

/** By the rules of `kubectl rollout status`. */
export function isComplete({
  metadata,
  spec,
  status,
}: ReturnType<OpenSimulation['deployment']>): boolean {
  const { updatedReplicas = 0, replicas = 0, availableReplicas = 0 } = status
  return (
    status.observedGeneration === metadata.generation &&
    [updatedReplicas, replicas, availableReplicas].every((count) => count === spec.replicas)
  )
}
