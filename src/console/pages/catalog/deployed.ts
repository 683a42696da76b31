import type { components } from '../../api/schema.gen.ts'
import type { Application, Environment } from './applications.ts'

type Schemas = components['schemas']

export type ClusterNamespace = Schemas['ClusterNamespace']
export type Deployment = Pick<Schemas['Deployment'], 'status' | 'labels'>

/** A namespace of a cluster. */
export interface Place {
  readonly cluster: string
  readonly namespace: string
}

export const placeKey = ({ cluster, namespace }: Place): string => `${cluster}/${namespace}`

export function tagOf({ image }: Environment): string | undefined {
  if (image === null) return undefined
  return image.tag ?? image.digest?.slice(0, DIGEST_SHOWN) ?? undefined
}

/** `sha256:` and 12 digits. */
const DIGEST_SHOWN = 19

/** State of an environment in words, beside its tag; nothing where all is as it should be. */
export function stateWords({ state, pullRequest, behind, image }: Environment): string | undefined {
  if (pullRequest !== null) return `#${pullRequest} in review`
  if (state === 'pr_open') return 'in review'
  if (state === 'ready_to_confirm') return 'ready to confirm'
  if (state === 'none') return 'not deployed'
  if (behind !== null) return `behind ${behind}`
  return image === null ? 'no image' : undefined
}

/** Namespaces by cluster that the person may read. */
export type ReadableNamespaces = ReadonlyMap<string, readonly ClusterNamespace[]>

/** The places in which an environment of a team runs, of those that the person may read. */
export function placesOf(
  { team }: Pick<Application, 'team'>,
  environment: string,
  readable: ReadableNamespaces,
): readonly Place[] {
  return [...readable].flatMap(([cluster, namespaces]) =>
    namespaces
      .filter((namespace) => namespace.team === team && namespace.environment === environment)
      .map(({ name }) => ({ cluster, namespace: name })),
  )
}

/** The places of all environments of these applications in which something is deployed, each once. */
export function placesOfAll(
  applications: readonly Application[],
  readable: ReadableNamespaces,
): readonly Place[] {
  const places = applications.flatMap((application) =>
    application.environments
      .filter(({ image }) => image !== null)
      .flatMap(({ name }) => placesOf(application, name, readable)),
  )
  return [...new Map(places.map((place) => [placeKey(place), place])).values()]
}

/** Worst first. */
const STATUSES = ['Degraded', 'Progressing', 'Paused', 'ScaledToZero', 'Available'] as const

const APP_LABEL = 'app.kubernetes.io/name'

/** Deployments by place, as far as their clusters have answered. */
export type KnownDeployments = ReadonlyMap<string, readonly Pick<Deployment, 'status' | 'labels'>[]>

/** The worst status of the deployments of an application in some places; nothing when none is known. */
export function healthOf(
  { app }: Pick<Application, 'app'>,
  places: readonly Place[],
  known: KnownDeployments,
): Deployment['status'] | undefined {
  const statuses = new Set(
    places
      .flatMap((place) => known.get(placeKey(place)) ?? [])
      .filter(({ labels }) => labels[APP_LABEL] === app)
      .map(({ status }) => status),
  )
  return STATUSES.find((status) => statuses.has(status))
}
