import type { Subdomain } from '../../names.ts'
import type { Clock } from '../../ports/clock.ts'
import type { Cluster, Kubernetes, LogQuery } from '../../ports/clusters.ts'
import type { DatabaseFailure } from '../../ports/database.ts'
import type { KubernetesDeployment, KubernetesPod } from '../../ports/kubernetes-objects.ts'
import type { IdentityProvider, Principal } from '../../ports/identity.ts'
import { ok, type Result } from '../../result.ts'
import type { SessionTokens } from '../access/session-tokens.ts'
import type { Sessions } from '../access/sessions.ts'
import type { Audit } from '../audit/audit.ts'
import {
  type AccessFailure,
  type Asking,
  type ClusterEvent,
  createAccess,
  maySee,
} from './access.ts'
import { type ClusterHealth, createClusterHealth } from './cluster-health.ts'
import { createClusterTokens } from './cluster-token.ts'
import { type DeploymentView, deploymentView } from './deployment.ts'
import { type FollowFailure, type Listed, listIn, openFeed } from './feeds.ts'
import type { ListRequest } from './listing.ts'
import { createOpenStreams } from './open-streams.ts'
import { type PodView, podView } from './pod.ts'
import { type PodEvent, podEvents } from './pod-event.ts'
import { openLog, type PodNotFound } from './pod-log.ts'
import { type RestartFailure, restartOnRecord } from './restart.ts'

export interface ClustersOptions {
  readonly registry: () => readonly Cluster[]
  readonly kubernetes: Kubernetes
  readonly sessions: Pick<Sessions, 'again'>
  readonly sessionTokens: SessionTokens
  readonly identity: Pick<IdentityProvider, 'exchange'>
  readonly audit: Pick<Audit, 'record'>
  readonly clock: Clock
  readonly log: (event: ClusterEvent) => void
  /** Watches and logs of everybody together that may be open at once. */
  readonly streamsMax: number
  /** How often the right to an open stream is looked at. */
  readonly lookEveryMs?: number
}

export interface ClusterEntry extends Pick<Cluster, 'id' | 'name' | 'apiServer'> {
  readonly health: ClusterHealth
}

/** Everything that can become of a request, but the end of the session. */
export type ClusterProblem = Exclude<
  FollowFailure | RestartFailure | PodNotFound | DatabaseFailure,
  { kind: 'identity_rejected' }
>

type Render<View> = (view: View) => string

export type Clusters = ReturnType<typeof createClusters>

/** Clusters as the person who asks may see them. Nothing is asked or done with any other right than theirs. */
export function createClusters(options: ClustersOptions) {
  const { registry, kubernetes, clock } = options
  const health = createClusterHealth((cluster) => kubernetes.probe(cluster), clock)
  const tokens = createClusterTokens(options)
  const { withAccess, mayGoOn } = createAccess({ ...options, tokens })
  const streams = createOpenStreams({
    ...options,
    all: options.streamsMax,
    mayGoOn,
    onBug: ({ cluster, requestId }, bug) => options.log({ cluster, requestId, failure: { bug } }),
  })
  const streaming = { withAccess, streams }

  const pods: Listed<KubernetesPod> = {
    plural: 'pods',
    list: (access, query, show) => kubernetes.pods(access, query, show),
    watch: (access, from) => kubernetes.watchPods(access, from),
  }
  const deployments: Listed<KubernetesDeployment> = {
    plural: 'deployments',
    list: (access, query, show) => kubernetes.deployments(access, query, show),
    watch: (access, from) => kubernetes.watchDeployments(access, from),
  }

  return {
    /** Looks at every cluster, so that the first who asks learns more than that nobody has looked. For the start. */
    async start(): Promise<void> {
      await Promise.all(registry().map(health.look))
    },

    list: (principal: Principal): readonly ClusterEntry[] =>
      registry()
        .filter((cluster) => maySee(principal, cluster))
        .map((cluster) => {
          const { id, name, apiServer } = cluster
          return { id, name, apiServer, health: health.of(cluster) }
        }),

    /** Each is rendered as it is read: the text of five thousand pods is a third of what they weigh otherwise. */
    pods: (asking: Asking, request: ListRequest, render: Render<PodView>) =>
      withAccess(asking, (access) => listIn(pods, access, request, (pod) => render(podView(pod)))),
    deployments: (asking: Asking, request: ListRequest, render: Render<DeploymentView>) =>
      withAccess(asking, (access) =>
        listIn(deployments, access, request, (deployment) => render(deploymentView(deployment))),
      ),
    followPods: (asking: Asking, labelSelector: string | null, render: Render<PodView>) =>
      openFeed(streaming, pods, asking, labelSelector, (pod) => render(podView(pod))),
    followDeployments: (
      asking: Asking,
      labelSelector: string | null,
      render: Render<DeploymentView>,
    ) =>
      openFeed(streaming, deployments, asking, labelSelector, (deployment) =>
        render(deploymentView(deployment)),
      ),

    log: (asking: Asking, pod: Subdomain, query: LogQuery) =>
      openLog({ ...streaming, kubernetes }, asking, pod, query),

    async events(
      asking: Asking,
      pod: Subdomain,
    ): Promise<Result<readonly PodEvent[], AccessFailure>> {
      const page = await withAccess(asking, (access) => kubernetes.events(access, pod))
      return page.ok ? ok(podEvents(page.value.items)) : page
    },

    restart: (asking: Asking, name: Subdomain) =>
      withAccess(asking, (access) => restartOnRecord(options, asking, access, name)),
  }
}
