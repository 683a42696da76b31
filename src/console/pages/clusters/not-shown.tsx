import { useList } from '../../api/lists.ts'
import type { Pod } from '../../api/live/events.ts'
import type { Problem } from '../../api/result.ts'
import { PATHS, pathOf } from '../../paths.ts'
import { Card } from '../../ui/card.tsx'
import { Empty } from '../../ui/parts.tsx'
import type { Place } from './place.ts'
import { siblingsOf } from './pod-words.ts'
import { PodsTable } from './pods-table.tsx'

interface NotShownProps {
  readonly place: Place
  readonly problem: Problem
}

/** Nothing of the cluster is there to be shown: it has not answered yet, or says why the person may see nothing, and whom to ask. */
export function NotShown({ place, problem: { code, status, title, detail } }: NotShownProps) {
  const isForbidden = code === 'cluster_forbidden'
  const mayPass = status === 0 || status === 429 || status >= 500
  return (
    <Empty title={isForbidden ? `You may not look into ${place.namespace}` : title}>
      <p>{detail}</p>
      {isForbidden && <p>Ask the team that the namespace belongs to, or the platform team.</p>}
      {mayPass ? (
        <p>Portico asks again by itself, and this page follows.</p>
      ) : (
        <a class="button" href={PATHS.clusters}>
          Namespaces that you may read
        </a>
      )}
    </Empty>
  )
}

interface PodGoneProps {
  readonly place: Place
  readonly name: string
  /** As it was before it went; undefined if that was not seen. */
  readonly last: Pod | undefined
}

/** Pods of an application have it across rollouts. */
const APP = 'app.kubernetes.io/name'

/** A pod that is not there any more leads to those that took its place. */
export function PodGone({ place, name, last }: PodGoneProps) {
  const app = last?.labels[APP]
  const labelSelector = app && `${APP}=${app}`
  const pods = useList('pods', { ...place, labelSelector })
  const siblings = siblingsOf(pods.value ?? [], name, last?.owner ?? null)
  return (
    <>
      <Empty title="This pod is gone">
        <p>
          Kubernetes removed it: a rollout replaced it, or somebody deleted it. Its log went with
          it.
        </p>
        <a class="button" href={pathOf('namespace', place)}>
          All pods of {place.namespace}
        </a>
      </Empty>
      {siblings.length > 0 && (
        <Card id="siblings" title="In its place">
          <PodsTable place={place} pods={siblings} />
        </Card>
      )}
    </>
  )
}
