/** Behaviour of the containers of an image after their start. */
export type Behaviour =
  | { readonly does: 'serve' }
  /** Serves, ignores SIGTERM and is killed at the end of its grace period. */
  | { readonly does: 'linger' }
  /** Becomes ready, runs out of memory and is killed, again and again. */
  | { readonly does: 'run_out_of_memory'; readonly afterSteps: number }
  | { readonly does: 'finish'; readonly afterSteps: number }
  /** Runs, and fails its readiness probe. */
  | { readonly does: 'fail_probe' }
  /** Never starts: the registry has no such tag. */
  | { readonly does: 'fail_to_pull' }

/**
 * The current behaviour of an image's containers, which changes when somebody pushes a missing image. Images without a behaviour behave
 * by the purpose of their container.
 */
export type BehaviourOf = (image: string) => Behaviour | undefined

export const SERVICE: Behaviour = { does: 'serve' }
export const INIT_CONTAINER: Behaviour = { does: 'finish', afterSteps: 1 }
export const JOB: Behaviour = { does: 'finish', afterSteps: 90 }
