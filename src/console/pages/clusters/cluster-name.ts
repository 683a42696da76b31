import { useResource } from '../../api/resource.ts'

/** The name of a cluster, or its id until the name is known. */
export function useClusterName(id: string): string {
  const { value } = useResource('/api/v1/clusters')
  return value?.find((cluster) => cluster.id === id)?.name ?? id
}
