import { useResource } from '../../api/resource.ts'
import { session } from '../../api/session.ts'
import { pathOf } from '../../paths.ts'
import { shortName } from '../../ui/names.ts'
import { OutsideLink } from '../../ui/link.tsx'
import { Card, Row } from '../../ui/card.tsx'
import { AnswerState } from '../../ui/parts.tsx'
import { Time } from '../../ui/time.tsx'
import { actsIn } from './audit-acts.ts'
import type { Entity } from './entity.ts'
import type { PullRequest } from './stage.ts'

const SHOWN_MAX = 8
/** Previews that were refused, and starts of finished requests, are left out of what is read. */
const READ_MAX = 40

interface ActivityProps {
  readonly entity: Entity
  readonly pullRequests: readonly PullRequest[] | undefined
}

/** Acts of people through the portal. The team of the entity and the platform team may read them. */
export function Activity({ entity: { kind, metadata, spec }, pullRequests = [] }: ActivityProps) {
  const team = typeof spec?.owner === 'string' ? shortName(spec.owner) : undefined
  const person = session.value
  const mayRead =
    person !== undefined && (person.platform || (team !== undefined && person.teams.includes(team)))
  const entity = `${kind.toLowerCase()}/${metadata.name}`
  const records = useResource(mayRead ? '/api/v1/audit' : null, {
    query: { team, entity, limit: READ_MAX },
    topic: `promotion:${entity}`,
  })
  if (person === undefined) return null
  const acts = actsIn(records.value ?? []).slice(0, SHOWN_MAX)
  return (
    <Card
      id="activity"
      title="Activity"
      end={mayRead && <a href={pathOf('audit', {}, { team, entity })}>In the audit</a>}
    >
      {!mayRead && (
        <p class="none">
          {team === undefined
            ? 'The platform team sees'
            : `Members of ${team} and the platform team see`}{' '}
          what was done here.
        </p>
      )}
      {mayRead && <AnswerState answer={records}>Reading the audit…</AnswerState>}
      {records.value !== undefined && acts.length === 0 && <p class="none">Nothing yet.</p>}
      <ul class="rows">
        {acts.map(({ id, at, person, words, icon, tone, pullRequest }) => (
          <Row
            key={id}
            icon={icon}
            tone={tone}
            title={
              <>
                <bdi>{person}</bdi> {words}{' '}
                <PullRequestNumber number={pullRequest} among={pullRequests} />
              </>
            }
            beside={<Time at={at} />}
          />
        ))}
      </ul>
    </Card>
  )
}

interface PullRequestNumberProps {
  readonly number: number | undefined
  readonly among: readonly PullRequest[]
}

/** The audit has no address of a pull request; an open one is known from elsewhere. */
function PullRequestNumber({ number, among }: PullRequestNumberProps) {
  if (number === undefined) return null
  const found = among.find((pull) => pull.number === number)
  return found === undefined ? <>#{number}</> : <OutsideLink url={found.url}>#{number}</OutsideLink>
}
