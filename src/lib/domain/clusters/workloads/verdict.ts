import type { PodFacts, Trouble } from './pod-facts.ts'
import { verdict, type Verdict, type WorkloadFacts } from './workload.ts'

/** A workload that restarted within this time is `Unstable`. */
const RESTARTED_MS = 30 * 60_000
/** A controller may begin a run late. */
const LATE_MS = 15 * 60_000

/** Objects that belong to a workload. */
export interface Belongings {
  /** `null` when they cannot be read. */
  readonly pods: readonly PodFacts[] | null
  /** Revision of the newest template. */
  readonly newest: string | null
  /** Verdict of the latest run of a cron job. */
  readonly lastRun: Verdict | null
}

/**
 * The verdict on a workload: what it says of itself, and why, as its pods know. The worst reason counts, of the new pods while there
 * are old ones. `docs/decisions/health.md` has the cases.
 */
export function verdictOf(
  facts: WorkloadFacts,
  { pods, newest, lastRun }: Belongings,
  now: number,
): Verdict {
  const { own, deletionTimestamp } = facts
  if (deletionTimestamp !== null) {
    return verdict('Progressing', 'It is being deleted', 'Terminating', deletionTimestamp)
  }
  if (facts.dueAt !== null && facts.dueAt + LATE_MS < now) {
    const at = new Date(facts.dueAt).toISOString()
    return verdict('Degraded', `The run of ${at} has not begun`, 'MissedSchedule', at)
  }
  if (lastRun !== null && own.reason === 'JobFailed') {
    return { ...own, message: `${own.message}: ${lastRun.message}` }
  }
  const living = (pods ?? []).filter(({ isOver }) => !isOver)
  const cause = causeOf(living, newest, facts.startupMs, now)
  if (own.health === 'Idle') return own
  if (own.health === 'Degraded') return withCause(own, cause, pods ?? [])
  if (own.health === 'Suspended') {
    return cause === undefined
      ? own
      : { ...own, reason: cause.reason, message: `${own.message}; ${cause.message}` }
  }
  if (cause !== undefined) return { health: 'Degraded', ...cause }
  return own.health === 'Healthy' ? unstable(own, living, now) : own
}

/** A failure that the object itself knows: its reason, or that of its pods where it says no more than that it has failed. */
function withCause(own: Verdict, cause: Cause | undefined, pods: readonly PodFacts[]): Verdict {
  if (cause !== undefined) {
    return { ...own, reason: cause.reason, message: `${own.message}; ${cause.message}` }
  }
  const ends = pods.flatMap(({ lastEnd }) => lastEnd ?? [])
  const [end] = ends.toSorted((one) => (one.reason === 'OOMKilled' ? -1 : 0))
  if (own.reason !== 'BackoffLimitExceeded' || end === undefined) return own
  return { ...own, message: `${own.message}; ${endWords(end)}` }
}

const endWords = ({ reason, detail }: Pick<Trouble, 'reason' | 'detail'>): string =>
  detail === null ? reason : `${reason}, ${detail}`

type Cause = Omit<Verdict, 'health'>

const isCertain = (
  { trouble, createdAt }: PodFacts,
  startupMs: number | null,
  now: number,
): boolean => {
  if (trouble === null) return false
  const startup = startupMs === null ? Infinity : Date.parse(createdAt) + startupMs
  return (trouble.certainAt ?? startup) <= now
}

function causeOf(
  living: readonly PodFacts[],
  newest: string | null,
  startupMs: number | null,
  now: number,
): Cause | undefined {
  const fresh = living.filter(({ revision }) => newest === null || revision === newest)
  const isMixed = fresh.length > 0 && fresh.length < living.length
  const counted = isMixed ? fresh : living
  const failing = counted.filter((pod) => isCertain(pod, startupMs, now))
  const troubles = failing.flatMap(({ trouble }) => trouble ?? [])
  const [worst] = troubles.toSorted((one, other) => one.rank - other.rank)
  if (worst === undefined) return undefined
  const same = troubles.filter(({ reason }) => reason === worst.reason)
  const since = same.flatMap((each) => each.since ?? []).toSorted()[0] ?? null
  const subject = `${same.length} of ${counted.length} ${isMixed ? 'new ' : ''}pods`
  const serves = living.some((pod) => pod.isReady && !counted.includes(pod))
  const rest = serves ? '; the old version still serves' : ''
  const words = worst.words === null ? '' : `. ${worst.words}`
  return { reason: worst.reason, message: `${subject}: ${endWords(worst)}${rest}${words}`, since }
}

/** A crash loop is ready between two crashes. */
function unstable(own: Verdict, living: readonly PodFacts[], now: number): Verdict {
  const recent = living.filter(
    ({ lastRestartAt }) => lastRestartAt !== null && now - Date.parse(lastRestartAt) < RESTARTED_MS,
  )
  const [last] = recent.toSorted((one, other) =>
    (other.lastRestartAt ?? '').localeCompare(one.lastRestartAt ?? ''),
  )
  if (last === undefined) return own
  const restarts = recent.reduce((sum, pod) => sum + pod.restarts, 0)
  const reason = last.lastEnd?.reason ?? 'Restarted'
  const end = last.lastEnd === null ? '' : `; the last end was ${endWords(last.lastEnd)}`
  const pods = `${recent.length} of ${living.length} pods`
  const times = `${restarts} ${restarts === 1 ? 'time' : 'times'} in all`
  const message = `${pods} restarted within 30 minutes, ${times}${end}`
  return verdict('Unstable', message, reason, last.lastRestartAt)
}
