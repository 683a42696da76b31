import { useResource } from '../../api/resource.ts'
import { session } from '../../api/session.ts'
import { pathOf } from '../../paths.ts'
import { AnswerState } from '../../ui/answer-state.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Card } from '../../ui/parts.tsx'
import { Time } from '../../ui/time.tsx'
import { wordOf } from '../../ui/words.ts'
import type { Run } from './steps.ts'

const SHOWN = 10

/** The last projects of this person; of everybody, for the platform team. */
export function RecentRuns() {
  const list = useResource('/api/v1/scaffold/runs', { query: { limit: SHOWN } })
  const isPlatform = session.value?.platform === true
  return (
    <Card id="recent" title={isPlatform ? 'Recent projects' : 'Your recent projects'}>
      <AnswerState answer={list}>Reading the projects…</AnswerState>
      {list.value?.length === 0 && <p class="none">Nothing yet. Choose a template above.</p>}
      <ul class="rows">
        {list.value?.map((run) => (
          <RunRow key={run.id} run={run} isPlatform={isPlatform} />
        ))}
      </ul>
    </Card>
  )
}

interface RunRowProps {
  readonly run: Run
  readonly isPlatform: boolean
}

function RunRow({ run, isPlatform }: RunRowProps) {
  const { id, status, appName, team, templateId, createdBy, createdAt } = run
  const { tone, icon, label } = wordOf(status)
  return (
    <li data-tone={tone}>
      <Icon name={icon} />
      <div>
        <a href={pathOf('run', { id })}>
          <bdi>{appName}</bdi>
        </a>
        <small>
          <span>{label}</span>
          <span>
            {templateId} for {team}
          </span>
          {isPlatform && <bdi>by {createdBy.name}</bdi>}
        </small>
      </div>
      <small class="end beside">
        <Time at={createdAt} />
      </small>
    </li>
  )
}
