import { signal } from '@preact/signals'

const THEMES = ['auto', 'light', 'dark'] as const

export type Theme = (typeof THEMES)[number]

const KEY = 'portico-theme'

const isTheme = (text: string | null): text is Theme => THEMES.some((theme) => theme === text)

/** Storage is closed to pages in some private windows. */
function stored(): Theme {
  try {
    const text = localStorage.getItem(KEY)
    return isTheme(text) ? text : 'auto'
  } catch {
    return 'auto'
  }
}

export const theme = signal<Theme>(stored())

export function applyTheme() {
  const { dataset } = document.documentElement
  if (theme.value === 'auto') delete dataset['theme']
  else dataset['theme'] = theme.value
}

export function nextTheme(): Theme {
  const next = THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length] ?? 'auto'
  theme.value = next
  applyTheme()
  try {
    localStorage.setItem(KEY, next)
  } catch {
    // Without storage the choice lasts as long as the page.
  }
  return next
}
