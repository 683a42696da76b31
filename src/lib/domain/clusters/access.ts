import type { Label } from '../../names.ts'
import type {
  Cluster,
  ClusterAccess,
  ClusterFailure,
  Kubernetes,
  PersonAccess,
  TraceContext,
} from '../../ports/clusters.ts'
import type { Clock } from '../../ports/clock.ts'
import { err, ok, type Result } from '../../result.ts'
import { isMember, type Principal } from '../access/principal.ts'
import type { SessionTokensFailure } from '../access/sessions/session-credentials.ts'
import type { Session, Sessions } from '../access/sessions/sessions.ts'
import type { RequestFacts } from '../audit/audit.ts'
import type { createClusterTokens } from './cluster-token.ts'

/** A person's request about a namespace of a cluster. */
export interface ClusterRequest extends PersonRequest {
  readonly namespace: Label
}

/** A person's request about a cluster. */
export interface PersonRequest extends RequestFacts {
  readonly session: Session
  readonly trace: TraceContext | null
  readonly cluster: Label
  /** Aborts when nobody waits for the answer any more. */
  readonly signal: AbortSignal
}

export type AccessFailure =
  | ClusterFailure
  | SessionTokensFailure
  /** The cluster does not exist or the person may not see it; the answer does not tell which. */
  | { readonly kind: 'cluster_not_found' }

const EVERYBODY = '*'

/** Groups are compared exactly. */
export const maySee = (principal: Principal, { groups }: Cluster): boolean =>
  groups.some((group) => group === EVERYBODY || isMember(principal, group))

export interface AccessOptions {
  /** The current clusters of the registry. */
  readonly registry: () => readonly Cluster[]
  readonly sessions: Pick<Sessions, 'reread'>
  readonly tokens: ReturnType<typeof createClusterTokens>
  readonly kubernetes: Pick<Kubernetes, 'aheadMs'>
  readonly clock: Clock
  readonly log: (event: ClusterLogEvent) => void
}

/** A failure for the operator, with its reason; the person only gets a code. */
export type ClusterLogEvent = {
  readonly cluster: Label
  readonly requestId: string
} & ({ readonly failure: object } | { readonly bug: unknown })

/** Failures that an operator has to fix. Other failures are between the person and the cluster. */
const LOGGED: ReadonlySet<string> = new Set([
  'cluster_error',
  'cluster_failed',
  'cluster_tls_error',
  'identity_error',
])

interface Granted {
  /** Aborts when the token or the session expires. `signal` aborts then too. */
  readonly expired: AbortSignal
  /** The time by the API server's clock, in milliseconds: times in its objects are compared with it. */
  readonly now: () => number
}

export interface GrantedAccess extends ClusterAccess, Granted {}
export interface GrantedPersonAccess extends PersonAccess, Granted {}

/** Acts with the person's token; once more with a fresh one, if the cluster rejects a cached token. */
type Act<Request, Access> = <Value, Failure extends { readonly kind: string }>(
  request: Request,
  act: (access: Access) => Promise<Result<Value, Failure>>,
) => Promise<Result<Value, Failure | AccessFailure>>

export type WithAccess = Act<ClusterRequest, GrantedAccess>
export type WithPersonAccess = Act<PersonRequest, GrantedPersonAccess>

export type Access = ReturnType<typeof createAccess>

/** Grants a person access to a cluster, with their own token. */
export function createAccess({
  registry,
  sessions,
  tokens,
  kubernetes,
  clock,
  log,
}: AccessOptions) {
  const findVisible = (principal: Principal, id: Label): Cluster | undefined =>
    registry().find((cluster) => cluster.id === id && maySee(principal, cluster))

  async function grant({
    session,
    cluster: id,
    signal,
    address,
    requestId,
    trace,
  }: PersonRequest): Promise<Result<GrantedPersonAccess, AccessFailure>> {
    const cluster = findVisible(session.principal, id)
    if (cluster === undefined) return err({ kind: 'cluster_not_found' })
    const token = await tokens.tokenFor(cluster, session, { requestId, address })
    if (!token.ok) return token
    const expiresAt = Math.min(token.value.expiresAt, session.expiresAt)
    const expired = AbortSignal.timeout(Math.max(0, expiresAt - clock.now()))
    return ok({
      requestId,
      trace,
      cluster,
      token: token.value.token,
      signal: AbortSignal.any([signal, expired]),
      expired,
      now: () => clock.now() + kubernetes.aheadMs(cluster),
    })
  }

  const actWithFreshToken: WithPersonAccess = async (request, act) => {
    const access = await grant(request)
    if (!access.ok) return access
    const outcome = await act(access.value)
    const isRejected = !outcome.ok && outcome.error.kind === 'cluster_unauthorized'
    if (!isRejected || !tokens.forget(access.value.cluster, access.value.token)) return outcome
    const fresh = await grant(request)
    return fresh.ok ? await act(fresh.value) : fresh
  }

  const withPersonAccess: WithPersonAccess = async (request, act) => {
    const outcome = await actWithFreshToken(request, act)
    if (!outcome.ok && LOGGED.has(outcome.error.kind)) {
      log({ cluster: request.cluster, failure: outcome.error, requestId: request.requestId })
    }
    return outcome
  }

  const withAccess: WithAccess = ({ namespace, ...request }, act) =>
    withPersonAccess(request, (access) => act({ ...access, namespace }))

  /** Whether the session still sees this unchanged cluster. While the session store is unavailable, its last known groups count. */
  async function mayContinue(
    { session }: Pick<ClusterRequest, 'session'>,
    cluster: Cluster,
  ): Promise<boolean> {
    const current = await sessions.reread(session)
    if (current.kind === 'invalid') return false
    const { principal } = current.kind === 'active' ? current.session : session
    return findVisible(principal, cluster.id) === cluster
  }

  const onBug = ({ cluster, requestId }: ClusterRequest, bug: unknown): void =>
    log({ cluster, requestId, bug })

  return { findVisible, withAccess, withPersonAccess, mayContinue, onBug }
}
