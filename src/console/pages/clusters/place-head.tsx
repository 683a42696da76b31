import type { ComponentChildren } from 'preact'
import type { StreamState } from '../../api/live/hub.ts'
import { liveState } from '../../api/live/tabs.ts'
import { useResource } from '../../api/resource.ts'
import { pathOf, PATHS } from '../../paths.ts'
import { PageHead } from '../../ui/page-head.tsx'
import type { Place } from './place.ts'

interface PlaceHeadProps {
  readonly place: Place
  /** The name of a workload or a pod; without one the page is about the namespace. */
  readonly title?: string
  readonly beside: ComponentChildren
  /** Whether what is shown follows the cluster; absent where nothing is shown. */
  readonly isLive: boolean | undefined
  readonly children?: ComponentChildren
}

/** The head of a page in a cluster, with the ways up. */
export function PlaceHead({ place, title, beside, isLive, children }: PlaceHeadProps) {
  const { cluster, namespace } = place
  const clusters = useResource('/api/v1/clusters')
  const name = clusters.value?.find(({ id }) => id === cluster)?.name ?? cluster
  return (
    <PageHead
      title={title ?? namespace}
      crumbs={[
        { label: 'Clusters', href: PATHS.clusters },
        { label: name, href: PATHS.clusters },
        ...(title === undefined ? [] : [{ label: namespace, href: pathOf('namespace', place) }]),
      ]}
      beside={beside}
    >
      {isLive !== undefined && <LiveMark isLive={isLive} />}
      {children}
    </PageHead>
  )
}

const WAITS: Readonly<Record<StreamState | 'off', string>> = {
  connecting: 'Connecting…',
  lost: 'Reconnecting…',
  // The stream is there, and the list is not on it yet.
  live: 'Connecting…',
  off: 'Asks every few seconds',
}

/** Says whether changes in the cluster appear by themselves. */
export const LiveMark = ({ isLive }: { readonly isLive: boolean }) => (
  <span class="live" data-tone={isLive ? 'ok' : 'warn'}>
    <span>{isLive ? 'Live' : WAITS[liveState.value]}</span>
  </span>
)
