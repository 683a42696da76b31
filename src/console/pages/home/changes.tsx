import { useResource } from '../../api/resource.ts'
import type { Session } from '../../api/session.ts'
import { pathOf } from '../../paths.ts'
import { Card, Row } from '../../ui/card.tsx'
import { EntityLink } from '../../ui/link.tsx'
import { entityOf } from '../../ui/names.ts'
import { AnswerState } from '../../ui/parts.tsx'
import { Time } from '../../ui/time.tsx'
import { visible } from '../../ui/visible.ts'
import { actsIn, type AuditAct } from '../entity/audit-acts.ts'

const READ_MAX = 50
const SHOWN_MAX = 10
/** The records of a team; of all with `null`. Nothing is asked without one. */
const useRecords = (team: string | null | undefined) =>
  useResource(team === undefined ? null : '/api/v1/audit', {
    query: { team: team ?? undefined, limit: READ_MAX, without: 'session' },
  })

/** The newest audit records, without sign-ins and refusals. */
export function Changes({ person, isAll }: { readonly person: Session; readonly isAll: boolean }) {
  const teams = isAll && person.platform ? [null] : person.teams
  // The API reads the records of one team; home has those of the first three.
  const first = useRecords(teams[0])
  const second = useRecords(teams[1])
  const third = useRecords(teams[2])
  if (teams.length === 0) return null
  const records = [first, second, third].flatMap(({ value }) => value ?? [])
  const acts = actsIn(records)
    .filter(({ isRefused }) => !isRefused)
    .toSorted((one, other) => other.at.localeCompare(one.at))
    .slice(0, SHOWN_MAX)
  return (
    <Card
      id="changes"
      title="What changed"
      end={<a href={pathOf('audit', {}, { team: teams[0] ?? undefined })}>Audit</a>}
    >
      <AnswerState answer={first} />
      {first.value !== undefined && acts.length === 0 && (
        <p class="none">No change through Portico yet.</p>
      )}
      <ul class="rows">
        {acts.map((act) => (
          <Change key={act.id} act={act} />
        ))}
      </ul>
    </Card>
  )
}

function Change({ act }: { readonly act: AuditAct }) {
  const { target, person, words, icon, tone, pullRequest, at } = act
  const entity = entityOf(target)
  return (
    <Row
      icon={icon}
      tone={tone}
      title={
        entity === null ? (
          <bdi>{visible(target)}</bdi>
        ) : (
          <EntityLink class="home-name" to={entity} />
        )
      }
      facts={
        <>
          <span>
            <bdi>{visible(person)}</bdi> {words}
            {pullRequest !== undefined && ` #${pullRequest}`}
          </span>
          <Time at={at} />
        </>
      }
    />
  )
}
