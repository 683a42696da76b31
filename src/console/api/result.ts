import type { components } from './schema.gen.ts'

type ProblemDetails = components['schemas']['Problem']

/** Problem details of the API, a failure on the way to it (`unreachable`, `unexpected_answer`), or that of a move that had to wait. */
export type Problem = Pick<ProblemDetails, 'title' | 'status'> &
  Partial<Omit<ProblemDetails, 'title' | 'status' | 'code'>> & {
    readonly code: ProblemDetails['code'] | 'unreachable' | 'unexpected_answer' | 'move_failed'
    /** Seconds to wait before another attempt, from `Retry-After`. */
    readonly retryAfter?: number
  }

export type Result<Value> =
  { readonly ok: true; readonly value: Value } | { readonly ok: false; readonly problem: Problem }
