import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { call } from '../../api/call.ts'
import { useResource } from '../../api/resource.ts'
import { type ClusterNamespace, namespacesOf } from './places.ts'

/** Clusters that are asked for their namespaces. */
const CLUSTERS_MAX = 6

/** Namespaces of a team that this person may see. They are suggestions, so that a failure is none. */
export function useNamespaces(team: string): readonly string[] {
  const namespaces = useSignal<readonly ClusterNamespace[]>([])
  const rows = useResource('/api/v1/environments', { query: { limit: 1 } })
  useEffect(() => {
    const read = async () => {
      const clusters = await call('get', '/api/v1/clusters')
      if (!clusters.ok) return
      const lists = clusters.value.value.slice(0, CLUSTERS_MAX).map(async ({ id }) => {
        const params = { clusterId: id }
        const list = await call('get', '/api/v1/clusters/{clusterId}/namespaces', { params })
        if (list.ok) namespaces.value = [...namespaces.peek(), ...list.value.value]
      })
      await Promise.all(lists)
    }
    void read()
  }, [])
  const environments = rows.value?.[0]?.environments.map(({ name }) => name) ?? []
  return namespacesOf(team, namespaces.value, environments)
}
