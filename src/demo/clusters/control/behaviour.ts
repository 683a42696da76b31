/** What a container of an image does once it is started. */
export type Behaviour =
  | { readonly does: 'serve' }
  /** Serves, and does not end when it is asked to: it is killed when its grace period is over. */
  | { readonly does: 'linger' }
  /** Becomes ready, fills its memory and is killed. */
  | { readonly does: 'run_out_of_memory'; readonly afterSteps: number }
  | { readonly does: 'finish'; readonly afterSteps: number }
  /** Runs, and its readiness probe says no. */
  | { readonly does: 'fail_probe' }
  /** Is not there: the registry has no such tag. */
  | { readonly does: 'fail_to_pull' }

/** By image, where it is not what one expects: to serve, to prepare the pod, to do a job. */
export type Behaviours = Readonly<Record<string, Behaviour>>

export const SERVES: Behaviour = { does: 'serve' }
export const PREPARES: Behaviour = { does: 'finish', afterSteps: 1 }
export const DOES_A_JOB: Behaviour = { does: 'finish', afterSteps: 90 }
