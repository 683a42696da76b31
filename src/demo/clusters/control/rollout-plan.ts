import type { Deployment } from '../objects.ts'

/** The arithmetic of a rolling update in Kubernetes' deployment controller. */

/** The resolved numbers of `strategy.rollingUpdate`. */
export interface RolloutLimits {
  readonly maxSurge: number
  readonly maxUnavailable: number
}

export interface ReplicaSetScale {
  readonly name: string
  readonly replicas: number
  readonly available: number
  /** Pods that exist, terminating ones included. */
  readonly present: number
}

/** New `spec.replicas` of replica sets by name. */
export type DesiredReplicas = ReadonlyMap<string, number>

const DEFAULT_SHARE = '25%'

export function rolloutLimits({ spec: { replicas, strategy } }: Deployment): RolloutLimits {
  if (strategy?.type === 'Recreate') return { maxSurge: 0, maxUnavailable: 0 }
  const { maxSurge = DEFAULT_SHARE, maxUnavailable = DEFAULT_SHARE } = strategy?.rollingUpdate ?? {}
  const surge = resolve(maxSurge, replicas, Math.ceil)
  const unavailable = Math.min(resolve(maxUnavailable, replicas, Math.floor), replicas)
  // With both zero the rollout could not move.
  const isStuck = surge === 0 && unavailable === 0
  return { maxSurge: surge, maxUnavailable: isStuck ? Math.min(1, replicas) : unavailable }
}

function resolve(share: number | string, replicas: number, round: (n: number) => number): number {
  if (typeof share === 'number') return share
  return round((Number.parseInt(share, 10) * replicas) / 100)
}

const sum = (shares: readonly ReplicaSetScale[], member: 'replicas' | 'available') =>
  shares.reduce((total, share) => total + share[member], 0)

/** The next step towards the current template. `old` is ordered from the oldest on. */
export function planRollout(
  deployment: Deployment,
  current: ReplicaSetScale,
  old: readonly ReplicaSetScale[],
): DesiredReplicas {
  if (deployment.spec.strategy?.type === 'Recreate') return planRecreation(deployment, current, old)
  const grown = growCurrent(deployment, current, old)
  if (grown !== current.replicas) return new Map([[current.name, grown]])
  return shrinkOld(deployment, current, old)
}

/** A paused deployment does not roll out; while one replica set has all pods, it may still be scaled. */
export function planPausedRollout(
  { spec }: Deployment,
  all: readonly ReplicaSetScale[],
): DesiredReplicas {
  const active = all.filter(({ replicas }) => replicas > 0)
  const [only] = active.length === 0 ? all : active
  return only === undefined || active.length > 1 ? new Map() : new Map([[only.name, spec.replicas]])
}

function planRecreation(
  { spec }: Deployment,
  current: ReplicaSetScale,
  old: readonly ReplicaSetScale[],
): DesiredReplicas {
  const isLeft = ({ replicas, present }: ReplicaSetScale) => replicas > 0 || present > 0
  if (old.some(isLeft)) return new Map(old.map(({ name }) => [name, 0]))
  return new Map([[current.name, spec.replicas]])
}

function growCurrent(
  deployment: Deployment,
  current: ReplicaSetScale,
  old: readonly ReplicaSetScale[],
): number {
  const { replicas } = deployment.spec
  const room = replicas + rolloutLimits(deployment).maxSurge - sum([current, ...old], 'replicas')
  return current.replicas + Math.min(Math.max(room, 0), replicas - current.replicas)
}

/** Removes pods that are not available first. */
function shrinkOld(
  deployment: Deployment,
  current: ReplicaSetScale,
  old: readonly ReplicaSetScale[],
): DesiredReplicas {
  const all = [current, ...old]
  const minAvailable = deployment.spec.replicas - rolloutLimits(deployment).maxUnavailable
  const unavailableOfCurrent = current.replicas - current.available
  const removable = sum(all, 'replicas') - minAvailable - unavailableOfCurrent
  if (removable <= 0) return new Map()

  const scales = new Map(old.map(({ name, replicas }) => [name, replicas]))
  const shrink = (most: number, by: (share: ReplicaSetScale, replicas: number) => number) => {
    let left = most
    for (const share of old) {
      const replicas = scales.get(share.name) ?? 0
      const less = Math.min(Math.max(left, 0), by(share, replicas))
      scales.set(share.name, replicas - less)
      left -= less
    }
  }
  shrink(removable, ({ replicas, available }) => replicas - available)
  shrink(sum(all, 'available') - minAvailable, (_, replicas) => replicas)
  return scales
}
