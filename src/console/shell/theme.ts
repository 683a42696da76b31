import { signal } from '@preact/signals'
import { store, stored } from '../ui/stored.ts'

const THEMES = ['auto', 'light', 'dark'] as const

export type Theme = (typeof THEMES)[number]

const KEY = 'portico-theme'

const isTheme = (text: string | null): text is Theme => THEMES.some((theme) => theme === text)

const kept = stored(KEY)

export const theme = signal<Theme>(isTheme(kept) ? kept : 'auto')

export function applyTheme() {
  const { dataset } = document.documentElement
  if (theme.value === 'auto') delete dataset['theme']
  else dataset['theme'] = theme.value
}

export function nextTheme(): Theme {
  const next = THEMES[(THEMES.indexOf(theme.value) + 1) % THEMES.length] ?? 'auto'
  theme.value = next
  applyTheme()
  store(KEY, next)
  return next
}
