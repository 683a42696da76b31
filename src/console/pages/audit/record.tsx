import type { AnswerOf } from '../../api/call.ts'
import { useResource } from '../../api/resource.ts'
import { type PageProps, pathOf, PATHS } from '../../paths.ts'
import { PageHead } from '../../ui/page-head.tsx'
import { Card, Chip } from '../../ui/card.tsx'
import { AnswerState, Status } from '../../ui/parts.tsx'
import { Time } from '../../ui/time.tsx'
import { visible } from '../../ui/visible.ts'
import { Facts, RecordRow } from './row.tsx'
import { actionWords } from './trail.ts'

type Run = NonNullable<AnswerOf<'get', '/api/v1/audit/{id}'>['run']>

/** `/audit/:id`: why a move failed, or what it waits for, in one place. */
export default function RecordPage({ parameters: { id } }: PageProps<'record'>) {
  const answer = useResource('/api/v1/audit/{id}', { params: { id }, everyMs: 5_000 })
  const { value } = answer
  const record = value?.record
  return (
    <>
      <PageHead
        title={record === undefined ? 'Record' : actionWords(record.action)}
        crumbs={[{ label: 'Audit', href: PATHS.audit }]}
        beside={record !== undefined && <Chip of={record.result} />}
      />
      <AnswerState answer={answer}>Reading the record…</AnswerState>
      {value !== undefined && (
        <div class="stack">
          <Card id="facts" title="What happened" end={<Time at={value.record.at} />}>
            <Facts record={value.record} />
          </Card>
          {value.run !== null && <Steps run={value.run} />}
          {value.related.length > 0 && (
            <Card id="related" title="What belongs to it, oldest first">
              <ul class="rows">
                {value.related.map((other) => (
                  <RecordRow key={other.id} record={other} />
                ))}
              </ul>
            </Card>
          )}
        </div>
      )}
    </>
  )
}

const Steps = ({ run }: { readonly run: Run }) => (
  <Card
    id="steps"
    title="Its run, step by step"
    end={
      run.kind === 'project' ? (
        <a href={pathOf('run', { id: run.id })}>Project</a>
      ) : (
        <Chip of={run.status} />
      )
    }
  >
    <ol class="new-steps">
      {run.steps.map(({ at, status, message }, index) => (
        <li key={index} data-status={status}>
          <Status of={status} />
          <Time at={at} />
          <bdi class="muted">{visible(message)}</bdi>
        </li>
      ))}
    </ol>
  </Card>
)
