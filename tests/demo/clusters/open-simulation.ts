import { createAuthority } from '#src/demo/clusters/certificate-authority.ts'
import { createSimulatedCluster } from '#src/demo/clusters/simulated-cluster.ts'
import { createHandler } from '#src/demo/clusters/api-server.ts'
import { createCluster } from '#src/demo/clusters/cluster.ts'
import { type Behaviour, createImages, type Images } from '#src/demo/clusters/images.ts'
import { createStreams } from '#src/demo/clusters/streams.ts'
import { clusters, type NamespaceRow, type Workload } from '#src/demo/clusters/workloads.ts'
import { findPerson } from '#src/demo/people.ts'
import type { Clock } from '#src/lib/ports/clock.ts'

export const NOW = Date.UTC(2026, 10, 20, 9)
export const STEP_MS = 1_000
export const WEB = '/apis/apps/v1/namespaces/payments-dev/deployments/web'

/** The token of a person is the person's id. */
async function authenticate(token: string) {
  const person = findPerson(token)
  return person && { username: person.id, groups: person.groups }
}

/** One workload in `payments-dev`, an hour old and well. */
export const only = (
  workload: Omit<Partial<Workload>, 'history'> & { replicas?: number } = {},
): readonly NamespaceRow[] => {
  const { replicas = 3, ...rest } = workload
  const history = [{ hoursAgo: 1, tag: '1.0.0', replicas }] as const
  const row = { name: 'payments-dev', team: 'payments', environment: 'dev' } as const
  return [{ ...row, workloads: [{ name: 'web', ...rest, history }] }]
}

/** Images that are all there, with the behaviours of some of them. */
export const imagesThat = (
  behaviours: Readonly<Record<string, Behaviour>> = {},
  builtAt: Images['builtAt'] = () => 0,
): Images => ({ push: () => {}, builtAt, behaviourOf: (image) => behaviours[image] })

/** A cluster whose time goes on when `pass` says so, and its API without a socket. */
export function openSimulation(
  rows: readonly NamespaceRow[] = clusters['dev-east'],
  images: Images = rows === clusters['dev-east'] || rows === clusters['prod-west']
    ? createImages()
    : imagesThat(),
) {
  const onBug = (error: unknown) => {
    throw error
  }
  let now = NOW
  const clock = { now: () => now }
  const world = { cluster: 'dev-east', images, stepMs: STEP_MS }
  const cluster = createCluster({ ...world, rows, clock, onBug })
  const { store } = cluster
  const streams = createStreams()
  const handle = createHandler({ cluster, streams, clock, authenticate, onBug })
  const ask = (person: string | null, path: string, init: RequestInit = {}) =>
    handle(
      new Request(`https://127.0.0.1${path}`, {
        ...init,
        headers: {
          ...(person && { authorization: `Bearer ${person}` }),
          ...(init.headers as Record<string, string> | undefined),
        },
      }),
    )
  return {
    ...cluster,
    streams,
    ask,
    get: async (path: string, person = 'platform'): Promise<unknown> =>
      (await ask(person, path)).json(),
    patchBy: (path: string, body: object, person = 'platform', type = 'strategic-merge-patch') =>
      ask(person, path, {
        method: 'PATCH',
        body: JSON.stringify(body),
        headers: { 'content-type': `application/${type}+json` },
      }),
    pass: (ms: number) => {
      const end = now + ms
      for (let next = cluster.next(); next <= end; next = cluster.next()) {
        now = Math.max(next, now)
        cluster.advance()
      }
      now = end
    },
    deployment: (name = 'web') => {
      const found = store.list('Deployment').find(({ metadata }) => metadata.name === name)
      if (found === undefined) throw new Error(`no deployment ${name}`)
      return found
    },
  }
}

export type OpenSimulation = ReturnType<typeof openSimulation>

/** The simulated cluster `dev-east` behind TLS, and the certificate of its authority. With a stopped clock only tests change it. */
export async function openServer(clock: Clock = { now: () => NOW }) {
  const { certificate: authority, issue } = await createAuthority(Date.now())
  const cluster = createSimulatedCluster({
    id: 'dev-east',
    ...(await issue('dev-east')),
    rows: clusters['dev-east'],
    images: createImages(),
    authenticate,
    clock,
    onBug: (error) => {
      throw error
    },
  })
  return { authority, cluster, [Symbol.asyncDispose]: () => cluster.close() }
}

/** As `kubectl rollout restart` does it. */
export const restart = (at: string) => ({
  spec: { template: { metadata: { annotations: { 'kubectl.kubernetes.io/restartedAt': at } } } },
})
