import type { Deployment, Workload } from '../../api/live/events.ts'
import { pathOf } from '../../paths.ts'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { isBroken, shortMessage } from '../../ui/health.ts'
import { Status } from '../../ui/parts.tsx'
import { Age } from '../../ui/time.tsx'
import { shortImage } from './image.ts'
import type { NamespaceRights, Place } from './place.ts'
import { RestartButton } from './restart-button.tsx'
import { isUnderWay, targetOf } from './rollout.ts'

interface DeploymentsTableProps {
  readonly place: Place
  /** Undefined until they are known. */
  readonly rights: NamespaceRights | undefined
  readonly deployments: readonly Deployment[]
  /** Verdicts on what runs in the namespace. */
  readonly workloads: readonly Workload[]
}

export const DeploymentsTable = (props: DeploymentsTableProps) => (
  <DataTable columns={columnsFor(props)} rows={props.deployments} keyOf={({ uid }) => uid} />
)

function columnsFor({ place, rights, workloads }: DeploymentsTableProps) {
  // A deployment is available between two crashes of its pods.
  const brokenOf = ({ uid }: Deployment) =>
    workloads.find((workload) => workload.uid === uid && isBroken(workload))
  const columns: readonly Column<Deployment>[] = [
    {
      label: 'Name',
      cell(deployment) {
        const broken = brokenOf(deployment)
        const { name, statusMessage } = deployment
        return (
          <>
            <a href={pathOf('workload', { ...place, kind: 'deployment', name })}>{name}</a>
            {(isUnderWay(deployment) || broken !== undefined) && (
              <p>
                <bdi title={broken?.message}>
                  {broken === undefined ? statusMessage : shortMessage(broken)}
                </bdi>
              </p>
            )}
          </>
        )
      },
    },
    {
      label: 'Ready',
      class: 'few from-s',
      cell: ({ replicas }) => `${replicas.ready}/${replicas.desired}`,
    },
    {
      label: 'Status',
      class: 'state',
      cell: (deployment) => <Status of={brokenOf(deployment)?.health ?? deployment.status} />,
    },
    {
      label: 'Image',
      class: 'from-l',
      title: ({ images }) => images.join(', '),
      cell: ({ images }) => <code>{images.map(shortImage).join(', ')}</code>,
    },
    { label: 'Age', class: 'few from-m', cell: ({ createdAt }) => <Age at={createdAt} /> },
    {
      label: <span class="sr">Actions</span>,
      class: 'act',
      cell: (deployment) => (
        <RestartButton
          place={place}
          rights={rights}
          target={targetOf(deployment)}
          deployment={deployment}
        />
      ),
    },
  ]
  return columns
}
