import type { RawAnswer } from '../../../../outbound/exchange.ts'
import { retryAfterSeconds } from '../../../../outbound/retry-after.ts'
import { isObject, parseJson } from '../../../../text/json.ts'
import { decodeUtf8 } from '../../../../text/utf8.ts'
import type { RateLimitLeft } from '../../context.ts'

/** A refusal because of a limit. `statedMs`: until the next request, where the host says it. */
export interface RateLimitRefusal {
  readonly statedMs: number | null
}

/** The longest wait that is believed. GitHub's limits last an hour, those of other hosts as long as an administrator likes. */
const STATED_MAX_MS = 24 * 60 * 60_000
const TEXT_MAX_BYTES = 4_096
/** A time in seconds since the Unix epoch; a smaller number is none. */
const EPOCH_MIN = 1_000_000_000

/**
 * Recognises a refusal because of a rate limit, primary or secondary. GitHub: "Rate limits for the REST API", section
 * "Exceeding the rate limit": 403 or 429 with `retry-after`, else with `x-ratelimit-remaining: 0` and `x-ratelimit-reset`, else with a
 * text alone. GitLab, Gitea and proxies: 429, mostly with `retry-after`.
 */
export function refusalByLimit(
  { status, headers, bytes }: RawAnswer,
  nowMs: number,
): RateLimitRefusal | null {
  if (status !== 403 && status !== 429) return null
  const pauseMs = statedMsOf(headers, nowMs)
  if (pauseMs !== null) return { statedMs: pauseMs }
  const text = decodeUtf8(bytes.subarray(0, TEXT_MAX_BYTES)) ?? ''
  const resetMs = msUntilReset(headers, nowMs)
  // The last request of the hour may be refused for another reason, which the text says.
  const isUsedUp = headers.get('x-ratelimit-remaining') === '0' && !OTHER_REASON.test(text)
  if (isUsedUp && resetMs !== null) return { statedMs: resetMs }
  return status === 429 || isUsedUp || LIMIT.test(text) ? { statedMs: null } : null
}

const LIMIT = /rate limit|abuse detection/i
const OTHER_REASON = /not accessible by|archived|SAML|IP allow list/i

/**
 * The same for GitHub's GraphQL API, which also refuses with status 200 and an error of the type `RATE_LIMITED` or `RATE_LIMIT`. The type
 * decides: a request may cost more than what remains, and the last one of the hour leaves 0. For a secondary limit the text decides.
 */
export function refusalByGraphqlLimit(answer: RawAnswer, nowMs: number): RateLimitRefusal | null {
  const { status, headers, bytes } = answer
  if (status !== 200) return refusalByLimit(answer, nowMs)
  const { type, message } = firstError(parseJson(decodeUtf8(bytes) ?? ''))
  const isPrimary = type === 'RATE_LIMITED' || type === 'RATE_LIMIT'
  const isSecondary = typeof message === 'string' && SECONDARY.test(message)
  if (!isPrimary && !isSecondary) return null
  const isResetMeant = !isSecondary || headers.get('x-ratelimit-remaining') === '0'
  return {
    statedMs: statedMsOf(headers, nowMs) ?? (isResetMeant ? msUntilReset(headers, nowMs) : null),
  }
}

const SECONDARY = /^You have exceeded a secondary rate limit/

function firstError(json: unknown): Readonly<Record<string, unknown>> {
  const errors: unknown = isObject(json) ? json['errors'] : undefined
  const first: unknown = Array.isArray(errors) ? errors[0] : undefined
  return isObject(first) ? first : {}
}

function statedMsOf(headers: Headers, nowMs: number): number | null {
  const seconds = retryAfterSeconds(headers, nowMs, STATED_MAX_MS / 1_000)
  return seconds === null ? null : seconds * 1_000
}

function msUntilReset(headers: Headers, nowMs: number): number | null {
  const reset = wholeNumber(headers.get('x-ratelimit-reset'))
  return reset === null ? null : bounded(reset * 1_000 - nowMs)
}

const bounded = (ms: number): number => Math.min(Math.max(ms, 0), STATED_MAX_MS)

const wholeNumber = (header: string | null): number | null =>
  header !== null && /^\d{1,12}$/.test(header) ? Number(header) : null

/** The rest of the primary limit of the REST API. Searches and others have limits of their own. */
export function rateLimitLeft({ headers }: Pick<RawAnswer, 'headers'>): RateLimitLeft | null {
  const member = (name: string) =>
    wholeNumber(headers.get(`x-ratelimit-${name}`) ?? headers.get(`ratelimit-${name}`))
  const remaining = member('remaining')
  const reset = member('reset')
  const resource = headers.get('x-ratelimit-resource') ?? 'core'
  // Proxies count seconds in headers named like GitLab's, which is a time.
  return remaining === null || reset === null || reset < EPOCH_MIN || resource !== 'core'
    ? null
    : { remaining, resetsAt: reset * 1_000 }
}
