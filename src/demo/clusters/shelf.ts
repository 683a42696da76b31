import type { ApiObject } from './objects.ts'

/** Changes that a watch or a page may go back to. */
const CHANGES_MAX = 1_000

export interface Change<Kind extends ApiObject = ApiObject> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'
  readonly version: number
  readonly object: Kind
  readonly previous: Kind | undefined
}

/** All objects of one kind, and what lately became of them. */
export interface Shelf<Kind extends ApiObject> {
  get(key: string): Kind | undefined
  /** In the order of their keys, as etcd has them. */
  list(): readonly Kind[]
  /** What `list` said then; nothing when that is forgotten. */
  listAt(version: number): readonly Kind[] | undefined
  /** Nothing when some of them are forgotten. */
  changesSince(version: number): readonly Change<Kind>[] | undefined
  set(key: string, object: Kind): void
  delete(key: string): void
  watch(listener: (change: Change<Kind>) => void): () => void
}

export const stamp = <Kind extends ApiObject>(object: Kind, version: number): Kind => ({
  ...object,
  metadata: { ...object.metadata, resourceVersion: String(version) },
})

const inOrder = <Kind>(objects: ReadonlyMap<string, Kind>): Kind[] =>
  [...objects.keys()].toSorted().flatMap((key) => objects.get(key) ?? [])

export function createShelf<Kind extends ApiObject>(
  keyOf: (object: Kind) => string,
  nextVersion: () => number,
): Shelf<Kind> {
  const objects = new Map<string, Kind>()
  const listeners = new Set<(change: Change<Kind>) => void>()
  const changes: Change<Kind>[] = []
  let listed: readonly Kind[] | undefined
  /** The version of the last change that is forgotten. */
  let forgotten = nextVersion()

  function commit(change: Change<Kind>): void {
    listed = undefined
    changes.push(change)
    if (changes.length > CHANGES_MAX) forgotten = changes.shift()?.version ?? forgotten
    for (const listener of listeners) listener(change)
  }

  const changesSince = (version: number) =>
    version < forgotten ? undefined : changes.filter((change) => change.version > version)

  return {
    get: (key) => objects.get(key),
    list: () => (listed ??= inOrder(objects)),
    listAt(version) {
      const undone = changesSince(version)
      if (undone === undefined) return undefined
      const then = new Map(objects)
      for (const { object, previous } of undone.toReversed()) {
        if (previous === undefined) then.delete(keyOf(object))
        else then.set(keyOf(object), previous)
      }
      return inOrder(then)
    },
    changesSince,
    set(key, object) {
      const previous = objects.get(key)
      const version = nextVersion()
      const stored = stamp(object, version)
      objects.set(key, stored)
      commit({ type: previous ? 'MODIFIED' : 'ADDED', version, object: stored, previous })
    },
    delete(key) {
      const previous = objects.get(key)
      if (previous === undefined) return
      const version = nextVersion()
      objects.delete(key)
      commit({ type: 'DELETED', version, object: stamp(previous, version), previous })
    },
    watch(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
