import type { Session } from '../../api/session.ts'
import { PATHS, pathOf } from '../../paths.ts'
import { PageHead } from '../../ui/page-head.tsx'
import { Empty } from '../../ui/parts.tsx'
import { NO_TEAM } from './words.ts'

/** The first day: how one gets a team, and what one can do without. */
export const NoTeam = ({ person: { groups, groupsAdvice } }: { readonly person: Session }) => (
  <>
    <PageHead title="Home" />
    <Empty title={NO_TEAM.title}>
      <p>{NO_TEAM.why}</p>
      <p>{groupsAdvice ?? NO_TEAM.how}</p>
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
