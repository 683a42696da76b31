import { useResource } from '../../api/resource.ts'
import type { Session } from '../../api/session.ts'
import { pathOf } from '../../paths.ts'
import { AnswerState } from '../../ui/answer-state.tsx'
import { Icon } from '../../ui/icon.tsx'
import { entityOf } from '../../ui/names.ts'
import { Card } from '../../ui/parts.tsx'
import { Time } from '../../ui/time.tsx'
import { visible } from '../../ui/visible.ts'
import { actsIn, type AuditAct } from '../entity/audit-acts.ts'
import { WORDS } from './words.ts'

const READ_MAX = 50
const SHOWN_MAX = 10
/** The records of a team; of all with `null`. Nothing is asked without one. */
const useRecords = (team: string | null | undefined) =>
  useResource(team === undefined ? null : '/api/v1/audit', {
    query: { team: team ?? undefined, limit: READ_MAX, without: 'session' },
  })

interface ChangesProps {
  readonly person: Session
  readonly isAll: boolean
}

/** What people did through the portal, without sign-ins and refusals. */
export function Changes({ person, isAll }: ChangesProps) {
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
      title={WORDS.changes}
      end={<a href={pathOf('audit', {}, { team: teams[0] ?? undefined })}>Audit</a>}
    >
      <AnswerState answer={first} />
      {first.value !== undefined && acts.length === 0 && <p class="none">{WORDS.noChange}</p>}
      <ul class="rows">
        {acts.map((act) => (
          <Row key={act.id} act={act} />
        ))}
      </ul>
    </Card>
  )
}

function Row({ act: { target, person, words, icon, tone, pullRequest, at } }: RowProps) {
  const entity = entityOf(target)
  return (
    <li data-tone={tone}>
      <Icon name={icon} />
      <div>
        <p>
          {entity === null ? (
            <bdi>{visible(target)}</bdi>
          ) : (
            <a class="home-name" href={pathOf('entity', entity)}>
              <bdi>{entity.name}</bdi>
            </a>
          )}
        </p>
        <small>
          <span>
            <bdi>{visible(person)}</bdi> {words}
            {pullRequest !== undefined && ` #${pullRequest}`}
          </span>
          <Time at={at} />
        </small>
      </div>
    </li>
  )
}

interface RowProps {
  readonly act: AuditAct
}
