import { signal } from '@preact/signals'
import { ageWords, exactWords, nextChangeMs, relativeWords } from './time-words.ts'

/** The time that words on the page are made for. */
const now = signal(Date.now())

/** Timers of years overflow. */
const WAIT_MAX_MS = 3_600_000

let timer: ReturnType<typeof setTimeout> | undefined
let wakesAt = Number.POSITIVE_INFINITY

/** One timer for the page: it wakes at the first instant at which some word changes. */
function wakeAt(at: number) {
  if (at >= wakesAt) return
  clearTimeout(timer)
  wakesAt = at
  timer = setTimeout(
    () => {
      wakesAt = Number.POSITIVE_INFINITY
      now.value = Date.now()
    },
    Math.min(Math.max(at - Date.now(), 1_000), WAIT_MAX_MS),
  )
}

/** The present time; the component that asks is drawn again when `now` changes. */
const presentMs = (): number => Math.max(now.value, Date.now())

interface TimeProps {
  readonly at: string
}

/** `3 min ago`, with the exact time at hand: as a title, and for screen readers in `datetime`. */
export const Time = ({ at }: TimeProps) => <Changing at={at} wordsOf={relativeWords} />

/** `· 3 min ago`, after what happened then. */
export const Since = ({ at }: TimeProps) => (
  <span class="muted">
    · <Time at={at} />
  </span>
)

/** `3m`, for columns. */
export const Age = ({ at }: TimeProps) => <Changing at={at} wordsOf={ageWords} />

interface ChangingProps extends TimeProps {
  readonly wordsOf: (atMs: number, nowMs: number) => string
}

function Changing({ at, wordsOf }: ChangingProps) {
  const ms = Date.parse(at)
  if (Number.isNaN(ms)) return <span>{at}</span>
  const present = presentMs()
  wakeAt(nextChangeMs(ms, present))
  return (
    <time dateTime={at} title={exactWords(ms)}>
      {wordsOf(ms, present)}
    </time>
  )
}
