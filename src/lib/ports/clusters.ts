import type { Static, TSchema } from 'typebox'
import type { EnvironmentName, Label, Subdomain } from '../names.ts'
import type { Result } from '../result.ts'
import type { KubernetesEvent } from './kubernetes-objects.ts'

/** A Kubernetes API server in the registry. */
export interface Cluster {
  readonly id: Label
  readonly name: string
  /** `https:`, without query, user and fragment; a path, if there is one, does not end with a slash. */
  readonly apiServer: string
  readonly trust: ClusterTrust
  /** Host name in the server certificate, if it differs from the host of `apiServer`. */
  readonly tlsServerName: string | null
  /** Members of any of these groups may see the cluster; `*` means everybody who is signed in. */
  readonly groups: readonly string[]
  readonly auth: ClusterAuth
  readonly labels: Readonly<Record<string, string>>
  /** The environments that run in the cluster, each at most once. */
  readonly environments: readonly ClusterEnvironment[]
}

export interface ClusterEnvironment {
  readonly name: EnvironmentName
  readonly namespace: NamespacePattern
}

/** The namespaces of an environment: one for each team, or one that all teams share. */
export type NamespacePattern =
  | { readonly kind: 'of_team'; readonly prefix: string; readonly suffix: string }
  | { readonly kind: 'shared'; readonly namespace: Label }

export type ClusterTrust =
  { readonly kind: 'system_roots' } | { readonly kind: 'authority'; readonly pem: string }

export type ClusterAuth =
  /** The cluster accepts the session's ID token. */
  | { readonly mode: 'passthrough' }
  /** The session's token is exchanged for one with this audience (RFC 8693). */
  | { readonly mode: 'exchange'; readonly audience: string }

/**
 * Kubernetes API servers. Every method except `probe` sends the token of the person who asks and no other credential. A call ends
 * at its deadline or when its signal aborts; a stream ends when its signal aborts. `tests/adapters/clusters/` defines the adapter,
 * `tests/contracts/api-server.ts` what it expects of an API server.
 */
export interface Kubernetes {
  /** Health of the API server, asked without a credential, within two seconds. */
  probe(cluster: Cluster): Promise<ClusterProbe>
  /**
   * How far the clock of the API server is ahead of ours, in milliseconds, by its last answer; 0 before the first, and for a difference
   * that a header in seconds and a slow answer explain. Times in its objects are compared with its clock.
   */
  aheadMs(cluster: Pick<Cluster, 'apiServer'>): number
  /** The objects of a type. Each collection compiles the check of its schema, at its first use. */
  objects<Schema extends TSchema>(type: ObjectType<Schema>): Collection<Static<Schema>>
  /** One page of the names of all namespaces. */
  namespaces(
    access: PersonAccess,
    query: Pick<ListQuery, 'limit' | 'after'>,
  ): Promise<Result<Page<string>, ClusterFailure>>
  /** Whether the API server would allow the person to do this. It may refuse it later nevertheless. */
  mayDo(access: PersonAccess, action: ReviewedAction): Promise<Result<boolean, ClusterFailure>>
  /** The bytes that the container wrote. The stream errors when the connection breaks. */
  log(
    access: ClusterAccess,
    pod: Subdomain,
    query: LogQuery,
  ): Promise<Result<ReadableStream<Uint8Array>, ClusterFailure>>
  /** One page of the events about an object, or of all events of the namespace. */
  events<View>(
    access: ClusterAccess,
    about: EventSubject | null,
    query: Pick<ListQuery, 'limit' | 'after'>,
    view: (event: KubernetesEvent) => View,
  ): Promise<Result<Page<View>, ClusterFailure>>
}

/** A type of objects in namespaces. */
export interface ObjectType<Schema extends TSchema> extends ApiResource {
  /** The members that are read. An object without them makes the API server's answer unusable. */
  readonly schema: Schema
}

/** Group, version and plural of a type of objects. */
export interface ApiResource {
  /** Empty for the core group. */
  readonly group: string
  readonly version: string
  /** Lower case. */
  readonly plural: string
}

/** The objects of one type in a namespace. Each is mapped to its view as it is read: a page of whole objects is megabytes. */
export interface Collection<Item> {
  read(access: ClusterAccess, name: Subdomain): Promise<Result<Item, ClusterFailure>>
  /** One page, in the API server's order. A namespace that does not exist is empty. */
  list<View>(
    access: ClusterAccess,
    query: ListQuery,
    view: (item: Item) => View,
  ): Promise<Result<Page<View>, ClusterFailure>>
  /** Changes after `from` until the API server ends the watch. A failure that ends it is the last item. */
  watch<View>(access: ClusterAccess, from: WatchStart, view: (item: Item) => View): Watch<View>
  /**
   * Sets the pod template's annotation `kubectl.kubernetes.io/restartedAt` (RFC 3339, whole seconds) and returns the changed
   * object. Setting the same value again changes nothing.
   */
  restart(
    access: ClusterAccess,
    name: Subdomain,
    restartedAt: string,
  ): Promise<Result<Item, ClusterFailure>>
}

/** An action that an API server may allow to a person. */
export interface ReviewedAction {
  /** `null` for every namespace, also those to come. */
  readonly namespace: Label | null
  readonly verb: 'list' | 'patch'
  /** Empty for the core group. */
  readonly group: string
  /** Plural name of the type. */
  readonly resource: string
}

export interface EventSubject {
  readonly kind: 'Pod'
  readonly name: Subdomain
  /** `null` for the events of earlier objects of that name too. */
  readonly uid: string | null
}

/** A person's access to a namespace of a cluster. */
export interface ClusterAccess extends PersonAccess {
  readonly namespace: Label
}

/** A person's access to a cluster. */
export interface PersonAccess {
  readonly cluster: Cluster
  /** RFC 6750 `b64token`. */
  readonly token: string
  /** At most 64 characters. Sent as `Audit-ID`, which the API server's audit log and request log record. */
  readonly requestId: string
  /** Sent to the API server, so that its spans join the trace. */
  readonly trace: TraceContext | null
  readonly signal: AbortSignal
}

/** Trace headers of a request (W3C Trace Context §3). */
export interface TraceContext {
  readonly traceparent: string
  readonly tracestate?: string
}

/** Which objects of a namespace are meant. */
export interface Selection {
  /** In the syntax of Kubernetes. */
  readonly labelSelector: string | null
  /** The one object of this name. */
  readonly name?: Subdomain | undefined
}

export interface ListQuery extends Selection {
  readonly limit: number
  /** `metadata.continue` of the page before. */
  readonly after: string | null
}

export interface Page<Item> {
  readonly items: readonly Item[]
  /** `after` of the next page. */
  readonly next: string | null
  /** A watch from here continues the list. */
  readonly resourceVersion: string
  /** Size of the API server's answer. */
  readonly bytes: number
}

export interface WatchStart extends Selection {
  readonly resourceVersion: string
}

export type Watch<Item> = AsyncIterable<Result<WatchChange<Item>, ClusterFailure>>

export type WatchChange<Item> =
  | {
      readonly kind: 'set' | 'removed'
      readonly item: Item
      readonly resourceVersion: string
      /** Size of the API server's message. */
      readonly bytes: number
    }
  /** No change up to this version. */
  | { readonly kind: 'bookmark'; readonly resourceVersion: string }

export interface LogQuery {
  readonly container: Label | null
  readonly follow: boolean
  /** Read the log of the container's previous run. */
  readonly previous: boolean
  readonly tailLines: number | null
  /** Begin each line with its time. */
  readonly timestamps?: boolean
  /** RFC 3339. Only lines from this second on. */
  readonly since?: string | null
}

export type ClusterProbe =
  | { readonly kind: 'ready'; readonly version: string | null }
  /** The API server answers but refuses anonymous requests. */
  | { readonly kind: 'answers'; readonly version: string | null }
  /** `isApiServer`: `false` for an answer that no API server gives, such as the page of a proxy. */
  | { readonly kind: 'not_ready'; readonly isApiServer: boolean }
  | { readonly kind: 'unreachable'; readonly reason: ClusterUnreachable | 'timeout' }
  /** `code`: of the TLS library. */
  | { readonly kind: 'unreachable'; readonly reason: 'tls'; readonly code: string }

/** Why a connection failed. Never contains an address or a message. */
export type ClusterUnreachable =
  'connection_refused' | 'connection_reset' | 'host_not_found' | 'other'

export type ClusterFailure =
  | { readonly kind: 'cluster_unreachable'; readonly reason: ClusterUnreachable }
  /** The certificate is not trusted for this cluster. `reason` is a code of the TLS library. */
  | { readonly kind: 'cluster_tls_error'; readonly reason: string }
  | { readonly kind: 'cluster_timeout' }
  /** The API server is overloaded or not ready. */
  | { readonly kind: 'cluster_unavailable'; readonly retryAfterSeconds: number }
  | { readonly kind: 'cluster_rate_limited'; readonly retryAfterSeconds: number }
  /** An unusable answer: 5xx, a redirect, not JSON, cut off, too large. `reason` is for the log. */
  | { readonly kind: 'cluster_error'; readonly reason: string }
  /** The API server could not do it and says why, e.g. that a node's kubelet does not answer. */
  | { readonly kind: 'cluster_failed'; readonly message: string }
  /** The API server rejects the token. */
  | { readonly kind: 'cluster_unauthorized' }
  /** `message` is the API server's and names person, verb and resource. */
  | { readonly kind: 'cluster_forbidden'; readonly message: string }
  | { readonly kind: 'cluster_object_not_found'; readonly message: string }
  | { readonly kind: 'cluster_conflict'; readonly message: string }
  /** The API server no longer has the version that a page or a watch starts from. */
  | { readonly kind: 'cluster_expired' }
  /** The API server rejects the request as invalid, e.g. its label selector. */
  | { readonly kind: 'cluster_invalid'; readonly message: string }
