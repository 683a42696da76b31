import { Refusal } from './answer.ts'

const HOURLY = 5_000
const HOUR_MS = 3_600_000

export type Limit =
  /** All requests of the hour are used up; until this time. */
  | { readonly kind: 'primary'; readonly until: number; readonly status?: 403 | 429 }
  /** Too many at once; `retryAfter`: whether the answer says for how long. */
  | {
      readonly kind: 'secondary'
      readonly until: number
      readonly retryAfter?: boolean
      readonly status?: 403 | 429
    }

export interface Limits {
  readonly headers: () => Readonly<Record<string, string>>
  /** Counts a request, or refuses it. */
  readonly spend: () => void
  readonly refund: () => void
  readonly show: () => object
  limit: Limit | undefined
}

/** Rate limits of github.com. GitHub Enterprise Server has none, and says nothing about them. */
export function createLimits(now: () => number, isEnterprise: boolean): Limits {
  let used = 0
  let resetsAt = now() + HOUR_MS
  const seconds = (ms: number) => String(Math.ceil(ms / 1000))
  const current = () => {
    if (now() >= resetsAt) {
      used = 0
      resetsAt = now() + HOUR_MS
    }
    const { limit } = limits
    if (limit !== undefined && now() >= limit.until) limits.limit = undefined
    const isPrimary = limits.limit?.kind === 'primary'
    return {
      limit: HOURLY,
      used: isPrimary ? HOURLY : used,
      remaining: isPrimary ? 0 : HOURLY - used,
      reset: Number(seconds(isPrimary ? (limits.limit?.until ?? resetsAt) : resetsAt)),
    }
  }
  const limits: Limits = {
    limit: undefined,
    headers: () => {
      if (isEnterprise) return {}
      const { limit, used: spent, remaining, reset } = current()
      return {
        'x-ratelimit-limit': String(limit),
        'x-ratelimit-remaining': String(remaining),
        'x-ratelimit-used': String(spent),
        'x-ratelimit-reset': String(reset),
        'x-ratelimit-resource': 'core',
      }
    },
    spend: () => {
      current()
      const { limit } = limits
      if (limit?.kind === 'primary')
        throw new Refusal(limit.status ?? 403, 'API rate limit exceeded for user ID 1001.')
      if (limit?.kind === 'secondary')
        throw new Refusal(
          limit.status ?? 403,
          'You have exceeded a secondary rate limit. Please wait a few minutes before you try again.',
          limit.retryAfter === false
            ? {}
            : { headers: { 'retry-after': seconds(limit.until - now()) } },
        )
      used += 1
    },
    refund: () => {
      used -= 1
    },
    show: () => {
      const core = current()
      return { resources: { core, search: core }, rate: core }
    },
  }
  return limits
}
