import { session, signOut } from '../api/session.ts'
import { PATHS } from '../paths.ts'
import { announce } from '../ui/announce.ts'
import { Icon } from '../ui/icon.tsx'
import { nextTheme, theme } from './theme.ts'

/** First letters of the first and the last word of a name. */
const initialsOf = (name: string): string => {
  const words = name.split(/\s+/).filter(Boolean)
  const ends = words.length > 1 ? [words[0], words.at(-1)] : words
  return ends.map((word) => (word ?? '').slice(0, 1).toUpperCase()).join('')
}

function changeTheme() {
  const next = nextTheme()
  announce(next === 'auto' ? 'Colours follow the system' : `Colours are ${next}`)
}

/** The signed-in person, at the foot of the side bar and in the menu. */
export function Who() {
  const person = session.value
  if (person === undefined) return null
  const role = person.platform ? 'Platform team' : (person.groups.at(-1) ?? 'No group')
  return (
    <div class="who">
      <span class="who-face" aria-hidden="true">
        {initialsOf(person.name)}
      </span>
      <p>
        <a href={PATHS.sessions} title="Your groups and sessions">
          {person.name}
        </a>
        <small>{role}</small>
      </p>
      <button
        type="button"
        class="button quiet icon"
        aria-label={`Colours: ${theme.value}. Change`}
        onClick={changeTheme}
      >
        <Icon name="contrast" />
      </button>
      <button
        type="button"
        class="button quiet icon"
        aria-label="Sign out"
        title="Sign out"
        onClick={() => void signOut()}
      >
        <Icon name="out" />
      </button>
    </div>
  )
}
