import type { KubernetesCronJob, KubernetesJob } from '../../../ports/kubernetes-objects.ts'
import { imagesOf } from '../containers.ts'
import {
  factsOf,
  failureOf,
  holding,
  verdict,
  type Verdict,
  type WorkloadFacts,
} from './workload.ts'

// Facts and verdicts of kinds whose pods end. The cases and their reasons are in `docs/decisions/health.md`.

export function jobFacts(job: KubernetesJob): WorkloadFacts {
  const { metadata, spec, status = {} } = job
  const { succeeded = 0, failed = 0, active = 0 } = status
  return factsOf('Job', metadata, jobVerdict(job), {
    images: imagesOf(spec.template.spec?.containers ?? []),
    suspended: spec.suspend ?? false,
    completions: {
      desired: spec.completions ?? 1,
      succeeded,
      failed,
      active,
      parallelism: spec.completions === undefined ? (spec.parallelism ?? 1) : null,
    },
  })
}

function jobVerdict(job: KubernetesJob): Verdict {
  const { spec, status = {} } = job
  const { conditions, succeeded = 0, failed = 0, active = 0 } = status
  // `FailureTarget`: it has failed, and its pods are being stopped.
  const failure = holding(conditions, 'Failed') ?? holding(conditions, 'FailureTarget')
  if (failure !== undefined) return failureOf(failure)
  const complete = holding(conditions, 'Complete') ?? holding(conditions, 'SuccessCriteriaMet')
  if (complete !== undefined) {
    const since = status.completionTime ?? complete.lastTransitionTime ?? null
    return verdict('Healthy', 'It has completed', 'Completed', since)
  }
  if (spec.suspend === true || holding(conditions, 'Suspended') !== undefined) {
    return verdict('Suspended', 'It is suspended', 'Suspended')
  }
  const tries = failed === 0 ? '' : `, ${failed} failed`
  // Without `completions` its pods share a queue of work, and all of them may succeed.
  const wanted = spec.completions === undefined ? '' : ` of ${spec.completions}`
  const message = `${succeeded}${wanted} runs have completed, ${active} active${tries}`
  return verdict('Progressing', message, null, status.startTime ?? null)
}

export function cronJobFacts(job: KubernetesCronJob): WorkloadFacts {
  const { metadata, spec, status = {} } = job
  return factsOf('CronJob', metadata, cronJobVerdict(job), {
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

function cronJobVerdict({ spec, status = {} }: KubernetesCronJob): Verdict {
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
