import type { Session } from '#src/lib/domain/access/sessions/sessions.ts'
import type { ClusterRequest, GrantedAccess } from '#src/lib/domain/clusters/access.ts'
import { parseNamespacePattern } from '#src/lib/domain/clusters/namespace-pattern.ts'
import { EnvironmentName, Label } from '#src/lib/names.ts'
import type { Cluster, ClusterEnvironment } from '#src/lib/ports/clusters.ts'
import type { Groups, Principal } from '#src/lib/ports/identity.ts'

/** People, clusters and requests with the members that a test sets. */

export const known = (...names: string[]): Groups => ({ kind: 'known', names })

export const person = (
  subject = 's',
  groups: Groups = { kind: 'unknown', reason: 'missing' },
): Principal => ({
  issuer: 'i',
  subject,
  name: subject,
  email: null,
  groups,
})

export const sessionOf = (more: Partial<Session> = {}): Session => ({
  principal: person(),
  tokens: null,
  idHash: 'h',
  grant: null,
  claimsAt: 0,
  createdAt: 0,
  seenAt: 0,
  expiresAt: 0,
  ...more,
})

/** Sessions that a test ends; the others last. */
export function watchedSessions() {
  const watches = new Set<{ readonly idHash: string; readonly onEnd: () => void }>()
  return {
    watches,
    watch({ idHash }: Pick<Session, 'idHash'>, onEnd: () => void) {
      const watch = { idHash, onEnd }
      watches.add(watch)
      return () => void watches.delete(watch)
    },
    end(idHash: string) {
      for (const watch of watches) if (watch.idHash === idHash) watch.onEnd()
    },
  }
}

export const clusterOf = (id: string, more: Partial<Cluster> = {}): Cluster => ({
  id: Label.of(id),
  name: id,
  apiServer: 'https://127.0.0.1:1',
  trust: { kind: 'system_roots' },
  tlsServerName: null,
  groups: [],
  auth: { mode: 'passthrough' },
  labels: {},
  environments: [],
  ...more,
})

/** A row of a cluster's `environments`. */
export function environmentRow(name: string, pattern: string): ClusterEnvironment {
  const namespace = parseNamespacePattern(pattern)
  if (namespace === undefined) throw new Error(`no pattern: ${pattern}`)
  return { name: EnvironmentName.of(name), namespace }
}

export const clusterRequest = (more: Partial<ClusterRequest> = {}): ClusterRequest => ({
  session: sessionOf(),
  requestId: 'r',
  address: null,
  trace: null,
  cluster: Label.of('dev-east'),
  namespace: Label.of('payments'),
  signal: new AbortController().signal,
  ...more,
})

export const grantedAccess = (more: Partial<GrantedAccess> = {}): GrantedAccess => ({
  cluster: clusterOf('dev-east'),
  namespace: Label.of('payments'),
  requestId: 'r',
  trace: null,
  token: 't',
  signal: new AbortController().signal,
  expired: new AbortController().signal,
  now: () => 0,
  ...more,
})
