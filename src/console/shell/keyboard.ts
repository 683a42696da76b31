import { signal } from '@preact/signals'
import { go } from '../router.ts'
import { SINGLE_KEYS, store, stored } from '../ui/stored.ts'
import { type KeyAct, NOTHING_BEGUN, nextRow, press } from './keys.ts'
import { overlay } from './overlay.ts'

/** The key that opens the palette, as it is printed on the keyboard of this machine. */
export const COMMAND_KEY = /Mac|iPhone|iPad/.test(navigator.platform) ? '⌘' : 'Ctrl'

const OFF = 'off'

/** Whether single keys are shortcuts. */
export const areKeysOn = signal(stored(SINGLE_KEYS) !== OFF)

export function switchKeys(isOn: boolean) {
  areKeysOn.value = isOn
  store(SINGLE_KEYS, isOn ? 'on' : OFF)
}

const TYPED_IN =
  'textarea, select, [contenteditable], input:not([type=checkbox], [type=radio], [type=button])'

const isTyping = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest(TYPED_IN) !== null

const isDialogOpen = (): boolean => document.querySelector('dialog[open]') !== null

const isPaletteKey = ({ key, ctrlKey, metaKey, altKey, shiftKey }: KeyboardEvent): boolean =>
  (ctrlKey || metaKey) && !altKey && !shiftKey && key.toLowerCase() === 'k'

export function startKeyboard() {
  let begun = NOTHING_BEGUN
  addEventListener('keydown', (event) => {
    if (isPaletteKey(event)) {
      event.preventDefault()
      overlay.value = overlay.value === 'palette' ? undefined : 'palette'
      return
    }
    const isPlain = !event.ctrlKey && !event.metaKey && !event.altKey && !event.isComposing
    if (!areKeysOn.value || !isPlain || event.defaultPrevented) return
    if (isTyping(event.target) || isDialogOpen()) return
    const pressed = press(begun, event.key, Date.now())
    begun = pressed.begun
    if (pressed.act === undefined) return
    event.preventDefault()
    perform(pressed.act)
  })
}

function perform(act: KeyAct) {
  switch (act.kind) {
    case 'go':
      return go(act.path)
    case 'press':
      document.querySelector<HTMLElement>(`main [aria-keyshortcuts=${act.key}]`)?.click()
      return
    case 'keys':
      overlay.value = 'keys'
      return
    case 'search':
      return search()
    case 'next_row':
      return moveRow(1)
    case 'previous_row':
      return moveRow(-1)
  }
}

/** The search field of the page; the palette where there is none. */
function search() {
  const field = document.querySelector<HTMLInputElement>('main input[type=search]')
  if (field === null) overlay.value = 'palette'
  else field.select()
}

/** Moves the focus to the first link of another row, so that screen readers follow and Enter opens it. */
function moveRow(step: 1 | -1) {
  const rows = [...document.querySelectorAll('main .list tbody tr')].filter(linkOf)
  const present = rows.findIndex((row) => row.contains(document.activeElement))
  const next = rows[nextRow(present, rows.length, step)]
  linkOf(next)?.focus()
}

const linkOf = (row: Element | undefined): HTMLAnchorElement | null | undefined =>
  row?.querySelector('a')
