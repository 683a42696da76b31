import { useResource } from '../../api/resource.ts'
import { session } from '../../api/session.ts'
import { query, setQuery } from '../../router.ts'
import { Card } from '../../ui/card.tsx'
import { Field } from '../../ui/field.tsx'
import { NextPage } from '../../ui/act.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { AnswerState, Empty, Loading } from '../../ui/parts.tsx'
import { RecordRow } from './row.tsx'
import { actionFilter, ACTIONS, EVERY_ACTION } from './trail.ts'

const PAGE = 50

/** The records of the address. Without a team everybody but the platform team is refused; their first team stands in. */
function useFilter() {
  const person = session.value
  const read = (name: string) => query.value.get(name) ?? undefined
  return {
    team: read('team') ?? (person?.platform === false ? person.teams[0] : undefined),
    entity: read('entity'),
    actor: read('actor'),
    ...actionFilter(read('action')),
  }
}

export default function Audit() {
  const person = session.value
  const filter = useFilter()
  if (person === undefined) return <Loading>Loading…</Loading>
  const isNobody = !person.platform && person.teams.length === 0
  return (
    <>
      <PageHead title="Audit" />
      {isNobody ? (
        <Empty title="You are in no team">
          <p>Team members see the records of their team. Ask the platform team to add you.</p>
        </Empty>
      ) : (
        <>
          <Filters filter={filter} />
          <Card key={JSON.stringify(filter)} id="records" title="Records, newest first">
            <Records filter={filter} />
          </Card>
        </>
      )}
    </>
  )
}

interface RecordsProps {
  readonly filter: ReturnType<typeof useFilter>
  /** Id of the last record of the page before. */
  readonly before?: string
}

function Records({ filter, before }: RecordsProps) {
  const answer = useResource('/api/v1/audit', { query: { ...filter, limit: PAGE, before } })
  return (
    <>
      <AnswerState answer={answer} />
      {before === undefined && answer.value?.length === 0 && (
        <Empty title="No records">
          <p>Records are kept for 400 days.</p>
        </Empty>
      )}
      <ul class="rows">
        {answer.value?.map((record) => (
          <RecordRow key={record.id} record={record} />
        ))}
      </ul>
      <NextPage headers={answer.headers}>
        {(following) => <Records filter={filter} before={following} />}
      </NextPage>
    </>
  )
}

/** A search is for whole names, so that it begins when a field is left or Enter is pressed. */
function Filters({ filter }: Pick<RecordsProps, 'filter'>) {
  const person = session.value
  const teams = person?.teams ?? []
  const { team = '' } = filter
  const action = query.value.get('action') ?? ''
  const text = (path: 'team' | 'entity' | 'actor', label: string, placeholder: string) => (
    <Field
      path={path}
      label={label}
      placeholder={placeholder}
      value={filter[path] ?? ''}
      onChange={(typed) => setQuery({ [path]: typed.trim() })}
    />
  )
  return (
    <search class="filters">
      {person?.platform === true ? (
        text('team', 'Team', 'payments')
      ) : (
        <Field
          path="team"
          label="Team"
          control="select"
          value={team}
          options={teams.includes(team) ? teams : [team, ...teams]}
          onInput={(text) => setQuery({ team: text })}
        />
      )}
      {text('entity', 'Entity', 'component/payments-api')}
      {text('actor', 'Person (subject)', person?.subject ?? '')}
      <Field
        path="action"
        label="Action"
        control="select"
        value={action}
        options={[
          { value: '', label: 'Everything except sign-ins' },
          { value: EVERY_ACTION, label: 'All actions' },
          ...(isOffered(action) ? [] : [action]),
          ...ACTIONS,
        ]}
        onInput={(text) => setQuery({ action: text })}
      />
    </search>
  )
}

const isOffered = (action: string): boolean =>
  action === '' || action === EVERY_ACTION || ACTIONS.some((known) => known === action)
