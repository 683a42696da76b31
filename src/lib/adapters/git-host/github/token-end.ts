import { type ConnectionFinding, fails, works } from '../../../ports/connection-finding.ts'

const WARN_BEFORE_DAYS = 14
const DAY_MS = 24 * 60 * 60_000

/** GitHub's header has `2026-10-07 19:07:53 UTC` or an offset such as `+0200`. Installation tokens and tokens without an end have none. */
export function tokenEndFinding(headers: Headers, nowMs: number): ConnectionFinding | null {
  const header = headers.get('github-authentication-token-expiration') ?? ''
  const [, date, time, zone] =
    /^(\d{4}-\d{2}-\d{2}) (\d{2}:\d{2}:\d{2}) (UTC|[+-]\d{4})$/.exec(header) ?? []
  if (date === undefined || time === undefined || zone === undefined) return null
  const offset = zone === 'UTC' ? 'Z' : `${zone.slice(0, 3)}:${zone.slice(3)}`
  const endsAt = Date.parse(`${date}T${time}${offset}`)
  const days = Math.floor((endsAt - nowMs) / DAY_MS)
  return days < WARN_BEFORE_DAYS
    ? fails(`The token ends on ${date}, in ${Math.max(days, 0)} days: replace it before.`)
    : works(`The token ends on ${date}.`)
}
