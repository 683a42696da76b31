import type { Session } from '../../domain/access/sessions/sessions.ts'
import type { ReviewRequest } from '../../domain/clusters/access-reviews.ts'
import type { ClusterRequest, PersonRequest } from '../../domain/clusters/access.ts'
import type { ClusterProblem } from '../../domain/clusters/clusters.ts'
import type { Label } from '../../names.ts'
import type { IdentityFailure } from '../../ports/identity.ts'
import type { Result } from '../../result.ts'
import { problem } from '../../http/problem.ts'
import { contextOf } from '../../http/request-context.ts'
import { taggedJson } from '../../http/tagged-json.ts'
import { traceOf } from '../../http/trace-context.ts'

/** Statuses of the problems that every request to a cluster may end with. */
export const CLUSTER_PROBLEMS = [403, 404, 409, 422, 429, 502, 503, 504]

/** Context of a route for a namespace of a cluster. */
export interface NamespaceContext {
  readonly request: Request
  readonly session: Session
  readonly params: { readonly clusterId: Label; readonly namespace: Label }
}

export const clusterRequestOf = (
  request: Request,
  session: Session,
  { clusterId, namespace }: NamespaceContext['params'],
): ClusterRequest => ({ ...personRequestOf(request, session, { clusterId }), namespace })

export const personRequestOf = (
  request: Request,
  session: Session,
  { clusterId }: { readonly clusterId: Label },
): PersonRequest => ({
  ...reviewRequestOf(request, session),
  cluster: clusterId,
  signal: request.signal,
})

export function reviewRequestOf(request: Request, session: Session): ReviewRequest {
  const { requestId, address } = contextOf(request)
  return { session, requestId, address, trace: traceOf(request) }
}

/** The session ends when the identity provider rejects its refresh token. */
export const clusterProblem = (
  request: Request,
  failure: ClusterProblem | IdentityFailure,
): Response =>
  failure.kind === 'identity_rejected'
    ? problem(request, { kind: 'session_invalid' })
    : problem(request, failure)

/** Answers with what was read of a cluster. */
export const clusterAnswer = (
  request: Request,
  read: Result<unknown, ClusterProblem | IdentityFailure>,
): Response => (read.ok ? taggedJson(request, read.value) : clusterProblem(request, read.error))
