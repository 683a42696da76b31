import { type Html, type Value, html } from '../../lib/http/html.ts'
import { systemClock } from '../../lib/ports/clock.ts'
import { ICONS } from '../ui/icons.ts'
import { initialsOf } from '../ui/names.ts'
import { exactWords, relativeWords } from '../ui/time-words.ts'

/** Control and format characters, except tabs and line feeds. They can make a diff look like another one (CVE-2021-42574). */
const INVISIBLE = /[^\P{Cc}\n\t]|\p{Cf}|[\u2028\u2029]/gu

export const plainText = (text: string): string =>
  text.replaceAll(INVISIBLE, (found) => `\\u{${found.codePointAt(0)?.toString(16) ?? ''}}`)

/** "812 B", "4.1 KB", "1.2 MB" */
export function sizeOf(bytes: number): string {
  if (bytes < 1_000) return `${bytes} B`
  const [amount, unit] = bytes < 1e6 ? [bytes / 1e3, 'KB'] : [bytes / 1e6, 'MB']
  return `${amount.toFixed(1)} ${unit}`
}

/** Without scripts nobody knows the time zone of the reader. */
const TIME_ZONE = 'UTC'

/** A time in words, with the exact one at hand. `null`: unknown. */
export function timeOf(at: number | null): Html {
  if (at === null) return html`at an unknown time`
  return html`<time datetime="${new Date(at).toISOString()}" title="${exactWords(at, TIME_ZONE)}"
    >${relativeWords(at, systemClock.now())}</time
  >`
}

/** The exact time alone. */
export const exactTimeOf = (at: number): Html =>
  html`<time datetime="${new Date(at).toISOString()}">${exactWords(at, TIME_ZONE)}</time>`

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

type Tone = 'ok' | 'warn' | 'bad' | 'info' | 'idle' | 'accent'

/** A state: a word, an icon and a colour. */
export const chip = (tone: Tone, name: IconName, word: string): Html =>
  html`<span class="chip" data-tone="${tone}">${icon(name)}${word}</span>`

export interface CardOptions {
  readonly title: Value
  /** At the end of its header. */
  readonly end?: Value
  readonly body: Value
}

export const card = ({ title, end = null, body }: CardOptions): Html => html`
  <section class="card">
    <header>
      <h2>${title}</h2>
      ${end === null ? null : html`<div>${end}</div>`}
    </header>
    ${body}
  </section>
`

/** Says that there is nothing, and what to do about it. */
export const empty = (title: string, more: Value = null): Html => html`
  <div class="empty">
    <p class="empty-title">${title}</p>
    ${more}
  </div>
`

/** The attribute of a link to what is shown, behind a space. */
export const current = (isCurrent: boolean): Html | null =>
  isCurrent ? html`aria-current="page"` : null

export const face = (name: string): Html =>
  html`<span class="face" aria-hidden="true">${initialsOf(name)}</span>`
