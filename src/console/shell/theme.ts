import { signal } from '@preact/signals'
import { announce } from '../ui/announce.ts'
import { store, stored, THEME } from '../ui/stored.ts'

const THEMES = ['auto', 'light', 'dark'] as const

type Theme = (typeof THEMES)[number]

export const THEME_WORDS = { auto: 'as the system', light: 'light', dark: 'dark' }

const isTheme = (text: string | null): text is Theme => THEMES.some((theme) => theme === text)

const kept = stored(THEME)

export const theme = signal<Theme>(isTheme(kept) ? kept : 'auto')

export function applyTheme() {
  const { dataset } = document.documentElement
  if (theme.value === 'auto') delete dataset['theme']
  else dataset['theme'] = theme.value
}

/** The next of the system's colours, light and dark. */
export function changeTheme() {
  const next = THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length] ?? 'auto'
  theme.value = next
  applyTheme()
  store(THEME, next)
  announce(`Colours: ${THEME_WORDS[next]}`)
}
