import { HEALTH_EVERY_MS, type Resource, useResource } from '../../api/resource.ts'
import { type Session, session } from '../../api/session.ts'
import { PATHS, pathOf } from '../../paths.ts'
import { query } from '../../router.ts'
import { Icon } from '../../ui/icon.tsx'
import { PageHead } from '../../ui/page-head.tsx'
import { Loading } from '../../ui/parts.tsx'
import { StaleCatalog } from '../../ui/stale-catalog.tsx'
import { environmentsOf } from '../catalog/applications.ts'
import { Broken } from './broken.tsx'
import { brokenIn } from './causes.ts'
import { Changes } from './changes.tsx'
import { Connections } from './connections.tsx'
import { Needs } from './needs.tsx'
import { NoTeam } from './no-team.tsx'
import { Services } from './services.tsx'
import { useInbox } from './use-inbox.ts'
import { Waiting } from './waiting.tsx'
import { summaryWords, titleFor } from './words.ts'

/** The table of services shows fewer; the rest is in the catalog. */
const SERVICES_MAX = 30

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

const isSettled = ({ value, problem }: Pick<Resource<unknown>, 'value' | 'problem'>): boolean =>
  value !== undefined || problem !== undefined

interface SectionsProps {
  readonly person: Session
  readonly isAll: boolean
}

function Sections({ person, isAll }: SectionsProps) {
  const mine = isAll ? undefined : true
  const health = useResource('/api/v1/health', { query: { mine }, everyMs: HEALTH_EVERY_MS })
  const services = useResource('/api/v1/environments', {
    query: { mine, limit: SERVICES_MAX },
    topic: 'promotions',
  })
  const inbox = useInbox(person, isAll ? {} : { mine: true })
  const broken = brokenIn(health.value ?? [], environmentsOf(services.value ?? []))
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
        {summaryWords(health.value && broken.length, inbox.inbox?.yours.length)}
      </p>
      <StaleCatalog answer={services} />
      <div class="two home-two">
        <div class="stack">
          <Broken health={health} broken={broken} />
          {/* What is below comes when its place is known. */}
          {isSettled(health) && <Waiting answer={inbox} />}
          {isSettled(health) && isSettled(inbox.moves) && (
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
