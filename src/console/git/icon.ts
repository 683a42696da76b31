import { ICONS } from '../ui/icons.ts'
import { type Html, html } from '../../lib/http/html.ts'

/** The shapes of the console, and those that only a git hosting service needs. */
const SHAPES = {
  ...ICONS,
  arrow: 'M3 8h10M9 4l4 4-4 4',
  commit: 'M8 11a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM8 2v3M8 11v3',
  file: 'M4 2h5l3.5 3.5V14H4zM9 2v3.5h3.5',
  folder: 'M2 4h4l1.5 1.5H14V13H2z',
  merged:
    'M4.5 5.5v5M4.5 5.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM4.5 13.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM11.5 10a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM10 8.5C7 8.5 4.5 7.5 4.5 5.5',
  repository:
    'M5 2h8v12H5a1.5 1.5 0 0 1-1.5-1.5v-9A1.5 1.5 0 0 1 5 2M3.5 12.500A1.5 1.5 0 0 1 5 11h8',
  split:
    'M4.5 5.5v5M4.5 5.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM4.5 13.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM11.5 6.5a1.5 1.5 0 1 0 0-3 1.5 1.5 0 0 0 0 3zM11.5 6.5c0 3-7 1.5-7 4',
} as const

export type IconName = keyof typeof SHAPES

/** Decoration: the text beside it says the same. */
export const icon = (name: IconName): Html =>
  html`<svg viewBox="0 0 16 16" aria-hidden="true"><path d="${SHAPES[name]}" /></svg>`
