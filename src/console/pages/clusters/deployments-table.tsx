import type { Deployment, Workload } from '../../api/live/events.ts'
import { pathOf } from '../../paths.ts'
import { isBroken, shortMessage } from '../../ui/health.ts'
import { Status } from '../../ui/parts.tsx'
import { Age } from '../../ui/time.tsx'
import { shortImage } from './image.ts'
import type { NamespaceRights, Place } from './place.ts'
import { RestartButton } from './restart-button.tsx'
import { isUnderWay, targetOf } from './rollout.ts'

export interface DeploymentsTableProps {
  readonly place: Place
  /** Undefined until they are known. */
  readonly rights: NamespaceRights | undefined
  readonly deployments: readonly Deployment[]
  /** Verdicts on what runs in the namespace. */
  readonly workloads: readonly Workload[]
}

export const DeploymentsTable = ({ deployments, workloads, ...shared }: DeploymentsTableProps) => (
  <table class="list words">
    <thead>
      <tr>
        <th scope="col">Name</th>
        <th scope="col" class="few from-s">
          Ready
        </th>
        <th scope="col" class="state">
          Status
        </th>
        <th scope="col" class="from-l">
          Image
        </th>
        <th scope="col" class="few from-m">
          Age
        </th>
        <th scope="col" class="act">
          <span class="sr">Actions</span>
        </th>
      </tr>
    </thead>
    <tbody>
      {deployments.map((deployment) => (
        <DeploymentRow
          key={deployment.uid}
          {...shared}
          deployment={deployment}
          verdict={workloads.find(({ uid }) => uid === deployment.uid)}
        />
      ))}
    </tbody>
  </table>
)

type DeploymentRowProps = Omit<DeploymentsTableProps, 'deployments' | 'workloads'> & {
  readonly deployment: Deployment
  readonly verdict: Workload | undefined
}

function DeploymentRow({ place, rights, deployment, verdict }: DeploymentRowProps) {
  const { name, replicas, status, statusMessage, images, createdAt } = deployment
  // A deployment is available between two crashes of its pods.
  const broken = verdict !== undefined && isBroken(verdict) ? verdict : undefined
  return (
    <tr>
      <td class="name">
        <a href={pathOf('workload', { ...place, kind: 'deployment', name })}>{name}</a>
        {(isUnderWay(deployment) || broken !== undefined) && (
          <p>
            <bdi title={broken?.message}>
              {broken === undefined ? statusMessage : shortMessage(broken)}
            </bdi>
          </p>
        )}
      </td>
      <td class="from-s">
        {replicas.ready}/{replicas.desired}
      </td>
      <td>
        <Status of={broken?.health ?? status} />
      </td>
      <td class="from-l" title={images.join(', ')}>
        <code>{images.map(shortImage).join(', ')}</code>
      </td>
      <td class="from-m">
        <Age at={createdAt} />
      </td>
      <td>
        <RestartButton
          place={place}
          rights={rights}
          target={targetOf(deployment)}
          deployment={deployment}
        />
      </td>
    </tr>
  )
}
