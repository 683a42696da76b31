import type { Workload } from '../../api/live/events.ts'

/** Pods, or runs of a job, as `kubectl get` prints them. */
type Counted = Pick<Workload, 'replicas' | 'completions'>

export function readyWords({ replicas, completions }: Counted): string {
  if (replicas !== null) return `${replicas.ready}/${replicas.desired}`
  if (completions === null) return ''
  const { succeeded, desired, parallelism } = completions
  const atOnce = parallelism === null || parallelism <= 1 ? '' : ` of ${parallelism}`
  return `${succeeded}/${desired}${atOnce}`
}
