import { describe, expect, test } from 'bun:test'
import { type Namespace, newMetadata } from '#src/demo/clusters/objects.ts'
import { createStore } from '#src/demo/clusters/store.ts'

const FIRST = 1_000
const namespace = (name: string, phase = 'Active'): Namespace => ({
  apiVersion: 'v1',
  kind: 'Namespace',
  metadata: { ...newMetadata(name, '', 0), uid: name },
  spec: {},
  status: { phase },
})

describe('a store', () => {
  const open = () => {
    const store = createStore(FIRST)
    const changes: string[] = []
    const unwatch = store.watch('namespaces', ({ type, object, previous, version }) => {
      expect(object.metadata.resourceVersion).toBe(String(version))
      changes.push(
        `${type} ${object.metadata.name} ${previous?.status.phase ?? '-'}>${object.status.phase}`,
      )
    })
    const phases = (listed: readonly Namespace[] | undefined) =>
      listed?.map(({ metadata: { name }, status: { phase } }) => `${name} ${phase}`)
    return { store, changes, unwatch, phases }
  }

  test('gives every change a version, and none to what changes nothing', () => {
    const { store, changes } = open()
    const begin = store.version
    const put = store.put('namespaces', namespace('b'))
    expect(put.metadata.resourceVersion).toBe(String(begin + 1))
    expect(store.put('namespaces', { ...put })).toBe(put)
    const changed = store.put('namespaces', { ...put, status: { phase: 'Terminating' } })
    expect([changed.metadata.resourceVersion, store.version]).toStrictEqual([
      String(begin + 2),
      begin + 2,
    ])
    store.remove('namespaces', { name: 'b' })
    store.remove('namespaces', { name: 'b' })
    expect(store.version).toBe(begin + 3)
    expect(changes).toStrictEqual([
      'ADDED b ->Active',
      'MODIFIED b Active>Terminating',
      'DELETED b Terminating>Terminating',
    ])
  })

  test('lists by key, now and as it was', () => {
    const { store, phases } = open()
    const before = store.version
    for (const name of ['c', 'a', 'b']) store.put('namespaces', namespace(name))
    const then = store.version
    const listed = phases(store.list('namespaces'))
    expect(listed).toStrictEqual(['a Active', 'b Active', 'c Active'])
    const b = store.get('namespaces', { name: 'b' })
    if (b) store.put('namespaces', { ...b, status: { phase: 'Terminating' } })
    store.remove('namespaces', { name: 'a' })
    store.put('namespaces', namespace('d'))
    expect(phases(store.list('namespaces'))).toStrictEqual([
      'b Terminating',
      'c Active',
      'd Active',
    ])
    expect(phases(store.listAt('namespaces', then))).toStrictEqual(listed)
    expect(store.listAt('namespaces', before)).toStrictEqual([])
    expect(store.changesSince('namespaces', then)?.map(({ type }) => type)).toStrictEqual([
      'MODIFIED',
      'DELETED',
      'ADDED',
    ])
    expect(store.changesSince('namespaces', store.version)).toStrictEqual([])
  })

  test('forgets what is long ago, of each kind by itself', () => {
    const { store } = open()
    store.put('namespaces', namespace('a'))
    const { version } = store
    for (let change = 0; change < 1_000; change++) {
      const a = store.get('namespaces', { name: 'a' })
      if (a) store.put('namespaces', { ...a, status: { phase: String(change) } })
    }
    expect(store.changesSince('namespaces', version)).toHaveLength(1_000)
    expect(store.changesSince('namespaces', version - 1)).toBeUndefined()
    expect(store.listAt('namespaces', version - 1)).toBeUndefined()
    expect(store.changesSince('pods', version)).toStrictEqual([])
    expect(store.changesSince('pods', FIRST - 1)).toBeUndefined()
  })

  test('tells nothing to who does not listen any more', () => {
    const { store, changes, unwatch } = open()
    unwatch()
    store.put('namespaces', namespace('a'))
    expect(changes).toStrictEqual([])
  })
})
