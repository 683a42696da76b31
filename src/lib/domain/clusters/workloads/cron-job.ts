import type { KubernetesCronJob } from '../../../ports/kubernetes-objects.ts'
import { imagesOf } from '../pod-container.ts'
import { factsOf, verdict, type Verdict, type WorkloadFacts } from './workload.ts'

export function cronJobFacts(job: KubernetesCronJob): WorkloadFacts {
  const { metadata, spec, status = {} } = job
  return factsOf('CronJob', metadata, ownVerdict(job), {
    images: imagesOf(spec.jobTemplate.spec?.template.spec?.containers ?? []),
    suspended: spec.suspend ?? false,
    schedule: spec.schedule,
    lastScheduleAt: status.lastScheduleTime ?? null,
    dueAt: dueAt(job),
  })
}

/** When a run has been missed unless it has begun; `null` where runs are skipped on purpose. */
function dueAt({ metadata, spec, status = {} }: KubernetesCronJob): number | null {
  const { lastScheduleTime, active = [] } = status
  const isSkipped =
    spec.suspend === true || (active.length > 0 && spec.concurrencyPolicy === 'Forbid')
  return isSkipped
    ? null
    : nextRun(spec, Date.parse(lastScheduleTime ?? metadata.creationTimestamp))
}

function ownVerdict({ spec, status = {} }: KubernetesCronJob): Verdict {
  const { lastScheduleTime, lastSuccessfulTime, active = [] } = status
  if (spec.suspend === true) return verdict('Suspended', 'It is suspended', 'Suspended')
  if (lastScheduleTime === undefined || lastScheduleTime === null) {
    return verdict('Healthy', 'It has yet to run for the first time')
  }
  if (active.length > 0) return verdict('Healthy', `${active.length} runs are active`, 'Active')
  const hasSucceeded = Date.parse(lastSuccessfulTime ?? '') >= Date.parse(lastScheduleTime)
  return hasSucceeded
    ? verdict('Healthy', 'The last run succeeded', null, lastSuccessfulTime ?? null)
    : verdict('Degraded', 'The last run failed', 'JobFailed', lastScheduleTime)
}

/** The next time of a schedule after `from`, in milliseconds; `null` for a schedule that is not understood. */
function nextRun({ schedule, timeZone }: KubernetesCronJob['spec'], from: number): number | null {
  try {
    const zone = timeZone ?? 'UTC'
    const shift = offsetMs(zone, from)
    const next = Bun.cron.parse(schedule, from + shift)
    // The zone may change its clocks until then.
    return next === null ? null : next.getTime() - offsetMs(zone, next.getTime() - shift)
  } catch {
    return null
  }
}

/** How far a zone is ahead of UTC. */
function offsetMs(timeZone: string, at: number): number {
  const local = new Date(at).toLocaleString('sv-SE', { timeZone })
  return Date.parse(`${local.replace(' ', 'T')}Z`) - Math.trunc(at / 1_000) * 1_000
}
