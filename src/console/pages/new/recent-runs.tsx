import { useResource } from '../../api/resource.ts'
import { session } from '../../api/session.ts'
import { pathOf } from '../../paths.ts'
import { Card, Loading, ProblemNote, Status } from '../../ui/parts.tsx'
import { Time } from '../../ui/time.tsx'
import type { Run } from './steps.ts'

const SHOWN = 10

/** The last projects of this person; of everybody, for the platform team. */
export function RecentRuns() {
  const list = useResource('/api/v1/scaffold/runs', { query: { limit: SHOWN } })
  const isPlatform = session.value?.platform === true
  return (
    <Card id="recent" title={isPlatform ? 'Recent projects' : 'Your recent projects'}>
      {list.problem !== undefined && (
        <ProblemNote
          problem={list.problem}
          retry={list.reload}
          isStale={list.value !== undefined}
        />
      )}
      <Rows isPlatform={isPlatform} runs={list.value} isFailed={list.problem !== undefined} />
    </Card>
  )
}

interface RowsProps {
  readonly isPlatform: boolean
  readonly runs: readonly Run[] | undefined
  readonly isFailed: boolean
}

function Rows({ isPlatform, runs, isFailed }: RowsProps) {
  if (runs === undefined) return isFailed ? null : <Loading>Loading…</Loading>
  if (runs.length === 0) return <p class="loading">Nothing yet. Choose a template above.</p>
  return (
    <ul class="new-runs">
      {runs.map(({ id, status, appName, team, templateId, createdBy, createdAt }) => (
        <li key={id}>
          <Status of={status} />
          <a href={pathOf('run', { id })}>
            <bdi>{appName}</bdi>
          </a>
          <span class="muted">
            {templateId} for {team}
            {isPlatform && `, by ${createdBy.name}`}
          </span>
          <Time at={createdAt} />
        </li>
      ))}
    </ul>
  )
}
