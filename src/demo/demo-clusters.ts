import { parseNamespacePattern } from '../lib/domain/clusters/namespace-pattern.ts'
import type { Pipeline } from '../lib/domain/promotion/pipeline.ts'
import { Label } from '../lib/names.ts'
import type { Clock } from '../lib/ports/clock.ts'
import type { Cluster, ClusterAuth, ClusterEnvironment } from '../lib/ports/clusters.ts'
import { createAuthority } from './clusters/certificate-authority.ts'
import { type KubeconfigContext, writeKubeconfig } from './clusters/kubeconfig.ts'
import { createSimulatedCluster } from './clusters/simulated-cluster.ts'
import { clusters as workloads } from './clusters/workloads.ts'
import type { Images } from './clusters/images.ts'
import type { Wanted, WantedApplication } from './clusters/cluster.ts'
import { type DemoIdentity, PORTAL_AUDIENCE } from './identity.ts'
import { people, PLATFORM_GROUP } from './people.ts'

export interface DemoClusters {
  readonly registry: readonly Cluster[]
  /** Makes the applications of the gitops repository run. Returns those that may not. */
  sync(wanted: Wanted): readonly WantedApplication[]
  close(): Promise<void>
}

export interface DemoClustersOptions {
  /** Path of the kubeconfig to write, with a context for every person on every cluster. */
  readonly kubeconfig: string
  readonly identity: Pick<DemoIdentity, 'authenticate' | 'clusterToken'>
  readonly images: Images
  readonly pipeline: Pipeline
  readonly clock: Clock
  readonly onBug: (error: unknown) => void
}

/** Nothing listens on the port of the discard protocol. */
const UNREACHABLE = 'https://127.0.0.1:9'
const KUBECONFIG_SECONDS = 7 * 24 * 60 * 60

const PASSTHROUGH: ClusterAuth = { mode: 'passthrough' }

/** One cluster for each way to get a token. */
const rows = [
  {
    id: 'dev-east',
    name: 'Development East',
    rows: workloads['dev-east'],
    groups: ['payments', 'shipping', PLATFORM_GROUP],
    auth: PASSTHROUGH,
    audience: PORTAL_AUDIENCE,
    defaultNamespace: 'payments-dev',
  },
  {
    id: 'prod-west',
    name: 'Production West',
    rows: workloads['prod-west'],
    groups: ['payments:Managers', PLATFORM_GROUP],
    auth: { mode: 'exchange', audience: 'prod-west' },
    audience: 'prod-west',
    defaultNamespace: 'payments',
  },
] as const

/** Production has a cluster of its own. */
const clusterFor = (environment: string): (typeof rows)[number]['id'] =>
  /^prod(?:uction)?$/.test(environment) ? 'prod-west' : 'dev-east'

/** The namespaces are those that promotions write into overlays. */
const environmentsOf = (pipeline: Pipeline, id: string) =>
  pipeline.stages.flatMap((stage): readonly ClusterEnvironment[] => {
    const namespace = parseNamespacePattern(pipeline.namespaceIn(stage, '{team}'))
    if (namespace === undefined || clusterFor(stage.environment) !== id) return []
    return [{ name: stage.environment, namespace }]
  })

/** Starts two simulated clusters, each behind an API server over TLS. The registry also has a third one that is unreachable. */
export async function startClusters({
  kubeconfig,
  identity,
  images,
  pipeline,
  clock,
  onBug,
}: DemoClustersOptions): Promise<DemoClusters> {
  const authority = await createAuthority(clock.now())
  const trust = { kind: 'authority', pem: authority.certificate } as const
  const running = await Promise.all(
    rows.map(async ({ id, rows, audience }) =>
      createSimulatedCluster({
        id,
        rows,
        images,
        ...(await authority.issue(id)),
        async authenticate(token) {
          const person = await identity.authenticate(token, audience)
          return person && { username: person.id, groups: person.groups }
        },
        clock,
        onBug,
      }),
    ),
  )
  const urlOf = (id: string) => running.find((cluster) => cluster.id === id)?.url ?? UNREACHABLE
  const [first, ...more] = await Promise.all(
    rows.flatMap(({ id, audience, defaultNamespace }) =>
      Object.values(people).map(async (person): Promise<KubeconfigContext> => ({
        person: person.id,
        cluster: id,
        token: await identity.clusterToken(person, audience, KUBECONFIG_SECONDS),
        namespace: defaultNamespace,
      })),
    ),
  )
  if (first === undefined) throw new Error('the demo has no people')
  writeKubeconfig(kubeconfig, {
    clusters: running.map(({ id, url }) => ({ id, url, authority: authority.certificate })),
    contexts: [first, ...more],
  })
  const common = { trust, tlsServerName: null, labels: {} }
  return {
    registry: [
      ...rows.map(({ id, name, groups, auth }) => ({
        ...common,
        id: Label.of(id),
        name,
        groups,
        auth,
        apiServer: urlOf(id),
        environments: environmentsOf(pipeline, id),
      })),
      {
        ...common,
        id: Label.of('lab'),
        name: 'Lab',
        groups: [PLATFORM_GROUP],
        auth: PASSTHROUGH,
        apiServer: UNREACHABLE,
        environments: [],
      },
    ],
    sync: ({ applications, unreadable }) =>
      running.flatMap((cluster) =>
        cluster.sync({
          applications: applications.filter(
            ({ environment }) => clusterFor(environment) === cluster.id,
          ),
          unreadable,
        }),
      ),
    async close() {
      await Promise.all(running.map((cluster) => cluster.close()))
    },
  }
}
