import type { Label, Subdomain } from '../names.ts'
import type { Result } from '../result.ts'
import type { KubernetesDeployment, KubernetesEvent, KubernetesPod } from './kubernetes-objects.ts'

/** One Kubernetes API server of the registry. */
export interface Cluster {
  readonly id: Label
  readonly name: string
  /** `https:`, without query, user and fragment; a path, if there is one, does not end with a slash. */
  readonly apiServer: string
  readonly trust: ClusterTrust
  /** The name that the certificate is checked against, where it is not the host of `apiServer`. */
  readonly tlsServerName: string | null
  /** Members of any of them may see the cluster; `*` is everybody who is signed in. */
  readonly groups: readonly string[]
  readonly auth: ClusterAuth
  readonly labels: Readonly<Record<string, string>>
}

export type ClusterTrust =
  { readonly kind: 'system_roots' } | { readonly kind: 'authority'; readonly pem: string }

export type ClusterAuth =
  /** The session's ID token itself. */
  | { readonly mode: 'passthrough' }
  /** A token for this audience, made of the session's by RFC 8693. */
  | { readonly mode: 'exchange'; readonly audience: string }

/**
 * Kubernetes API servers, always as the person who asks: every method but `probe` takes that person's token, and nothing
 * else is ever sent. `tests/adapters/clusters/` is the definition, `tests/contracts/api-server.ts` what it expects of the
 * other side. A call ends within its deadline, or when `signal` does; a stream ends when `signal` does.
 */
export interface Kubernetes {
  /** Asks without any credential whether the API server is there and well, within two seconds. */
  probe(cluster: Cluster): Promise<ClusterProbe>
  /**
   * One page, each object shown as it is read: a page may be megabytes, what is shown of it is not. The API server decides the
   * order. A namespace that does not exist has no pods.
   */
  pods<Shown>(
    access: ClusterAccess,
    query: ListQuery,
    show: (pod: KubernetesPod) => Shown,
  ): Promise<Result<Page<Shown>, ClusterFailure>>
  deployments<Shown>(
    access: ClusterAccess,
    query: ListQuery,
    show: (deployment: KubernetesDeployment) => Shown,
  ): Promise<Result<Page<Shown>, ClusterFailure>>
  deployment(
    access: ClusterAccess,
    name: Subdomain,
  ): Promise<Result<KubernetesDeployment, ClusterFailure>>
  /**
   * Sets the pod template's annotation `kubectl.kubernetes.io/restartedAt` (RFC 3339, whole seconds) and answers with the
   * deployment as it then is. Setting the same value again changes nothing.
   */
  restart(
    access: ClusterAccess,
    name: Subdomain,
    restartedAt: string,
  ): Promise<Result<KubernetesDeployment, ClusterFailure>>
  /** Changes after `from`, until the API server ends the watch; the failure, if one ends it, is the last item. */
  watchPods(access: ClusterAccess, from: WatchStart): Watch<KubernetesPod>
  watchDeployments(access: ClusterAccess, from: WatchStart): Watch<KubernetesDeployment>
  /** UTF-8 as the container wrote it. The stream ends with an error when the API server breaks off. */
  log(
    access: ClusterAccess,
    pod: Subdomain,
    query: LogQuery,
  ): Promise<Result<ReadableStream<Uint8Array>, ClusterFailure>>
  /** Events about a pod of this name, at most a page. */
  events(
    access: ClusterAccess,
    pod: Subdomain,
  ): Promise<Result<Page<KubernetesEvent>, ClusterFailure>>
}

/** What a person reads, and with which token. */
export interface ClusterAccess {
  readonly cluster: Cluster
  readonly namespace: Label
  /** RFC 6750 `b64token`. */
  readonly token: string
  /** Sent on, so that the API server's audit log can be found by it. */
  readonly requestId: string
  /** Sent on, so that what the API server does is a part of it. */
  readonly trace: TraceContext | null
  readonly signal: AbortSignal
}

/** The trace that a request is a part of, as the headers of these names (W3C Trace Context §3). */
export interface TraceContext {
  readonly traceparent: string
  readonly tracestate?: string
}

export interface ListQuery {
  readonly limit: number
  /** `metadata.continue` of the page before. */
  readonly after: string | null
  /** As the API server reads it. */
  readonly labelSelector: string | null
}

export interface Page<Item> {
  readonly items: readonly Item[]
  readonly next: string | null
  /** Where a watch of what the list shows begins. */
  readonly resourceVersion: string
}

export interface WatchStart {
  readonly resourceVersion: string
  readonly labelSelector: string | null
}

export type Watch<Item> = AsyncIterable<Result<WatchChange<Item>, ClusterFailure>>

export type WatchChange<Item> =
  | { readonly kind: 'set'; readonly item: Item; readonly resourceVersion: string }
  | { readonly kind: 'removed'; readonly item: Item; readonly resourceVersion: string }
  /** Nothing changed up to here. */
  | { readonly kind: 'bookmark'; readonly resourceVersion: string }

export interface LogQuery {
  readonly container: Label | null
  readonly follow: boolean
  /** Of the container's run before this one. */
  readonly previous: boolean
  readonly tailLines: number | null
}

export type ClusterProbe =
  | { readonly kind: 'ready'; readonly version: string | null }
  /** It answers, and does not tell strangers how it is. */
  | { readonly kind: 'answers'; readonly version: string | null }
  | { readonly kind: 'not_ready' }
  | { readonly kind: 'unreachable'; readonly reason: ClusterUnreachable | 'timeout' | 'tls' }

/** How a connection failed. Never an address or a message. */
export type ClusterUnreachable =
  'connection_refused' | 'connection_reset' | 'host_not_found' | 'other'

export type ClusterFailure =
  | { readonly kind: 'cluster_unreachable'; readonly reason: ClusterUnreachable }
  /** The certificate is not one of this cluster. `reason` is the code of the TLS library. */
  | { readonly kind: 'cluster_tls_error'; readonly reason: string }
  | { readonly kind: 'cluster_timeout' }
  /** The API server has a problem of its own, or asked to come again. */
  | { readonly kind: 'cluster_unavailable'; readonly retryAfterSeconds: number }
  | { readonly kind: 'cluster_rate_limited'; readonly retryAfterSeconds: number }
  /** An answer that is none: 5xx, a redirect, no JSON, cut off, too large. `reason` is for the log. */
  | { readonly kind: 'cluster_error'; readonly reason: string }
  /** The API server does not accept the token. */
  | { readonly kind: 'cluster_unauthorized' }
  /** `message` is the API server's own, and names person, verb and resource. */
  | { readonly kind: 'cluster_forbidden'; readonly message: string }
  | { readonly kind: 'cluster_object_not_found'; readonly message: string }
  | { readonly kind: 'cluster_conflict'; readonly message: string }
  /** A page or a watch that begins at what the API server has forgotten. */
  | { readonly kind: 'cluster_expired' }
  /** The API server refuses the request itself, e.g. a label selector. */
  | { readonly kind: 'cluster_invalid'; readonly message: string }
