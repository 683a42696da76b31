import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { call } from '../../api/call.ts'
import { refresh, useResource } from '../../api/resource.ts'
import type { Problem } from '../../api/result.ts'
import { PATHS } from '../../paths.ts'
import { Act } from '../../ui/act.tsx'
import { announce } from '../../ui/announce.ts'
import { PageHead } from '../../ui/page-head.tsx'
import { Card, Chip } from '../../ui/card.tsx'
import { AnswerState, ProblemNote, Status } from '../../ui/parts.tsx'
import { Time } from '../../ui/time.tsx'
import type { PageProps } from '../page-props.ts'
import { NextSteps } from './next-steps.tsx'
import { endWords, retryRefusal, type Run, stepsOf } from './steps.ts'

/** `/runs/:id`: the steps of a project as they happen, and what comes after them. */
export default function RunPage({ parameters: { id } }: PageProps<'run'>) {
  const run = useResource('/api/v1/scaffold/runs/{id}', { params: { id }, topic: `run:${id}` })
  const { value } = run
  useEndAnnounced(value)
  return (
    <>
      <PageHead
        title={value?.appName ?? 'Project'}
        crumbs={[{ label: 'New project', href: PATHS.templates }]}
        beside={value !== undefined && <Chip of={value.status} />}
      />
      <AnswerState answer={run}>Reading the project…</AnswerState>
      {value !== undefined && (
        <div class="stack">
          <Card id="steps" title="Steps" end={<Origin run={value} />}>
            <ol class="new-steps">
              {stepsOf(value).map(({ name, title, status, message }) => (
                <li key={name} data-status={status}>
                  <Status of={status} />
                  <span>{title}</span>
                  <bdi class="muted">{message}</bdi>
                </li>
              ))}
            </ol>
            {value.status === 'running' && (
              <p class="none">It goes on without this page: you may leave, and come back.</p>
            )}
            {value.status === 'failed' && <Failed run={value} reload={run.reload} />}
          </Card>
          {value.status === 'complete' && <NextSteps run={value} />}
        </div>
      )}
    </>
  )
}

/** Says the end of a run that was seen running. */
function useEndAnnounced(run: Run | undefined) {
  const wasRunning = useRef(false)
  const status = run?.status
  useEffect(() => {
    const words = run === undefined ? null : endWords(run)
    if (wasRunning.current && words !== null) announce(words)
    wasRunning.current = status === 'running'
  }, [status])
}

const Origin = ({ run: { templateId, team, createdBy, createdAt } }: { readonly run: Run }) => (
  <span class="muted">
    {templateId} for {team}, by <bdi>{createdBy.name}</bdi>, <Time at={createdAt} />
  </span>
)

interface FailedProps {
  readonly run: Run
  readonly reload: () => Promise<void>
}

function Failed({ run, reload }: FailedProps) {
  const problem = useSignal<Problem | undefined>(undefined)
  const refusal = retryRefusal(run)

  async function retry() {
    const answer = await call('post', '/api/v1/scaffold/runs/{id}/retry', {
      params: { id: run.id },
      headers: { prefer: 'respond-async' },
    })
    problem.value = answer.ok ? undefined : answer.problem
    await reload()
    await refresh('/api/v1/scaffold/runs')
  }

  return (
    <div class="new-failed">
      <p>
        <strong>
          <bdi>{run.failure?.message}</bdi>.
        </strong>{' '}
        What was made until then is kept; another attempt goes on from there.
      </p>
      {problem.value !== undefined && <ProblemNote problem={problem.value} />}
      {refusal !== null && <p class="muted">{refusal}</p>}
      <Act icon="arrows" look="primary" reason={refusal} onClick={retry}>
        Try again from this step
      </Act>
    </div>
  )
}
