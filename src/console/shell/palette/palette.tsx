import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import { session } from '../../api/session.ts'
import { pageOf } from '../../paths.ts'
import { go } from '../../router.ts'
import { Dialog } from '../../ui/dialog.tsx'
import { Icon } from '../../ui/icon.tsx'
import { signOut } from '../../ui/sign-out.ts'
import { RECENT, store, stored } from '../../ui/stored.ts'
import { counted } from '../../ui/words.ts'
import { closeOverlay, overlay } from '../overlay.ts'
import { changeTheme } from '../theme.ts'
import {
  type Choice,
  type Command,
  idOf,
  moved,
  offer,
  parseRecent,
  recentText,
  withRecent,
} from './choices.ts'
import { useEntities, useKnown } from './sources.ts'

export const JUMP = 'Find a page, a service or an act'
const LIST = 'palette-choices'
/** As the API takes it. */
const TEXT_MAX = 200

const optionId = (at: number): string => `${LIST}-${at}`

/** A combobox after the ARIA pattern: the focus stays in the field, `aria-activedescendant` moves. */
export function Palette() {
  const text = useSignal('')
  const at = useSignal(0)
  const subject = session.value?.subject ?? ''
  const recent = parseRecent(stored(RECENT), subject)
  const choices = offer(text.value, {
    recent,
    known: useKnown(text.value),
    ...useEntities(text.value),
  })
  const active = Math.min(at.value, Math.max(choices.length - 1, 0))
  useEffect(() => {
    document.querySelector(`#${optionId(active)}`)?.scrollIntoView({ block: 'nearest' })
  }, [active])

  const choose = (choice: Choice | undefined) => {
    if (choice === undefined) return
    store(RECENT, recentText(withRecent(recent, choice), subject))
    closeOverlay()
    if (choice.act.kind === 'command') COMMANDS[choice.act.command]()
    else follow(choice.act.href)
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const { key } = event
    if (event.isComposing) return
    if (key === 'Enter') choose(choices[active])
    else if (key === 'ArrowDown') at.value = moved(active, choices.length, 1)
    else if (key === 'ArrowUp') at.value = moved(active, choices.length, -1)
    else return
    event.preventDefault()
  }
  return (
    <Dialog title="Jump to" form="palette" onClose={closeOverlay}>
      <div class="field">
        <Icon name="search" />
        <input
          role="combobox"
          aria-label={JUMP}
          aria-expanded="true"
          aria-autocomplete="list"
          aria-controls={LIST}
          aria-activedescendant={choices.length > 0 ? optionId(active) : undefined}
          placeholder={JUMP}
          autocomplete="off"
          spellcheck={false}
          maxLength={TEXT_MAX}
          value={text}
          onInput={(event) => {
            text.value = event.currentTarget.value
            at.value = 0
          }}
          onKeyDown={onKeyDown}
        />
      </div>
      <div id={LIST} role="listbox" aria-label="Choices">
        {choices.map((choice, position) => (
          <Option
            key={idOf(choice)}
            id={optionId(position)}
            choice={choice}
            isActive={position === active}
            onChoose={() => choose(choice)}
          />
        ))}
      </div>
      {choices.length === 0 && (
        <p class="none">Nothing found. Try “promote ledger”, or the state of a pod.</p>
      )}
      <p class="sr" role="status">
        {counted(choices.length, 'choice')}
      </p>
    </Dialog>
  )
}

interface OptionProps {
  readonly id: string
  readonly choice: Choice
  readonly isActive: boolean
  readonly onChoose: () => void
}

/** The focus and the keys are those of the field. */
const Option = ({ id, choice: { icon, label, hint }, isActive, onChoose }: OptionProps) => (
  // oxlint-disable-next-line jsx-a11y/click-events-have-key-events, jsx-a11y/interactive-supports-focus
  <div id={id} role="option" class="option" aria-selected={isActive} onClick={onChoose}>
    <Icon name={icon} />
    <bdi title={label}>{label}</bdi>
    <span class="count">{hint}</span>
  </div>
)

/** Pages of the console are shown by it; others, such as the document of the API, are loaded. */
function follow(href: string) {
  const { pathname } = new URL(href, location.origin)
  if (pageOf(pathname) === undefined) location.assign(href)
  else go(href)
}

const COMMANDS: Readonly<Record<Command, () => void>> = {
  keys: () => (overlay.value = 'keys'),
  colours: changeTheme,
  sign_out: () => void signOut(),
}
