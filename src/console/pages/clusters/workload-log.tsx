import { urlOf } from '../../api/call.ts'
import { query, setQuery } from '../../router.ts'
import { LogView } from './log-view.tsx'
import type { Place } from './place.ts'

const LOG = '/api/v1/clusters/{clusterId}/namespaces/{namespace}/workloads/{kind}/{name}/log'
const TAIL_LINES = 1_000

export interface WorkloadLogProps {
  readonly place: Place
  readonly kind: string
  readonly name: string
}

/** The log of all pods, once somebody asks for it: each container that is followed holds a stream of the cluster. */
export function WorkloadLog({ place, kind, name }: WorkloadLogProps) {
  if (!query.value.has('log')) {
    return (
      <button type="button" class="button" onClick={() => setQuery({ log: 'all' })}>
        Show the log of all pods
      </button>
    )
  }
  const isFollowed = query.value.get('follow') !== 'false'
  const params = { clusterId: place.cluster, namespace: place.namespace, kind, name }
  const url = urlOf(LOG, {
    params,
    query: { tailLines: TAIL_LINES, ...(isFollowed && { follow: true }) },
  })
  return (
    <LogView name={`Log of ${name}`} url={url} isFollowed={isFollowed} run={null}>
      <button
        type="button"
        class="button"
        aria-pressed={isFollowed}
        onClick={() => setQuery({ follow: isFollowed ? 'false' : undefined })}
      >
        Follow
      </button>
    </LogView>
  )
}
