import type { ComponentChildren } from 'preact'
import { useResource } from '../../api/resource.ts'
import { PATHS, pathOf } from '../../paths.ts'
import { PageHead } from '../../ui/page-head.tsx'
import { LiveMark } from './live-mark.tsx'
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
