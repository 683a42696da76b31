import type { Deployment } from '../../api/live/events.ts'
import { Status } from '../../ui/parts.tsx'
import { Age } from '../../ui/time.tsx'
import { shortImage } from './image.ts'
import type { NamespaceRights, Place } from './place.ts'
import { RestartButton } from './restart-button.tsx'

export interface DeploymentsTableProps {
  readonly place: Place
  /** Undefined until they are known. */
  readonly rights: NamespaceRights | undefined
  readonly deployments: readonly Deployment[]
}

/** The message of another deployment tells of its last rollout. */
const isUnderWay = ({ status }: Deployment) => status === 'Progressing' || status === 'Degraded'

export const DeploymentsTable = ({ place, rights, deployments }: DeploymentsTableProps) => (
  <table class="list deployments">
    <thead>
      <tr>
        <th scope="col">Name</th>
        <th scope="col">Ready</th>
        <th scope="col">Status</th>
        <th scope="col">Image</th>
        <th scope="col">Age</th>
        <th scope="col">
          <span class="sr">Actions</span>
        </th>
      </tr>
    </thead>
    <tbody>
      {deployments.map((deployment) => (
        <tr key={deployment.uid}>
          <td>
            <b>{deployment.name}</b>
            {isUnderWay(deployment) && <p>{deployment.statusMessage}</p>}
          </td>
          <td>
            {deployment.replicas.ready}/{deployment.replicas.desired}
          </td>
          <td>
            <Status of={deployment.status} />
          </td>
          <td title={deployment.images.join(', ')}>
            <code>{deployment.images.map(shortImage).join(', ')}</code>
          </td>
          <td>
            <Age at={deployment.createdAt} />
          </td>
          <td>
            <RestartButton place={place} rights={rights} deployment={deployment} />
          </td>
        </tr>
      ))}
    </tbody>
  </table>
)
