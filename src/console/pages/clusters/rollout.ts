import type { Deployment } from '../../api/live/events.ts'
import type { NamespaceRights } from './place.ts'

type Observed = Pick<
  Deployment,
  'status' | 'statusMessage' | 'replicas' | 'observedGeneration' | 'paused'
>

/** How far a restart is. Deployments count their changes; a restart is the change `generation`. */
export type Rollout =
  | { readonly kind: 'accepted' }
  | { readonly kind: 'replacing'; readonly updated: number; readonly desired: number }
  | { readonly kind: 'done' }
  | { readonly kind: 'failed'; readonly reason: string }

export function rolloutOf(deployment: Observed, generation: number): Rollout {
  const { status, statusMessage, replicas, observedGeneration } = deployment
  if (observedGeneration < generation) return { kind: 'accepted' }
  if (status === 'Degraded') return { kind: 'failed', reason: statusMessage }
  if (status !== 'Progressing') return { kind: 'done' }
  // A replaced pod counts when it is available too.
  const updated = Math.max(0, Math.min(replicas.updated, replicas.desired) - replicas.unavailable)
  return { kind: 'replacing', updated, desired: replicas.desired }
}

/** The message of another deployment tells of its last rollout. */
export const isUnderWay = ({ status }: Pick<Deployment, 'status'>): boolean =>
  status === 'Progressing' || status === 'Degraded'

/** For the row of the deployment, and for those who do not see it. */
export function rolloutWords(rollout: Rollout): string {
  switch (rollout.kind) {
    case 'accepted':
      return 'The restart is accepted'
    case 'replacing':
      return `${rollout.updated} of ${rollout.desired} pods replaced`
    case 'done':
      return 'Restarted'
    case 'failed':
      return `The restart failed: ${rollout.reason}`
  }
}

/** Kinds that `kubectl rollout restart` restarts. */
const RESTARTED = ['deployment', 'statefulset', 'daemonset'] as const
type RestartedKind = (typeof RESTARTED)[number]

export const isRestarted = (kind: string): kind is RestartedKind =>
  RESTARTED.some((each) => each === kind)

export interface RestartTarget {
  readonly kind: RestartedKind
  readonly name: string
  readonly isPaused: boolean
  /** Wanted pods. */
  readonly pods: number
}

export const targetOf = ({ name, paused, replicas }: Deployment): RestartTarget => ({
  kind: 'deployment',
  name,
  isPaused: paused,
  pods: replicas.desired,
})

/** Why a workload cannot be restarted, and whom to ask; null when it can. */
export function restartRefusal(
  { isPaused, pods }: Pick<RestartTarget, 'isPaused' | 'pods'>,
  rights: NamespaceRights | undefined,
): string | null {
  if (rights === undefined) return 'Your rights in this namespace are not known yet'
  if (!rights.canRestart) {
    const whom = rights.team === null ? 'the platform team' : `the team ${rights.team}`
    return `You may look at this namespace, but not restart in it. Ask ${whom}.`
  }
  if (isPaused) {
    return 'Its rollout is paused. Resume it first: kubectl rollout resume'
  }
  if (pods === 0) return 'It is scaled to zero; there are no pods to restart'
  return null
}
