import { createAuthorizer } from '#src/demo/clusters/access.ts'
import { createHandler } from '#src/demo/clusters/api/handle.ts'
import { createStreams } from '#src/demo/clusters/api/streams.ts'
import type { Behaviour } from '#src/demo/clusters/control/behaviour.ts'
import { createSimulation } from '#src/demo/clusters/simulation.ts'
import { clusters } from '#src/demo/clusters/workloads/clusters.ts'
import type { NamespaceRow, Workload } from '#src/demo/clusters/workloads/workload.ts'
import { createImageRegistry } from '#src/demo/clusters/workloads/image-registry.ts'
import { findPerson } from '#src/demo/people.ts'

/** By image. */
export type Behaviours = Readonly<Record<string, Behaviour>>

export const NOW = Date.UTC(2026, 10, 20, 9)
export const STEP_MS = 1_000

/** The token of a person is the person's id. */
export async function authenticate(token: string) {
  const person = findPerson(token)
  return person && { username: person.id, groups: person.groups }
}

/** One workload in `payments-dev`, an hour old and well. */
export const only = (
  workload: Omit<Partial<Workload>, 'history'> & { replicas?: number } = {},
): readonly NamespaceRow[] => {
  const { replicas = 3, ...rest } = workload
  const history = [{ hoursAgo: 1, tag: '1.0.0', replicas }] as const
  const row = { name: 'payments-dev', team: 'payments', environment: 'dev', jobs: [] } as const
  return [{ ...row, workloads: [{ name: 'web', type: 'service', ...rest, history }] }]
}

export const WEB = '/apis/apps/v1/namespaces/payments-dev/deployments/web'

type RequestOptions = Omit<RequestInit, 'headers'> & { headers?: Readonly<Record<string, string>> }

/** The registry of the demo, with every image of `only`. */
const { behaviourOf } = createImageRegistry()
const builtAlso = (image: string) =>
  image.startsWith('ghcr.io/acme/web:') ? undefined : behaviourOf(image)

/** A cluster whose time goes on when `pass` says so, and its API without a socket. */
export function openSimulation(
  namespaces: readonly NamespaceRow[] = clusters['dev-east'],
  behaviours?: Behaviours,
) {
  const onBug = (error: unknown) => {
    throw error
  }
  const simulation = createSimulation({
    id: 'dev-east',
    namespaces,
    behaviourOf: (image) => (behaviours === undefined ? builtAlso(image) : behaviours[image]),
    now: NOW,
    stepMs: STEP_MS,
    onBug,
  })
  const { store, timeline } = simulation
  const allows = createAuthorizer(store)
  const streams = createStreams()
  const handle = createHandler({ store, timeline, streams, authenticate, allows, onBug })

  const ask = (person: string | null, path: string, init: RequestOptions = {}) =>
    handle(
      new Request(`https://127.0.0.1${path}`, {
        ...init,
        headers: { ...(person && { authorization: `Bearer ${person}` }), ...init.headers },
      }),
    )
  const get = async (path: string, person = 'platform'): Promise<unknown> =>
    (await ask(person, path)).json()
  const patch = (path: string, body: object, type = 'strategic-merge-patch') =>
    ask('platform', path, {
      method: 'PATCH',
      body: JSON.stringify(body),
      headers: { 'content-type': `application/${type}+json` },
    })
  return {
    ...simulation,
    streams,
    ask,
    get,
    patch,
    pass: (ms: number) => timeline.advanceTo(timeline.now() + ms),
    deployment: (name = 'web') => {
      const found = store.get('deployments', { namespace: 'payments-dev', name })
      if (found === undefined) throw new Error(`no deployment ${name}`)
      return found
    },
  }
}

export type OpenSimulation = ReturnType<typeof openSimulation>

/** As `kubectl rollout restart` does it. */
export const restart = (at: string) => ({
  spec: { template: { metadata: { annotations: { 'kubectl.kubernetes.io/restartedAt': at } } } },
})
