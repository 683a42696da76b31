import type { Label } from '../../names.ts'
import type { Cluster, ClusterAccess, ClusterFailure, TraceContext } from '../../ports/clusters.ts'
import type { Clock } from '../../ports/clock.ts'
import { err, ok, type Result } from '../../result.ts'
import { isMember, type Principal } from '../access/principal.ts'
import type { SessionTokensFailure } from '../access/session-tokens.ts'
import type { Session, Sessions } from '../access/sessions.ts'
import type { createClusterTokens } from './cluster-token.ts'

/** Whose request it is and what it is about. */
export interface Asking {
  readonly session: Session
  readonly requestId: string
  readonly trace: TraceContext | null
  readonly cluster: Label
  readonly namespace: Label
  /** Ends when nobody waits for the answer any more. */
  readonly signal: AbortSignal
}

export type AccessFailure =
  | ClusterFailure
  | SessionTokensFailure
  /** There is none, or the person may not see it: the same answer for both. */
  | { readonly kind: 'cluster_not_found' }

const EVERYBODY = '*'

/** Groups are compared exactly. */
export const maySee = (principal: Principal, { groups }: Cluster): boolean =>
  groups.some((group) => group === EVERYBODY || isMember(principal, group))

export interface AccessOptions {
  /** The clusters of the registry now. */
  readonly registry: () => readonly Cluster[]
  readonly sessions: Pick<Sessions, 'again'>
  readonly tokens: ReturnType<typeof createClusterTokens>
  readonly clock: Clock
  /** Told of a cluster that cannot be used, with the reason that nobody else gets. */
  readonly log: (event: ClusterEvent) => void
}

export interface ClusterEvent {
  readonly cluster: Label
  readonly failure: object
  readonly requestId: string
}

/** What somebody has to look into; the others are between the person and the cluster. */
const BROKEN: ReadonlySet<string> = new Set([
  'cluster_error',
  'cluster_tls_error',
  'identity_error',
])

export interface Granted extends ClusterAccess {
  /** When the token ends, or the session: what they opened is not the person's any more. Part of `signal`. */
  readonly ended: AbortSignal
}

export type WithAccess = ReturnType<typeof createAccess>['withAccess']

/** Lets somebody at a cluster, with their own token. */
export function createAccess({ registry, sessions, tokens, clock, log }: AccessOptions) {
  const visible = (principal: Principal, wanted: Label): Cluster | undefined =>
    registry().find((cluster) => cluster.id === wanted && maySee(principal, cluster))

  async function grant(asking: Asking): Promise<Result<Granted, AccessFailure>> {
    const { session, namespace, signal } = asking
    const cluster = visible(session.principal, asking.cluster)
    if (cluster === undefined) return err({ kind: 'cluster_not_found' })
    const token = await tokens.tokenFor(cluster, session)
    if (!token.ok) return token
    const expiresAt = Math.min(token.value.expiresAt, session.expiresAt)
    const ended = AbortSignal.timeout(Math.max(0, expiresAt - clock.now()))
    return ok({
      cluster,
      namespace,
      requestId: asking.requestId,
      trace: asking.trace,
      token: token.value.token,
      signal: AbortSignal.any([signal, ended]),
      ended,
    })
  }

  async function enter<Value, Failure extends { readonly kind: string }>(
    asking: Asking,
    act: (access: Granted) => Promise<Result<Value, Failure>>,
  ): Promise<Result<Value, Failure | AccessFailure>> {
    const granted = await grant(asking)
    if (!granted.ok) return granted
    const outcome = await act(granted.value)
    const refused = !outcome.ok && outcome.error.kind === 'cluster_unauthorized'
    if (!refused || !tokens.forget(granted.value.cluster, granted.value.token)) return outcome
    const again = await grant(asking)
    return again.ok ? await act(again.value) : again
  }

  /** Does something with somebody's token; once more with a fresh one, if the cluster does not take a kept one. */
  async function withAccess<Value, Failure extends { readonly kind: string }>(
    asking: Asking,
    act: (access: Granted) => Promise<Result<Value, Failure>>,
  ): Promise<Result<Value, Failure | AccessFailure>> {
    const outcome = await enter(asking, act)
    if (!outcome.ok && BROKEN.has(outcome.error.kind)) {
      log({ cluster: asking.cluster, failure: outcome.error, requestId: asking.requestId })
    }
    return outcome
  }

  /** Whether the person is still signed in and sees this very cluster, as far as can be said. */
  async function mayGoOn({ session }: Pick<Asking, 'session'>, cluster: Cluster): Promise<boolean> {
    const now = await sessions.again(session)
    if (now.kind === 'invalid') return false
    const { principal } = now.kind === 'active' ? now.session : session
    return visible(principal, cluster.id) === cluster
  }

  return { withAccess, mayGoOn }
}
