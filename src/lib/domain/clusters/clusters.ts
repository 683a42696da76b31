import { createNextFlight } from '../../concurrency/next-flight.ts'
import type { Subdomain, TeamName } from '../../names.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Cluster, Collection, Kubernetes, LogQuery, Selection } from '../../ports/clusters.ts'
import { KubernetesRolledOut } from '../../ports/kubernetes-objects.ts'
import type { DatabaseFailure } from '../../ports/database/failure.ts'
import type { IdentityProvider, Principal } from '../../ports/identity.ts'
import type { SessionTokens } from '../access/sessions/session-credentials.ts'
import type { Sessions } from '../access/sessions/sessions.ts'
import type { Audit } from '../audit/audit.ts'
import type { Result } from '../../result.ts'
import {
  type AccessFailure,
  type ClusterLogEvent,
  type ClusterRequest,
  createAccess,
  maySee,
  type PersonRequest,
} from './access.ts'
import { createAccessReviews, type ReviewRequest } from './access-reviews.ts'
import { type ClusterHealth, createClusterHealth } from './cluster-health.ts'
import { createFair } from '../../concurrency/fair.ts'
import { createClusterTokens } from './cluster-token.ts'
import { type FeedFailure, openFeed } from './feed.ts'
import type { FeedPosition, Identified, Later } from './follow.ts'
import { createKnownTeams } from './known-teams.ts'
import {
  type ListFailure,
  type Listing,
  type ListRequest,
  listResource,
  type Resource,
} from './listing.ts'
import { createOpenStreams } from './open-streams.ts'
import { placesOf } from './namespace-pattern.ts'
import { readNamespaces } from './namespaces.ts'
import { openPodLog, type PodNotFound } from './log-stream.ts'
import { readDeploymentEvents, readPodEvents } from './events.ts'
import { type ResourceName, RESOURCES } from './resources.ts'
import { type RestartFailure, restartOnRecord } from './restart.ts'
import { type Placement, readRunsOn } from './runs-on.ts'
import { type PlacedApplication, readApplicationHealth } from './workloads/application-health.ts'
import { readWorkloadDetail } from './workloads/detail.ts'
import type { WorkloadName } from './workloads/family.ts'
import { openWorkloadLog, type WorkloadLogQuery } from './workloads/log.ts'
import { readWorkloads } from './workloads/read-workloads.ts'
import { createWorkloadWatches, openWorkloadFeed } from './workloads/watches.ts'

export interface ClustersOptions {
  /** The current clusters of the registry. */
  readonly registry: () => readonly Cluster[]
  readonly kubernetes: Kubernetes
  readonly sessions: Pick<Sessions, 'reread' | 'watch'>
  readonly sessionTokens: SessionTokens
  readonly identity: Pick<IdentityProvider, 'exchange'>
  readonly audit: Pick<Audit, 'decide'>
  /** The teams of the catalog; `null` before it is loaded. */
  readonly catalogTeams: () => ReadonlySet<TeamName> | null
  readonly platformGroup: string
  readonly clock: Clock
  readonly log: (event: ClusterLogEvent) => void
  /** Limit of open streams of everybody together: half for feeds and logs, half for the watches of workloads. */
  readonly streamsMax: number
  /** Interval at which the right to an open stream is checked. */
  readonly recheckEveryMs?: number
}

export interface ClusterEntry extends Pick<Cluster, 'id' | 'name' | 'apiServer'> {
  readonly health: ClusterHealth
}

/** Failures of all requests about clusters, except the end of the session. */
export type ClusterProblem = Exclude<
  FeedFailure | RestartFailure | PodNotFound | DatabaseFailure,
  { kind: 'identity_rejected' }
>

/** Several tabs of several pods each; a quarter of all, if that is more. */
const STREAMS_PER_PERSON = 20
/** Types of objects, in a handful of namespaces; the others are listed now and then. */
const WORKLOAD_STREAMS_PER_PERSON_MAX = 20

export type Clusters = ReturnType<typeof createClusters>

/** Clusters as a person may see them. Requests to clusters carry that person's token and no other credential. */
export function createClusters(options: ClustersOptions) {
  const { registry, kubernetes } = options
  const teams = createKnownTeams(options)
  const reachability = createClusterHealth((cluster) => kubernetes.probe(cluster), options.clock)
  const access = createAccess({ ...options, tokens: createClusterTokens(options) })
  const { withAccess } = access
  const reviews = createAccessReviews({ ...options, ...access })
  const streamsAtOnce = Math.ceil(options.streamsMax / 2)
  const streamsPerPerson = Math.max(STREAMS_PER_PERSON, Math.floor(streamsAtOnce / 4))
  const streamSlots = createFair({
    queue: 'streams',
    permits: streamsAtOnce,
    perPerson: streamsPerPerson,
  })
  const streams = createOpenStreams({ ...options, ...access, streamSlots })
  const watches = createWorkloadWatches({
    ...options,
    ...access,
    // A budget of their own: these watches stay when a token ends, and would take the slots that feeds lose then.
    streamSlots: createFair({
      queue: 'workload streams',
      permits: Math.floor(options.streamsMax / 2),
      perPerson: WORKLOAD_STREAMS_PER_PERSON_MAX,
    }),
  })

  function listAndFollow<Item, View extends Identified>(
    collection: Collection<Item>,
    {
      plural,
      view,
      laterView,
    }: {
      readonly plural: string
      readonly view: (item: Item, now: number) => View
      readonly laterView: (item: Item, now: number) => Later<View> | null
    },
  ) {
    const laters = new WeakMap<View, Later<View>>()
    const viewAt = (now: number, item: Item): View => {
      const [seen, later] = [view(item, now), laterView(item, now)]
      if (later !== null) laters.set(seen, later)
      return seen
    }
    const resource: Resource<View> = {
      plural,
      list: (access, query) => collection.list(access, query, (item) => viewAt(access.now(), item)),
      watch: (access, from) => collection.watch(access, from, (item) => viewAt(access.now(), item)),
      later: (view) => laters.get(view) ?? null,
    }
    const flights = createNextFlight<Result<Listing<View>, ListFailure | AccessFailure>>()
    return {
      /** Equal lists that a person asks for at once are read once. */
      list(request: ClusterRequest, list: ListRequest) {
        const { session, cluster, namespace } = request
        const key = JSON.stringify([session.idHash, cluster, namespace, list])
        return flights(
          key,
          (signal) =>
            withAccess({ ...request, signal }, (access) => listResource(resource, access, list)),
          request.signal,
        )
      },
      follow: (request: ClusterRequest, selection: Selection, position?: FeedPosition) =>
        openFeed(streams, resource, request, selection, position),
    }
  }

  const visibleTo = (principal: Principal): readonly Cluster[] =>
    registry().filter((cluster) => maySee(principal, cluster))

  /** The clusters that a person may see, and their health. */
  const seenBy = ({ session }: ReviewRequest) => ({
    clusters: visibleTo(session.principal),
    healthOf: (cluster: Cluster) => reachability.of(cluster),
  })

  return {
    /** Probes every cluster, so that the first list has a status for each. */
    async start(): Promise<void> {
      await Promise.all(registry().map(reachability.refresh))
    },

    list: (principal: Principal): readonly ClusterEntry[] =>
      visibleTo(principal).map((cluster) => ({
        id: cluster.id,
        name: cluster.name,
        apiServer: cluster.apiServer,
        health: reachability.of(cluster),
      })),

    namespaces: (request: PersonRequest) =>
      readNamespaces({ ...access, kubernetes, reviews, teams }, request),

    runsOn: (request: ReviewRequest, placements: readonly Placement[]) =>
      readRunsOn({ ...seenBy(request), reviews }, request, placements),

    pods: listAndFollow(kubernetes.objects(RESOURCES.pod), RESOURCES.pod),
    deployments: listAndFollow(kubernetes.objects(RESOURCES.deployment), RESOURCES.deployment),

    applicationHealth: <Of extends PlacedApplication>(
      request: ReviewRequest,
      applications: readonly Of[],
    ) => readApplicationHealth({ ...seenBy(request), watches }, request, applications),

    /** The application whose environment runs in a namespace of a cluster, by the registry. */
    applicationIn: <Of extends PlacedApplication>(
      { cluster, namespace }: Pick<ClusterRequest, 'cluster' | 'namespace'>,
      applications: readonly Of[],
    ): Of | undefined =>
      applications.find((of) =>
        placesOf(registry(), of).some(
          (place) => place.cluster.id === cluster && place.namespace === namespace,
        ),
      ),

    workloads: {
      read: (request: ClusterRequest, named: WorkloadName) =>
        withAccess(request, (access) => readWorkloadDetail(kubernetes, access, named)),
      list: (request: ClusterRequest, labelSelector: string | null) =>
        withAccess(request, (access) => readWorkloads(kubernetes, access, labelSelector)),
      follow: (request: ClusterRequest, { labelSelector }: Selection) =>
        openWorkloadFeed(watches, request, labelSelector),
    },

    workloadLog: (request: ClusterRequest, named: WorkloadName, query: WorkloadLogQuery) =>
      openWorkloadLog(
        // The other half is for what else the person has open.
        { kubernetes, streams, streamSlots, followedMax: Math.floor(streamsPerPerson / 2) },
        request,
        named,
        query,
      ),

    log: (request: ClusterRequest, pod: Subdomain, query: LogQuery) =>
      openPodLog(streams, kubernetes, request, pod, query),

    events: (request: ClusterRequest, pod: Subdomain) =>
      withAccess(request, (access) => readPodEvents(kubernetes, access, pod)),

    deploymentEvents: (request: ClusterRequest, name: Subdomain) =>
      withAccess(request, (access) => readDeploymentEvents(kubernetes, access, name)),

    restart(request: ClusterRequest, type: ResourceName, name: Subdomain) {
      const { kind, group, version, plural } = RESOURCES[type]
      const schema = KubernetesRolledOut
      const collection = kubernetes.objects({ group, version, plural, schema })
      return restartOnRecord({ ...options, ...teams, withAccess, kind, collection }, request, name)
    },
  }
}
