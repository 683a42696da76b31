import type { ApiObject, Kinds, Resource } from './objects.ts'
import { type Change, createShelf, type Shelf } from './shelf.ts'

export interface ObjectKey {
  readonly namespace?: string
  readonly name: string
}

/** What etcd and the watch cache are to an API server. Objects are never changed in place. */
export interface Store {
  /** Of the last change: where a watch of what is now listed begins. */
  readonly version: number
  get<Of extends Resource>(resource: Of, key: ObjectKey): Kinds[Of] | undefined
  list<Of extends Resource>(resource: Of): readonly Kinds[Of][]
  /** What `list` said when `version` was the last change; nothing when that is forgotten. */
  listAt<Of extends Resource>(resource: Of, version: number): readonly Kinds[Of][] | undefined
  /** Nothing when some of them are forgotten. */
  changesSince<Of extends Resource>(
    resource: Of,
    version: number,
  ): readonly Change<Kinds[Of]>[] | undefined
  /** Gives it a new version, unless it says what the stored one says. */
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
  const newShelf = <Kind extends ApiObject>() => createShelf<Kind>(keyOf, () => ++version)
  const shelves: { readonly [Of in Resource]: Shelf<Kinds[Of]> } = {
    pods: newShelf(),
    deployments: newShelf(),
    replicasets: newShelf(),
    namespaces: newShelf(),
    events: newShelf(),
  }

  return {
    get version() {
      return version
    },
    get: (resource, key) => shelves[resource].get(join(key)),
    list: (resource) => shelves[resource].list(),
    listAt: (resource, at) => shelves[resource].listAt(at),
    changesSince: (resource, since) => shelves[resource].changesSince(since),
    put(resource, object) {
      const key = keyOf(object)
      const before = shelves[resource].get(key)
      if (before !== undefined && Bun.deepEquals(before, object)) return before
      shelves[resource].set(key, object)
      return shelves[resource].get(key) ?? object
    },
    remove: (resource, key) => shelves[resource].delete(join(key)),
    watch: (resource, listener) => shelves[resource].watch(listener),
  }
}
