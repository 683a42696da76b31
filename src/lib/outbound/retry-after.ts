const HOUR_SECONDS = 3_600
const SECONDS = /^\d{1,12}$/
/** RFC 9110 §5.6.7, the form that is sent today. */
const DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/

/**
 * For how many seconds an answer asks its client to wait, by a number or a date (RFC 9110 §10.2.3): `mostSeconds` at most. `null`: it does
 * not say, or not in a form that is known. `nowMs`: since the Unix epoch.
 */
export function retryAfterSeconds(
  headers: Pick<Headers, 'get'>,
  nowMs = Date.now(),
  mostSeconds = HOUR_SECONDS,
): number | null {
  const stated = headers.get('retry-after') ?? ''
  const until = DATE.test(stated) ? Date.parse(stated) : Number.NaN
  const seconds = SECONDS.test(stated) ? Number(stated) : Math.ceil((until - nowMs) / 1_000)
  return Number.isNaN(seconds) ? null : Math.min(Math.max(seconds, 0), mostSeconds)
}
