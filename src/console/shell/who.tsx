import { session } from '../api/session.ts'
import { PATHS } from '../paths.ts'
import { Icon } from '../ui/icon.tsx'
import { initialsOf } from '../ui/names.ts'
import { signOut } from '../ui/sign-out.ts'
import { overlay } from './overlay.ts'
import { changeTheme, THEME_WORDS, theme } from './theme.ts'

/** The signed-in person, with a menu. `place`: the bar that it is in; there is one in each. */
export function Who({ place }: { readonly place: string }) {
  const person = session.value
  if (person === undefined) return null
  const role = person.platform ? 'Platform team' : (person.groups.at(-1) ?? 'No group')
  const menu = `who-${place}`
  return (
    <div class="who">
      <button type="button" class="who-person" popovertarget={menu}>
        <span class="who-face" aria-hidden="true">
          {initialsOf(person.name)}
        </span>
        <span class="who-name">
          <bdi>{person.name}</bdi>
          <small>{role}</small>
        </span>
        <Icon name="chevron" />
      </button>
      <div id={menu} popover="auto" class="who-menu">
        <a class="option" href={PATHS.sessions}>
          <Icon name="user" />
          Your account
        </a>
        <button type="button" class="option" onClick={changeTheme}>
          <Icon name="contrast" />
          Colours: {THEME_WORDS[theme.value]}
        </button>
        <button
          type="button"
          class="option"
          popovertarget={menu}
          onClick={() => (overlay.value = 'keys')}
        >
          <Icon name="key" />
          Keys
        </button>
        <button type="button" class="option" onClick={() => void signOut()}>
          <Icon name="out" />
          Sign out
        </button>
      </div>
    </div>
  )
}
