import type { Subdomain, TeamName } from '../../names.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Cluster, ClusterAccess, ClusterFailure, Collection } from '../../ports/clusters.ts'
import type { KubernetesRolledOut } from '../../ports/kubernetes-objects.ts'
import type { DatabaseFailure } from '../../ports/database/failure.ts'
import { err, ok, type Result } from '../../result.ts'
import type { Audit } from '../audit/audit.ts'
import { isMember, type Principal } from '../access/principal.ts'
import type { AccessFailure, ClusterRequest, WithAccess } from './access.ts'
import { namespaceOwner } from './namespace-pattern.ts'

export interface Restart {
  /** RFC 3339, whole seconds. */
  readonly restartedAt: string
  readonly generation: number
  readonly observedGeneration: number
  /** It was already restarted within this second; nothing changed. */
  readonly alreadyRestarted: boolean
}

export type RestartFailure =
  | ClusterFailure
  | { readonly kind: 'deployment_not_found' | 'workload_not_found' }
  /** A paused deployment does not roll out; `kubectl rollout restart` refuses it too. */
  | { readonly kind: 'deployment_paused' }

export interface RestartDeps {
  readonly kind: string
  readonly collection: Pick<Collection<KubernetesRolledOut>, 'read' | 'restart'>
  readonly audit: Pick<Audit, 'decide'>
  readonly clock: Clock
  /** The current clusters. */
  readonly registry: () => readonly Cluster[]
  readonly isTeam: (principal: Principal, team: TeamName) => boolean
  readonly withAccess: WithAccess
}

const TRIES = 3
const RESTART_MS = 10_000

/** Restarts the pods of a workload. The audit row of the attempt comes first, and then gets the outcome; without it nothing is restarted. */
export async function restartOnRecord(
  { kind, collection, audit, clock, registry, isTeam, withAccess }: RestartDeps,
  request: ClusterRequest,
  name: Subdomain,
): Promise<Result<Restart, RestartFailure | AccessFailure | DatabaseFailure>> {
  const { cluster: id, namespace, session, requestId, address } = request
  const { principal } = session
  const { groups = [], environments = [] } = registry().find((cluster) => cluster.id === id) ?? {}
  const owner = namespaceOwner({ environments }, namespace, (team) => isTeam(principal, team))
  const entry = {
    action: 'cluster.restart',
    target: `${kind.toLowerCase()}/${id}/${namespace}/${name}`,
    team: owner?.team ?? null,
    groups: groups.filter((group) => isMember(principal, group)),
    requestId,
    address,
  }
  const decision = audit.decide(principal)
  const begun = await decision.begin(entry)
  if (!begun.ok) return begun
  const outcome = await decision.attempt(() =>
    withAccess(request, (access) => {
      // Goes on when the client leaves: the audit row must state what the API server did.
      const signal = AbortSignal.any([access.expired, AbortSignal.timeout(RESTART_MS)])
      return restartObject({ kind, collection, clock }, { ...access, signal }, name)
    }),
  )
  await decision.end({ ...entry, ...recordOf(outcome) })
  return outcome
}

/** The person has no right, or no sign-in that the cluster accepts. */
const DENIALS: ReadonlySet<string> = new Set([
  'cluster_not_found',
  'cluster_forbidden',
  'cluster_unauthorized',
  'identity_token_missing',
  'identity_rejected',
] satisfies (RestartFailure | AccessFailure)['kind'][])

function recordOf(outcome: Result<Restart, RestartFailure | AccessFailure>) {
  if (outcome.ok) return { result: 'done', details: { ...outcome.value } } as const
  const { kind: code } = outcome.error
  return { result: DENIALS.has(code) ? 'denied' : 'failed', code } as const
}

/**
 * Works like `kubectl rollout restart`. The time is taken once: a retry after a conflict sets the same annotation, so that pods
 * are replaced once.
 */
async function restartObject(
  { kind, collection, clock }: Pick<RestartDeps, 'kind' | 'collection' | 'clock'>,
  access: ClusterAccess,
  name: Subdomain,
): Promise<Result<Restart, RestartFailure>> {
  const restartedAt = `${new Date(clock.now()).toISOString().slice(0, 'yyyy-mm-ddThh:mm:ss'.length)}Z`
  const before = await collection.read(access, name)
  if (!before.ok) return err(restartFailure(kind, before.error))
  if (before.value.spec.paused === true) return err({ kind: 'deployment_paused' })
  for (let tries = 1; ; tries++) {
    const after = await collection.restart(access, name, restartedAt)
    if (after.ok) {
      const { metadata, status = {} } = after.value
      const { generation = 0 } = metadata
      const alreadyRestarted = before.value.metadata.generation === generation
      const { observedGeneration = 0 } = status
      return ok({ restartedAt, generation, observedGeneration, alreadyRestarted })
    }
    if (after.error.kind !== 'cluster_conflict' || tries === TRIES) {
      return err(restartFailure(kind, after.error))
    }
  }
}

function restartFailure(kind: string, failure: ClusterFailure): RestartFailure {
  if (failure.kind !== 'cluster_object_not_found') return failure
  return { kind: kind === 'Deployment' ? 'deployment_not_found' : 'workload_not_found' }
}
