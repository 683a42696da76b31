import { isAnswered, useResource } from '../../api/resource.ts'
import { type Session, session } from '../../api/session.ts'
import { pathOf, PATHS } from '../../paths.ts'
import { query } from '../../router.ts'
import { Card } from '../../ui/card.tsx'
import { isUnknown } from '../../ui/health.ts'
import { Icon } from '../../ui/icon.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { AnswerState, Empty, Loading, Status } from '../../ui/parts.tsx'
import { labelOf } from '../../ui/schema-form.ts'
import { StaleCatalog } from '../../ui/stale-catalog.tsx'
import { Time } from '../../ui/time.tsx'
import { visible } from '../../ui/visible.ts'
import type { Word } from '../../ui/words.ts'
import { Broken } from './broken.tsx'
import { Changes } from './changes.tsx'
import { Needs } from './needs.tsx'
import { Services } from './services.tsx'
import { useServices } from './use-inbox.ts'
import { Waiting } from './waiting.tsx'
import { summaryWords, titleFor } from './words.ts'

/** The platform team looks after everybody; all others begin with what is theirs. */
const showsAll = ({ platform }: Session): boolean =>
  (query.value.get('of') ?? (platform ? 'all' : 'mine')) === 'all'

export default function Home() {
  const person = session.value
  if (person === undefined) {
    return (
      <>
        <PageHead title="Home" />
        <Loading>Loading…</Loading>
      </>
    )
  }
  const isAll = showsAll(person)
  if (!isAll && !person.platform && person.teams.length === 0) return <NoTeam person={person} />
  return <Sections person={person} isAll={isAll} />
}

function Sections({ person, isAll }: { readonly person: Session; readonly isAll: boolean }) {
  const filter = isAll ? {} : ({ mine: true } as const)
  const { health, services, broken, inbox } = useServices(person, filter)
  return (
    <>
      <PageHead title={titleFor(person.teams, isAll)}>
        <a class="button" href={pathOf('home', {}, { of: isAll ? 'mine' : 'all' })}>
          {isAll ? 'Your teams' : 'Everybody'}
        </a>
        <a class="button primary" href={PATHS.templates}>
          <Icon name="plus" />
          New project
        </a>
      </PageHead>
      <p class="home-summary" role="status">
        {summaryWords({
          broken: health.value && broken.length,
          unknown: health.value?.filter(isUnknown).length ?? 0,
          yours: inbox.inbox?.yours.length,
        })}
      </p>
      <StaleCatalog answer={services} />
      <div class="two home-two">
        <div class="stack">
          <Broken health={health} broken={broken} />
          {/* The lower cards wait for the height of the upper ones, so that nothing jumps. */}
          {isAnswered(health) && <Waiting answer={inbox} />}
          {isAnswered(health) && isAnswered(inbox.moves) && (
            <Services
              title={isAll ? 'All services' : 'Your services'}
              answer={services}
              health={health.value}
              filter={isAll ? {} : { mine: 'true' }}
            />
          )}
        </div>
        <aside class="stack" aria-label="Around your services">
          {person.platform && <Connections />}
          <Changes person={person} isAll={isAll} />
          {!isAll && <Needs />}
        </aside>
      </div>
    </>
  )
}

const HOW_TO_JOIN =
  'Teams are groups at your identity provider. Ask the platform team to add you to your team’s group; Portico sees it within five minutes.'

/** The first day: how one gets a team, and what one can do without. */
const NoTeam = ({ person: { groups, groupsAdvice } }: { readonly person: Session }) => (
  <>
    <PageHead title="Home" />
    <Empty title="You are in no team yet">
      <p>Home shows what your team owns: what is broken, what waits for you, what changed.</p>
      <p>{groupsAdvice ?? HOW_TO_JOIN}</p>
      {groups.length > 0 && (
        <p>
          Your groups: <bdi>{groups.join(', ')}</bdi>
        </p>
      )}
      <p class="home-ways">
        <a class="button primary" href={PATHS.catalog}>
          Look in the catalog
        </a>
        <a class="button" href={pathOf('home', {}, { of: 'all' })}>
          See everybody
        </a>
        <a class="button" href={PATHS.sessions}>
          Your account
        </a>
      </p>
    </Empty>
  </>
)

const WORKS: Word = { tone: 'ok', icon: 'check', label: 'Works' }
const FAILS: Word = { tone: 'bad', icon: 'cross', label: 'Fails' }

/** Each round of checks asks every system. */
const EVERY_MS = 5 * 60_000

/** What Portico depends on, as it has just been tried. The sentences of a failure are open. */
function Connections() {
  const answer = useResource('/api/v1/connections', { everyMs: EVERY_MS })
  const { value } = answer
  return (
    <Card
      id="connections"
      title="Portico’s connections"
      end={value && <Time at={value.checkedAt} />}
    >
      <AnswerState answer={answer}>Trying each…</AnswerState>
      <ul class="rows home-facts">
        {value?.checks.map(({ name, ok, findings }) => (
          <li key={name}>
            <details open={!ok}>
              <summary>{labelOf(name)}</summary>
              {findings
                .filter((finding) => ok || !finding.ok)
                .map(({ text }) => (
                  <p key={text}>{visible(text)}</p>
                ))}
            </details>
            <Status of={ok ? WORKS : FAILS} />
          </li>
        ))}
      </ul>
    </Card>
  )
}
