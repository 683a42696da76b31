import { ok, type Result } from '../../../result.ts'
import type { RateLimited } from '../../limits/rate-limits.ts'
import type { TopicCaller } from '../topic.ts'

/** Counts a stream for its person and address. */
export type Admit = (caller: TopicCaller) => Promise<Result<void, RateLimited>>

/** Admits a topic of a page once, however often it is tried: a dark cluster must not use up the limits of its readers. */
export function admittedOnce(admit: Admit): Admit {
  let isAdmitted = false
  return async (caller) => {
    if (isAdmitted) return ok(undefined)
    const admitted = await admit(caller)
    isAdmitted = admitted.ok
    return admitted
  }
}
