import type { ApiObject, Kinds, Resource } from './objects.ts'
import { type Change, createCollection, type Collection } from './collection.ts'

export interface ObjectKey {
  readonly namespace?: string
  readonly name: string
}

/** Stands in for etcd and the watch cache of an API server. Stored objects are immutable. */
export interface Store {
  /** Version of the last change in the cluster. A watch from here continues a list of now. */
  readonly version: number
  get<Of extends Resource>(resource: Of, key: ObjectKey): Kinds[Of] | undefined
  list<Of extends Resource>(resource: Of): readonly Kinds[Of][]
  /** The list at an earlier version; undefined when that version is compacted. */
  listAt<Of extends Resource>(resource: Of, version: number): readonly Kinds[Of][] | undefined
  /** Undefined when `version` is compacted. */
  changesSince<Of extends Resource>(
    resource: Of,
    version: number,
  ): readonly Change<Kinds[Of]>[] | undefined
  /** Stores the object under a new version, unless it equals the stored one. Returns the stored object. */
  put<Of extends Resource>(resource: Of, object: Kinds[Of]): Kinds[Of]
  remove(resource: Resource, key: ObjectKey): void
  watch<Of extends Resource>(
    resource: Of,
    listener: (change: Change<Kinds[Of]>) => void,
  ): () => void
}

const join = ({ namespace = '', name }: ObjectKey) => `${namespace}/${name}`
export const keyOf = ({ metadata }: ApiObject): string => join(metadata)

export function createStore(firstVersion: number): Store {
  let version = firstVersion
  const newCollection = <Kind extends ApiObject>() => createCollection<Kind>(keyOf, () => ++version)
  const collections: { readonly [Of in Resource]: Collection<Kinds[Of]> } = {
    pods: newCollection(),
    deployments: newCollection(),
    replicasets: newCollection(),
    namespaces: newCollection(),
    events: newCollection(),
  }

  return {
    get version() {
      return version
    },
    get: (resource, key) => collections[resource].get(join(key)),
    list: (resource) => collections[resource].list(),
    listAt: (resource, at) => collections[resource].listAt(at),
    changesSince: (resource, since) => collections[resource].changesSince(since),
    put(resource, object) {
      const key = keyOf(object)
      const before = collections[resource].get(key)
      if (before !== undefined && Bun.deepEquals(before, object)) return before
      collections[resource].set(key, object)
      return collections[resource].get(key) ?? object
    },
    remove: (resource, key) => collections[resource].delete(join(key)),
    watch: (resource, listener) => collections[resource].watch(listener),
  }
}
