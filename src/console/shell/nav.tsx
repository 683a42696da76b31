import { computed } from '@preact/signals'
import { session } from '../api/session.ts'
import { later } from '../load-later.ts'
import { PATHS, pathOf } from '../paths.ts'
import { page } from '../router.ts'
import { Icon } from '../ui/icon.tsx'
import type { Section } from './sections.ts'
import { sections } from './shown-sections.ts'

const isCurrent = ({ pages }: Section): boolean =>
  page.value !== undefined && pages.includes(page.value.page) && chosenTeam.value === undefined

/** Team of the page, when it is one of the person's own. */
const chosenTeam = computed(() => {
  if (page.value?.page !== 'group') return undefined
  const { name } = page.value.parameters
  return session.value?.teams.find((team) => team === name)
})

export const Sections = () => (
  <nav aria-label="Sections">
    {sections.value.map((section) => (
      <a
        key={section.href}
        href={section.href}
        aria-current={isCurrent(section) ? 'page' : undefined}
      >
        <Icon name={section.icon} />
        {section.label}
        {section.href === PATHS.home && <Waiting />}
      </a>
    ))}
  </nav>
)

/** Number of things that wait for the person: the page is there first. */
function Waiting() {
  const code = later.value
  return code === undefined ? null : <code.WaitingCount />
}

export function Teams() {
  const teams = session.value?.teams ?? []
  if (teams.length === 0) return null
  return (
    <>
      <h2>Your teams</h2>
      <nav aria-label="Your teams">
        {teams.map((team) => (
          <a
            key={team}
            href={pathOf('group', { name: team })}
            aria-current={chosenTeam.value === team ? 'page' : undefined}
          >
            <Icon name="group" />
            <span class="nav-label" title={team}>
              {team}
            </span>
          </a>
        ))}
      </nav>
    </>
  )
}
