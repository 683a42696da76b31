import type { Deployment } from '../objects.ts'

/** The arithmetic of a rolling update, as the deployment controller of Kubernetes has it. */

export interface Fenceposts {
  readonly maxSurge: number
  readonly maxUnavailable: number
}

/** What a plan must know of a replica set. */
export interface Share {
  readonly name: string
  readonly replicas: number
  readonly available: number
  /** Pods that are there, also those that are going. */
  readonly present: number
}

/** How many replicas each named replica set is to have from now on. */
export type Scales = ReadonlyMap<string, number>

const DEFAULT_SHARE = '25%'

export function fenceposts({ spec: { replicas, strategy } }: Deployment): Fenceposts {
  if (strategy?.type === 'Recreate') return { maxSurge: 0, maxUnavailable: 0 }
  const { maxSurge = DEFAULT_SHARE, maxUnavailable = DEFAULT_SHARE } = strategy?.rollingUpdate ?? {}
  const surge = resolve(maxSurge, replicas, Math.ceil)
  const unavailable = Math.min(resolve(maxUnavailable, replicas, Math.floor), replicas)
  // Both zero would never get anywhere.
  const isStuck = surge === 0 && unavailable === 0
  return { maxSurge: surge, maxUnavailable: isStuck ? Math.min(1, replicas) : unavailable }
}

function resolve(share: number | string, replicas: number, round: (n: number) => number): number {
  if (typeof share === 'number') return share
  return round((Number.parseInt(share, 10) * replicas) / 100)
}

const sum = (shares: readonly Share[], member: 'replicas' | 'available') =>
  shares.reduce((total, share) => total + share[member], 0)

/** The next move towards the current template. `old` is ordered from the oldest on. */
export function planRollout(deployment: Deployment, current: Share, old: readonly Share[]): Scales {
  if (deployment.spec.strategy?.type === 'Recreate') return planRecreation(deployment, current, old)
  const grown = growCurrent(deployment, current, old)
  if (grown !== current.replicas) return new Map([[current.name, grown]])
  return shrinkOld(deployment, current, old)
}

/** A paused deployment does not move on to its template; as long as all its pods are of one, their number may change. */
export function planHeld({ spec }: Deployment, all: readonly Share[]): Scales {
  const active = all.filter(({ replicas }) => replicas > 0)
  const [only] = active.length === 0 ? all : active
  return only === undefined || active.length > 1 ? new Map() : new Map([[only.name, spec.replicas]])
}

function planRecreation({ spec }: Deployment, current: Share, old: readonly Share[]): Scales {
  const isLeft = ({ replicas, present }: Share) => replicas > 0 || present > 0
  if (old.some(isLeft)) return new Map(old.map(({ name }) => [name, 0]))
  return new Map([[current.name, spec.replicas]])
}

function growCurrent(deployment: Deployment, current: Share, old: readonly Share[]): number {
  const { replicas } = deployment.spec
  const room = replicas + fenceposts(deployment).maxSurge - sum([current, ...old], 'replicas')
  return current.replicas + Math.min(Math.max(room, 0), replicas - current.replicas)
}

/** Those that do not serve go first: they would only hold the others up. */
function shrinkOld(deployment: Deployment, current: Share, old: readonly Share[]): Scales {
  const all = [current, ...old]
  const minAvailable = deployment.spec.replicas - fenceposts(deployment).maxUnavailable
  const unavailableOfCurrent = current.replicas - current.available
  const removable = sum(all, 'replicas') - minAvailable - unavailableOfCurrent
  if (removable <= 0) return new Map()

  const scales = new Map(old.map(({ name, replicas }) => [name, replicas]))
  const shrink = (most: number, by: (share: Share, replicas: number) => number) => {
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
