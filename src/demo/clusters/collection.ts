import type { ApiObject } from './objects.ts'

/** Older changes are compacted: watches and continued lists cannot start before them. */
const CHANGES_MAX = 1_000

export interface Change<Kind extends ApiObject = ApiObject> {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'
  readonly version: number
  readonly object: Kind
  readonly previous: Kind | undefined
}

/** All objects of one resource with their recent changes; see `Store`. */
export type Collection<Kind extends ApiObject> = ReturnType<typeof createCollection<Kind>>

export const withVersion = <Kind extends ApiObject>(object: Kind, version: number): Kind => ({
  ...object,
  metadata: { ...object.metadata, resourceVersion: String(version) },
})

const inOrder = <Kind>(objects: ReadonlyMap<string, Kind>): Kind[] =>
  [...objects.keys()].toSorted().flatMap((key) => objects.get(key) ?? [])

export function createCollection<Kind extends ApiObject>(
  keyOf: (object: Kind) => string,
  nextVersion: () => number,
) {
  const objects = new Map<string, Kind>()
  const listeners = new Set<(change: Change<Kind>) => void>()
  const changes: Change<Kind>[] = []
  let cachedList: readonly Kind[] | undefined
  /** Version of the last compacted change. */
  let compacted = nextVersion()

  function commit(change: Change<Kind>): void {
    cachedList = undefined
    changes.push(change)
    if (changes.length > CHANGES_MAX) compacted = changes.shift()?.version ?? compacted
    for (const listener of listeners) listener(change)
  }

  const changesSince = (version: number): readonly Change<Kind>[] | undefined =>
    version < compacted ? undefined : changes.filter((change) => change.version > version)

  return {
    get: (key: string): Kind | undefined => objects.get(key),
    /** Ordered by key, as in etcd. */
    list: (): readonly Kind[] => (cachedList ??= inOrder(objects)),
    listAt(version: number): readonly Kind[] | undefined {
      const later = changesSince(version)
      if (later === undefined) return undefined
      const earlier = new Map(objects)
      for (const { object, previous } of later.toReversed()) {
        if (previous === undefined) earlier.delete(keyOf(object))
        else earlier.set(keyOf(object), previous)
      }
      return inOrder(earlier)
    },
    changesSince,
    set(key: string, object: Kind): void {
      const previous = objects.get(key)
      const version = nextVersion()
      const stored = withVersion(object, version)
      objects.set(key, stored)
      commit({ type: previous ? 'MODIFIED' : 'ADDED', version, object: stored, previous })
    },
    delete(key: string): void {
      const previous = objects.get(key)
      if (previous === undefined) return
      const version = nextVersion()
      objects.delete(key)
      commit({ type: 'DELETED', version, object: withVersion(previous, version), previous })
    },
    watch(listener: (change: Change<Kind>) => void): () => void {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
