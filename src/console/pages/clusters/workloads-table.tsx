import type { Workload } from '../../api/live/events.ts'
import { type Column, DataTable } from '../../ui/data-table.tsx'
import { Status } from '../../ui/parts.tsx'
import { Age, Since } from '../../ui/time.tsx'
import { type Place, workloadPath } from './place.ts'
import { readyWords } from './workload-words.ts'

interface WorkloadsTableProps {
  readonly place: Place
  readonly workloads: readonly Workload[]
}

/** Everything that runs, with the verdict on it and its cause. */
export const WorkloadsTable = ({ place, workloads }: WorkloadsTableProps) => (
  <DataTable columns={columnsAt(place)} rows={workloads} keyOf={({ uid }) => uid} />
)

const columnsAt = (place: Place): readonly Column<Workload>[] => [
  {
    label: 'Name',
    cell: (workload) => (
      <>
        <a href={workloadPath(place, workload)}>{workload.name}</a>
        {workload.health !== 'Healthy' && (
          <p>
            <bdi>{workload.message}</bdi> {workload.since !== null && <Since at={workload.since} />}
          </p>
        )}
      </>
    ),
  },
  {
    label: 'Kind',
    class: 'some from-m',
    cell: ({ kind, schedule }) => (
      <>
        {kind}
        {schedule !== null && <p>{schedule}</p>}
      </>
    ),
  },
  { label: 'Ready', class: 'few from-s', cell: readyWords },
  { label: 'Health', class: 'state', cell: ({ health }) => <Status of={health} /> },
  { label: 'Age', class: 'few from-m', cell: ({ createdAt }) => <Age at={createdAt} /> },
]
