import { useEffect } from 'preact/hooks'
import type { Deployment } from '../../api/live/events.ts'
import { useResource } from '../../api/resource.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Events } from './events.tsx'
import type { Place } from './place.ts'

export interface DeploymentEventsProps {
  readonly place: Place
  readonly deployment: Pick<Deployment, 'name' | 'status' | 'statusMessage'>
  readonly onClose: () => void
}

/** Events of a deployment, its replica sets and pods: they say why a rollout does not end. */
export function DeploymentEvents({ place, deployment, onClose }: DeploymentEventsProps) {
  const { name, status, statusMessage } = deployment
  const list = useResource(
    '/api/v1/clusters/{clusterId}/namespaces/{namespace}/deployments/{name}/events',
    { params: { clusterId: place.cluster, namespace: place.namespace, name } },
  )
  useEffect(() => void list.reload(), [status, statusMessage])
  return (
    <Dialog form="sheet" title={`Events of ${name}`} onClose={onClose}>
      <div class="events-sheet">
        <p>
          <bdi>{statusMessage}</bdi>
        </p>
        <Events list={list} />
      </div>
    </Dialog>
  )
}
