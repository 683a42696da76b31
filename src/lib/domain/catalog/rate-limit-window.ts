import type { Clock } from '../../ports/clock.ts'
import type { GitFailure } from '../../ports/git-host.ts'

type RateLimited = Extract<GitFailure, { kind: 'git_rate_limited' }>

/** The time in which the git host has said that it allows no calls. Until its end nobody needs to ask again. */
export interface RateLimitWindow {
  /** The refusal in the host's place; `undefined` outside a window. */
  refusal(): RateLimited | undefined
  /** Begins a window when the host refused a call because of its limit. */
  observe(failure: { readonly kind: string }): void
  isOwnRefusal(failure: object): boolean
}

export function createRateLimitWindow(clock: Clock): RateLimitWindow {
  let window = { from: 0, until: 0 }
  const given = new WeakSet<object>()

  return {
    refusal() {
      const now = clock.now()
      // Before its beginning the clock was set back, and nothing is known.
      if (now < window.from || now >= window.until) return undefined
      const retryAfterSeconds = Math.ceil((window.until - now) / 1_000)
      const refusal = { kind: 'git_rate_limited', retryAfterSeconds } as const
      given.add(refusal)
      return refusal
    },
    observe(failure) {
      if (!isRateLimited(failure)) return
      const from = clock.now()
      window = { from, until: from + failure.retryAfterSeconds * 1_000 }
    },
    isOwnRefusal: (failure) => given.has(failure),
  }
}

const isRateLimited = (failure: { readonly kind: string }): failure is RateLimited =>
  failure.kind === 'git_rate_limited'
