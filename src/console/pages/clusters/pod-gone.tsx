import type { Pod } from '../../api/live/events.ts'
import { pathOf } from '../../paths.ts'
import { Card, Empty } from '../../ui/parts.tsx'
import type { Place } from './place.ts'
import { siblingsOf } from './pod-words.ts'
import { PodsTable } from './pods-table.tsx'

export interface PodGoneProps {
  readonly place: Place
  readonly name: string
  readonly owner: Pod['owner']
  readonly pods: readonly Pod[]
}

/** A pod that is not there any more leads to those that took its place. */
export function PodGone({ place, name, owner, pods }: PodGoneProps) {
  const siblings = siblingsOf(pods, name, owner)
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
