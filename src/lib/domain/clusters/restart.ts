import type { Subdomain } from '../../names.ts'
import type { Clock } from '../../ports/clock.ts'
import type { ClusterAccess, ClusterFailure, Kubernetes } from '../../ports/clusters.ts'
import type { DatabaseFailure } from '../../ports/database/failure.ts'
import { err, ok, type Result } from '../../result.ts'
import type { Audit } from '../audit/audit.ts'
import { isMember } from '../access/principal.ts'
import type { ClusterRequest, GrantedAccess } from './access.ts'

export interface Restart {
  /** RFC 3339, whole seconds. */
  readonly restartedAt: string
  readonly generation: number
  readonly observedGeneration: number
  /** The deployment was already restarted within this second; nothing changed. */
  readonly alreadyRestarted: boolean
}

export type RestartFailure =
  | ClusterFailure
  | { readonly kind: 'deployment_not_found' }
  /** A paused deployment does not roll out; `kubectl rollout restart` refuses it too. */
  | { readonly kind: 'deployment_paused' }

export interface RestartDeps {
  readonly kubernetes: Pick<Kubernetes, 'restart'> & {
    readonly deployments: Pick<Kubernetes['deployments'], 'read'>
  }
  readonly audit: Pick<Audit, 'record'>
  readonly clock: Clock
}

const TRIES = 3
const RESTART_MS = 10_000

/** Restarts a deployment, with an audit entry before and after. Without the entry before, nothing is restarted. */
export async function restartOnRecord(
  { kubernetes, audit, clock }: RestartDeps,
  {
    session: { principal },
    requestId,
    address,
  }: Pick<ClusterRequest, 'session' | 'requestId' | 'address'>,
  access: GrantedAccess,
  name: Subdomain,
): Promise<Result<Restart, RestartFailure | DatabaseFailure>> {
  const entry = {
    action: 'cluster.restart',
    target: `deployment/${access.cluster.id}/${access.namespace}/${name}`,
    groups: access.cluster.groups.filter((group) => isMember(principal, group)),
    requestId,
    address,
  }
  const started = { result: 'started', code: null } as const
  const recorded = await audit.record(principal, { ...entry, ...started })
  if (!recorded.ok) return recorded
  // Goes on when the client leaves: the audit entry must state what the API server did.
  const signal = AbortSignal.any([access.expired, AbortSignal.timeout(RESTART_MS)])
  const outcome = await restartDeployment(kubernetes, clock, { ...access, signal }, name)
  await audit.record(principal, { ...entry, ...recordOf(outcome) })
  return outcome
}

function recordOf(outcome: Result<Restart, RestartFailure>) {
  if (outcome.ok) return { result: 'done', code: null, details: { ...outcome.value } } as const
  const { kind } = outcome.error
  const isDenial = kind === 'cluster_forbidden' || kind === 'cluster_unauthorized'
  return { result: isDenial ? 'denied' : 'failed', code: kind, details: {} } as const
}

/**
 * Works like `kubectl rollout restart`. The time is taken once: a retry after a conflict sets the same annotation, so that pods
 * are replaced once.
 */
async function restartDeployment(
  kubernetes: Pick<Kubernetes, 'restart'> & {
    readonly deployments: Pick<Kubernetes['deployments'], 'read'>
  },
  clock: Clock,
  access: ClusterAccess,
  name: Subdomain,
): Promise<Result<Restart, RestartFailure>> {
  const restartedAt = `${new Date(clock.now()).toISOString().slice(0, 'yyyy-mm-ddThh:mm:ss'.length)}Z`
  const before = await kubernetes.deployments.read(access, name)
  if (!before.ok) return err(restartFailure(before.error))
  if (before.value.spec.paused === true) return err({ kind: 'deployment_paused' })
  for (let tries = 1; ; tries++) {
    const after = await kubernetes.restart(access, name, restartedAt)
    if (after.ok) {
      const { metadata, status = {} } = after.value
      const { generation = 0 } = metadata
      const alreadyRestarted = before.value.metadata.generation === generation
      const { observedGeneration = 0 } = status
      return ok({ restartedAt, generation, observedGeneration, alreadyRestarted })
    }
    if (after.error.kind !== 'cluster_conflict' || tries === TRIES) {
      return err(restartFailure(after.error))
    }
  }
}

const restartFailure = (failure: ClusterFailure): RestartFailure =>
  failure.kind === 'cluster_object_not_found' ? { kind: 'deployment_not_found' } : failure
