import { clearedSessionCookie } from '../../domain/access/session-cookie.ts'
import type { Session } from '../../domain/access/sessions.ts'
import type { Asking } from '../../domain/clusters/access.ts'
import type { ClusterProblem } from '../../domain/clusters/clusters.ts'
import type { Label } from '../../names.ts'
import type { IdentityFailure } from '../../ports/identity.ts'
import { problem } from '../../http/problem.ts'
import { contextOf } from '../../http/request-context.ts'
import { traceOf } from '../../http/trace-context.ts'

/** Who asks about which namespace. */
export const askingOf = (
  request: Request,
  session: Session,
  { clusterId, namespace }: { readonly clusterId: Label; readonly namespace: Label },
): Asking => ({
  session,
  requestId: contextOf(request).requestId,
  trace: traceOf(request),
  cluster: clusterId,
  namespace,
  signal: request.signal,
})

/** When the identity provider does not know the sign-in any more, the session is over. */
export const clusterProblem = (
  request: Request,
  failure: ClusterProblem | IdentityFailure,
  { secureCookies }: { readonly secureCookies: boolean },
): Response =>
  failure.kind === 'identity_rejected'
    ? problem(request, {
        kind: 'session_invalid',
        clearedCookie: clearedSessionCookie({ secure: secureCookies }),
      })
    : problem(request, failure)
