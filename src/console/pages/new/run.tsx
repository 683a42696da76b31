import { useSignal } from '@preact/signals'
import { useEffect, useRef } from 'preact/hooks'
import { call } from '../../api/call.ts'
import { refresh, useResource } from '../../api/resource.ts'
import type { Problem } from '../../api/result.ts'
import { type PageProps, pathOf, PATHS } from '../../paths.ts'
import { Act } from '../../ui/act.tsx'
import { announce } from '../../ui/announce.ts'
import { Card, Chip } from '../../ui/card.tsx'
import { Copy } from '../../ui/copy.tsx'
import { OutsideLink } from '../../ui/link.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { AnswerState, ProblemNote, Status } from '../../ui/parts.tsx'
import { Time } from '../../ui/time.tsx'
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

function Failed({ run, reload }: { readonly run: Run; readonly reload: () => Promise<void> }) {
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

/** The steps of a person after the project is made. The last one opens when the catalog has it. */
function NextSteps({ run: { appName, repoUrl, prUrl, prNumber } }: { readonly run: Run }) {
  const found = useResource('/api/v1/catalog/entities', {
    query: { kind: 'Component', q: appName, fields: ['metadata.name'], limit: 100 },
    topic: 'catalog',
  })
  const isListed = found.value?.some(({ metadata }) => metadata.name === appName) === true
  const clone = `git clone ${repoUrl ?? ''}`
  return (
    <Card
      id="next"
      title="What to do next"
      end={<span class="muted">{isListed ? 'Merged' : 'Waits for the merge'}</span>}
    >
      <ol class="new-next">
        <li>
          <h3>Get the code</h3>
          <p>
            <code>{clone}</code> <Copy text={clone} name="the command" />
          </p>
          {repoUrl !== null && (
            <OutsideLink class="button" url={repoUrl}>
              Open the repository
            </OutsideLink>
          )}
        </li>
        <li>
          <h3>{isListed ? 'The pull request is merged' : 'Have the pull request merged'}</h3>
          <p>
            {isListed
              ? `It has put ${appName} into the catalog.`
              : `It puts ${appName} into the catalog. The platform team reviews it.`}
          </p>
          {prUrl !== null && (
            <OutsideLink class="button" url={prUrl}>
              Open pull request #{prNumber}
            </OutsideLink>
          )}
        </li>
        <li>
          <h3>Promote it to the first environment</h3>
          {isListed ? (
            <>
              <p>Push a tag: its pipeline builds the image to promote.</p>
              <a class="button" href={pathOf('entity', { kind: 'component', name: appName })}>
                Open {appName}
              </a>
            </>
          ) : (
            <p>Not in the catalog yet: this page notices the merge by itself.</p>
          )}
        </li>
      </ol>
    </Card>
  )
}
