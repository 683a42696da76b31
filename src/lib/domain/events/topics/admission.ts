import { ok, type Result } from '../../../result.ts'
import type { RateLimited } from '../../limits/rate-limits.ts'
import type { TopicCaller } from '../topic.ts'

/** Counts a stream for its person and address. */
export type Admit = (caller: TopicCaller) => Promise<Result<void, RateLimited>>

/** For one topic of a page, which is one stream however often it is tried: a dark cluster must not use up its readers' limits. */
export function admittedOnce(admit: Admit): Admit {
  let isAdmitted = false
  return async (caller) => {
    if (isAdmitted) return ok(undefined)
    const admitted = await admit(caller)
    isAdmitted = admitted.ok
    return admitted
  }
}
