import { exactWords, relativeWords } from '../ui/time-words.ts'
import { type Html, html } from '../../lib/http/html.ts'
import { systemClock } from '../../lib/ports/clock.ts'

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
