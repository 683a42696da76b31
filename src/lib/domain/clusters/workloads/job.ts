import type { KubernetesJob } from '../../../ports/kubernetes-objects.ts'
import { imagesOf } from '../pod-container.ts'
import {
  factsOf,
  failureOf,
  holding,
  verdict,
  type Verdict,
  type WorkloadFacts,
} from './workload.ts'

export function jobFacts(job: KubernetesJob): WorkloadFacts {
  const { metadata, spec, status = {} } = job
  const { succeeded = 0, failed = 0, active = 0 } = status
  return factsOf('Job', metadata, ownVerdict(job), {
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

function ownVerdict(job: KubernetesJob): Verdict {
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
