import type { Workload } from '../../api/live/events.ts'
import { Status } from '../../ui/parts.tsx'
import { Age, Time } from '../../ui/time.tsx'
import { type Place, workloadPath } from './place.ts'

interface WorkloadsTableProps {
  readonly place: Place
  readonly workloads: readonly Workload[]
}

/** Everything that runs, with the verdict on it and its cause. */
export const WorkloadsTable = ({ place, workloads }: WorkloadsTableProps) => (
  <table class="list words">
    <thead>
      <tr>
        <th scope="col">Name</th>
        <th scope="col" class="some from-m">
          Kind
        </th>
        <th scope="col" class="few">
          Ready
        </th>
        <th scope="col" class="state">
          Health
        </th>
        <th scope="col" class="few from-m">
          Age
        </th>
      </tr>
    </thead>
    <tbody>
      {workloads.map((workload) => (
        <tr key={workload.uid}>
          <td class="name">
            <a href={workloadPath(place, workload)}>{workload.name}</a>
            {workload.health !== 'Healthy' && (
              <p>
                <bdi>{workload.message}</bdi>{' '}
                {workload.since !== null && <Time at={workload.since} />}
              </p>
            )}
          </td>
          <td class="from-m">{workload.kind}</td>
          <td>{readyOf(workload)}</td>
          <td>
            <Status of={workload.health} />
          </td>
          <td class="from-m">
            <Age at={workload.createdAt} />
          </td>
        </tr>
      ))}
    </tbody>
  </table>
)

/** Pods, runs of a job, or when a cron job runs. */
function readyOf({ replicas, completions, schedule }: Workload): string {
  if (replicas !== null) return `${replicas.ready}/${replicas.desired}`
  if (completions !== null) return `${completions.succeeded}/${completions.desired}`
  return schedule ?? ''
}
