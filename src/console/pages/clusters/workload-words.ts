import type { Workload } from '../../api/live/events.ts'

/** Pods, runs of a job, or when a cron job runs: as `kubectl get` prints them. */
export function readyWords({
  replicas,
  completions,
  schedule,
}: Pick<Workload, 'replicas' | 'completions' | 'schedule'>): string {
  if (replicas !== null) return `${replicas.ready}/${replicas.desired}`
  if (completions === null) return schedule ?? ''
  const { succeeded, desired, parallelism } = completions
  const atOnce = parallelism === null || parallelism <= 1 ? '' : ` of ${parallelism}`
  return `${succeeded}/${desired}${atOnce}`
}
