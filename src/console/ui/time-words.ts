/**
 * Times in words. Each function is exact to the unit that it names and rounds down, so that words change at known instants and a page
 * needs one timer for all of them.
 */

const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS
const MONTH_MS = 30 * DAY_MS
const YEAR_MS = 365 * DAY_MS

/** Largest first. */
const UNITS = [
  { ms: YEAR_MS, one: 'year', many: 'years', short: 'y' },
  { ms: MONTH_MS, one: 'month', many: 'months', short: 'mo' },
  { ms: DAY_MS, one: 'day', many: 'days', short: 'd' },
  { ms: HOUR_MS, one: 'h', many: 'h', short: 'h' },
  { ms: MINUTE_MS, one: 'min', many: 'min', short: 'm' },
] as const

type Unit = (typeof UNITS)[number]

/** The largest unit that a distance has at least once. */
const unitOf = (distanceMs: number): Unit | undefined => UNITS.find(({ ms }) => distanceMs >= ms)

const counted = (distanceMs: number, { ms, one, many }: Unit): string => {
  const count = Math.floor(distanceMs / ms)
  return `${count} ${count === 1 ? one : many}`
}

/** `3 min ago`, `in 2 days`; less than a minute in both directions is `just now`, as clocks differ. */
export function relativeWords(atMs: number, nowMs: number): string {
  const distanceMs = Math.abs(nowMs - atMs)
  const unit = unitOf(distanceMs)
  if (unit === undefined) return 'just now'
  const words = counted(distanceMs, unit)
  return atMs > nowMs ? `in ${words}` : `${words} ago`
}

/** For columns, as in `kubectl get`: `<1m`, `5m`, `3h`, `12d`. */
export function ageWords(atMs: number, nowMs: number): string {
  const distanceMs = Math.max(0, nowMs - atMs)
  const unit = unitOf(distanceMs)
  return unit === undefined ? '<1m' : `${Math.floor(distanceMs / unit.ms)}${unit.short}`
}

/** The first instant after `nowMs` at which `relativeWords` or `ageWords` say something else. */
export function nextChangeMs(atMs: number, nowMs: number): number {
  const distanceMs = Math.abs(nowMs - atMs)
  const unit = unitOf(distanceMs)
  if (nowMs >= atMs) return atMs + nextStep(distanceMs, unit)
  // The words of a coming time change when less than their unit is left.
  return unit === undefined
    ? atMs + MINUTE_MS
    : atMs - Math.floor(distanceMs / unit.ms) * unit.ms + 1
}

/** A month is no whole part of a year: the next unit may come before the next step. */
function nextStep(distanceMs: number, unit: Unit | undefined): number {
  if (unit === undefined) return MINUTE_MS
  const step = (Math.floor(distanceMs / unit.ms) + 1) * unit.ms
  const larger = UNITS[UNITS.indexOf(unit) - 1]
  return Math.min(step, larger?.ms ?? step)
}

const formatIn = (timeZone?: string) =>
  new Intl.DateTimeFormat('en-GB', {
    year: 'numeric',
    month: 'short',
    day: 'numeric',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    timeZoneName: 'short',
    ...(timeZone === undefined ? {} : { timeZone }),
  })

/** Made once: to make one takes longer than to draw a row. */
let own: Intl.DateTimeFormat | undefined

/** `23 Nov 2026`: the day in the time zone of the browser. */
export const dateWords = (atMs: number): string => exactWords(atMs).split(',', 1).join()

/** `23 Nov 2026, 16:27:09 CET`: exact, in the time zone of the browser, which it names. */
export const exactWords = (atMs: number, timeZone?: string): string =>
  (timeZone === undefined ? (own ??= formatIn()) : formatIn(timeZone)).format(atMs)
