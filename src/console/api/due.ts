import type { TopicEvent } from './live/events.ts'
import type { Problem } from './result.ts'

/** Age at which a shown answer is asked for again; unchanged, it is a 304 without a body. */
const REFRESH_AFTER_MS = 30_000
/** The same for a topic that the event stream carries. */
const REFRESH_COVERED_AFTER_MS = 300_000
/** After a failure that may pass at any moment. */
const RETRY_AFTER_MS = 5_000

export interface Attempts {
  /** The answer that is shown. */
  readonly value?: unknown
  /** The problem of the last attempt. */
  readonly problem: Problem | undefined
  /** Time of the last success, in milliseconds; 0 before it. */
  readonly at: number
  readonly triedAt: number
}

interface Surroundings {
  readonly now: number
  /** Instead of the usual age. */
  readonly everyMs?: number | undefined
  /** Changes are told by the event stream. */
  readonly isCovered: boolean
  readonly isSignedOut: boolean
}

/** Whether a shown answer is to be asked for again. */
export function isDue(
  { value, problem, at, triedAt }: Attempts,
  { now, everyMs = REFRESH_AFTER_MS, isCovered, isSignedOut }: Surroundings,
): boolean {
  // Only the session is asked about meanwhile.
  if (isSignedOut) return false
  if (problem !== undefined) return now - triedAt > waitAfter(problem)
  const isTold = isCovered && !showsOpenPull(value)
  return now - Math.max(at, triedAt) > (isTold ? REFRESH_COVERED_AFTER_MS : everyMs)
}

/** No event tells the checks and reviews of one. */
function showsOpenPull(answer: unknown): boolean {
  const pulls = Array.isArray(answer)
    ? answer.map((item) => memberOf(item, 'pullRequest'))
    : memberOf(answer, 'pullRequests')
  return Array.isArray(pulls) && pulls.some((pull) => memberOf(pull, 'state') === 'open')
}

/** An event with the revision of the answer tells nothing: the first one of a stream always comes. */
export function isNews(headers: Headers | undefined, { topic, value }: TopicEvent): boolean {
  const [name] = topic.split(':')
  const known = headers?.get(`x-${name}-revision`) ?? null
  return known === null || known !== memberOf(value, 'revision')
}

const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined

/** A refusal, or that something is not there, rarely changes from one moment to the next. */
function waitAfter({ status, code, retryAfter = 0 }: Problem): number {
  const mayPass =
    status === 0 ||
    status === 401 ||
    status === 429 ||
    status >= 500 ||
    code === 'unexpected_answer'
  return Math.max(retryAfter * 1_000, mayPass ? RETRY_AFTER_MS : REFRESH_AFTER_MS)
}
