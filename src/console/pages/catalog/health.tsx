import { signal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { useResource } from '../../api/resource.ts'
import { useWatched } from '../../api/watched.ts'
import {
  type Deployment,
  type KnownDeployments,
  type Place,
  placeKey,
  placesOfAll,
  type ReadableNamespaces,
} from './deployed.ts'
import { shownApplications } from './shown.ts'

/** Namespaces that are watched. A browser has twenty topics for all its tabs; other pages need some of them. */
const WATCHED_MAX = 6
/** Namespaces that are asked for health at all: the others are asked every 30 s, and each answer is a request to a cluster. */
const ASKED_MAX = 24

export const readableNamespaces = signal<ReadableNamespaces>(new Map())
export const knownDeployments = signal<KnownDeployments>(new Map())

/** Reads the health of the applications on the page. What cannot be read has no health, which is no mistake of the page. */
export function Health() {
  const clusters = useResource('/api/v1/clusters')
  const applications = [...shownApplications.value.values()].flat()
  const places = placesOfAll(applications, readableNamespaces.value).slice(0, ASKED_MAX)
  return (
    <>
      {clusters.value
        ?.filter(({ status }) => status !== 'Unreachable')
        .map(({ id }) => (
          <Namespaces key={id} cluster={id} />
        ))}
      {places.map((place, at) =>
        at < WATCHED_MAX ? (
          <Watched key={placeKey(place)} place={place} />
        ) : (
          <Asked key={placeKey(place)} place={place} />
        ),
      )}
    </>
  )
}

function Namespaces({ cluster }: { readonly cluster: string }) {
  const { value } = useResource('/api/v1/clusters/{clusterId}/namespaces', {
    params: { clusterId: cluster },
  })
  const read = (namespaces: typeof value) => {
    readableNamespaces.value = withEntry(readableNamespaces.peek(), cluster, namespaces)
  }
  useEffect(() => read(value), [value])
  useEffect(() => () => read(undefined), [])
  return null
}

function Watched({ place }: { readonly place: Place }) {
  const { items } = useWatched('deployments', place)
  useKnown(place, items)
  return null
}

function Asked({ place }: { readonly place: Place }) {
  const { value } = useResource('/api/v1/clusters/{clusterId}/namespaces/{namespace}/deployments', {
    params: { clusterId: place.cluster, namespace: place.namespace },
  })
  useKnown(place, value)
  return null
}

function useKnown(place: Place, items: readonly Deployment[] | undefined) {
  const key = placeKey(place)
  const know = (known: readonly Deployment[] | undefined) => {
    knownDeployments.value = withEntry(knownDeployments.peek(), key, known)
  }
  useEffect(() => know(items), [items])
  useEffect(() => () => know(undefined), [])
}

/** The map with another value, or without it when there is none. */
function withEntry<Value>(
  map: ReadonlyMap<string, Value>,
  key: string,
  value: Value | undefined,
): ReadonlyMap<string, Value> {
  const next = new Map(map)
  if (value === undefined) next.delete(key)
  else next.set(key, value)
  return next
}
