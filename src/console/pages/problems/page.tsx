import { useSignal } from '@preact/signals'
import { useResource } from '../../api/resource.ts'
import { query, setQuery, typeQuery } from '../../router.ts'
import { More } from '../../ui/act.tsx'
import { Card, Row } from '../../ui/card.tsx'
import { Copy } from '../../ui/copy.tsx'
import { Field } from '../../ui/field.tsx'
import { Icon } from '../../ui/icon.tsx'
import { entityOf } from '../../ui/names.ts'
import { EntityLink, OutsideLink } from '../../ui/link.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { AnswerState, Empty } from '../../ui/parts.tsx'
import { visible } from '../../ui/visible.ts'
import { counted, wordOf } from '../../ui/words.ts'
import {
  type CatalogProblem,
  codesOf,
  groupByFile,
  placeWords,
  selectProblems,
} from './problems.ts'

const PROBLEMS_MAX = 1_000
/** Rows that are drawn at first, and with each "Show more". */
const ROWS = 100

export default function Problems() {
  const rows = useSignal(ROWS)
  const list = useResource('/api/v1/catalog/problems', {
    query: { limit: PROBLEMS_MAX },
    topic: 'catalog',
  })
  const { value } = list
  const total = Number(list.headers?.get('x-total-count') ?? 0)
  const chosen = (name: string) => query.value.get(name) ?? ''
  const [severity, code, q] = [chosen('severity'), chosen('code'), chosen('q')]
  const selected = selectProblems(value ?? [], { severity, code, q })
  return (
    <>
      <PageHead title="Problems" />
      <search class="filters">
        <Field
          path="q"
          label="Search"
          value={q}
          placeholder="Path, message, entity…"
          onInput={(text) => typeQuery({ q: text })}
        />
        <Field
          path="severity"
          label="Severity"
          control="select"
          value={severity}
          options={[
            { value: '', label: 'Errors and warnings' },
            { value: 'error', label: 'Errors' },
            { value: 'warning', label: 'Warnings' },
          ]}
          onInput={(text) => setQuery({ severity: text })}
        />
        <Field
          path="code"
          label="Code"
          control="select"
          value={code}
          options={[{ value: '', label: 'All codes' }, ...codesOf(value ?? [])]}
          onInput={(text) => setQuery({ code: text })}
        />
        <p role="status">
          {value !== undefined && counted(selected.length, 'problem')}
          {value !== undefined &&
            total > value.length &&
            `, of the first ${value.length} of ${total}`}
        </p>
      </search>
      <AnswerState answer={list}>Reading the problems of the catalog…</AnswerState>
      {value !== undefined && (
        <Files problems={selected.slice(0, rows.value)} isFiltered={value.length > 0} />
      )}
      {selected.length > rows.value && <More onClick={() => (rows.value += ROWS)} />}
    </>
  )
}

interface FilesProps {
  readonly problems: readonly CatalogProblem[]
  /** There are problems that the filter leaves out. */
  readonly isFiltered: boolean
}

function Files({ problems, isFiltered }: FilesProps) {
  if (problems.length > 0) {
    return (
      <div class="stack">
        {groupByFile(problems).map((file) => (
          <Card
            key={file.path}
            id={file.path}
            title={visible(file.path)}
            end={<Copy text={file.path} name="the path" />}
          >
            <ul class="rows">
              {file.problems.map((problem) => (
                <ProblemRow key={JSON.stringify(problem)} problem={problem} />
              ))}
            </ul>
          </Card>
        ))}
      </div>
    )
  }
  return isFiltered ? (
    <Empty title="Nothing matches">
      <p>Choose fewer filters to see the other problems.</p>
    </Empty>
  ) : (
    <Empty title="No problems">
      <p>Every catalog file and every template can be read.</p>
    </Empty>
  )
}

function ProblemRow({ problem }: { readonly problem: CatalogProblem }) {
  const entity = entityOf(problem.ref)
  const { tone, icon, label } = wordOf(problem.severity)
  return (
    <Row
      icon={icon}
      tone={tone}
      title={<bdi>{visible(problem.message)}</bdi>}
      facts={
        <>
          <span>{label}</span>
          <code>{problem.code}</code>
          {entity !== null && <EntityLink to={{ ...entity, title: problem.ref }} />}
        </>
      }
      end={
        problem.url === null ? (
          <span class="muted">{placeWords(problem)}</span>
        ) : (
          <OutsideLink class="button" url={problem.url}>
            <Icon name="link" />
            Open {placeWords(problem)}
          </OutsideLink>
        )
      }
    />
  )
}
