import type { ApiObject } from './objects.ts'

/** Older changes are compacted: watches and continued lists cannot start before them. */
const CHANGES_MAX = 5_000

export interface Change {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'
  readonly version: number
  readonly object: ApiObject
  readonly previous: ApiObject | undefined
}

/** Stands in for etcd and the watch cache of an API server. Stored objects are immutable. */
export type Store = ReturnType<typeof createStore>

export const keyOf = ({ metadata: { namespace = '', name } }: ApiObject): string =>
  `${namespace}/${name}`

export const withVersion = <Kind extends ApiObject>(object: Kind, version: number): Kind => ({
  ...object,
  metadata: { ...object.metadata, resourceVersion: String(version) },
})

const isSame = (stored: ApiObject, object: ApiObject): boolean =>
  Bun.deepEquals(stored, withVersion(object, Number(stored.metadata.resourceVersion)))

export function createStore(firstVersion: number) {
  let version = firstVersion
  let compacted = firstVersion
  const objects = new Map<string, ApiObject>()
  const owned = new Map<string, ReadonlySet<string>>()
  const changes: Change[] = []
  const listeners = new Set<(change: Change) => void>()
  const idOf = (object: ApiObject) => `${object.kind} ${keyOf(object)}`

  function commit(type: Change['type'], object: ApiObject): void {
    const id = idOf(object)
    version += 1
    const change = {
      type,
      version,
      object: withVersion(object, version),
      previous: objects.get(id),
    }
    if (type === 'DELETED') objects.delete(id)
    else objects.set(id, change.object)
    changes.push(change)
    if (changes.length > CHANGES_MAX) compacted = changes.shift()?.version ?? compacted
    for (const listener of listeners) listener(change)
  }

  return {
    /** Version of the last change in the cluster. A watch from here continues a list of now. */
    get version() {
      return version
    },
    get: (kind: ApiObject['kind'], namespace: string, name: string): ApiObject | undefined =>
      objects.get(`${kind} ${namespace}/${name}`),
    /** Ordered by namespace and name, as in etcd. */
    list: <Kind extends ApiObject['kind']>(kind: Kind): Extract<ApiObject, { kind: Kind }>[] =>
      [...objects.values()]
        .filter((object): object is Extract<ApiObject, { kind: Kind }> => object.kind === kind)
        .toSorted((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1)),
    /** `undefined` when `since` is compacted. */
    changesSince: (kind: ApiObject['kind'], since: number): readonly Change[] | undefined =>
      since < compacted
        ? undefined
        : changes.filter((change) => change.version > since && change.object.kind === kind),
    /** Makes these the objects of an owner. Equal ones keep their version, missing ones are deleted. */
    replace(owner: string, next: readonly ApiObject[]): void {
      const ids = new Set(next.map(idOf))
      for (const object of next) {
        const stored = objects.get(idOf(object))
        if (stored === undefined) commit('ADDED', object)
        else if (!isSame(stored, object)) commit('MODIFIED', object)
      }
      for (const id of owned.get(owner) ?? []) {
        const stored = objects.get(id)
        if (stored !== undefined && !ids.has(id)) commit('DELETED', stored)
      }
      owned.set(owner, ids)
    },
    watch(listener: (change: Change) => void): () => void {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
