import { type Html, html, type Value } from '../../lib/http/html.ts'
import { icon, type IconName } from './icon.ts'

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

/** Two letters for a person, beside the name. */
export function initialsOf(name: string): string {
  const letters = name.split(/\s+/).flatMap((word) => /^\p{L}/u.exec(word)?.[0] ?? [])
  const [first = '?', ...more] = letters
  return `${first}${more.at(-1) ?? ''}`.toUpperCase()
}

export const face = (name: string): Html =>
  html`<span class="face" aria-hidden="true">${initialsOf(name)}</span>`
