import type { components } from '../../api/schema.gen.ts'

export type Run = components['schemas']['ScaffoldRun']
type Step = Run['steps'][number]

/** Steps of every run, in their order. */
const TITLES: Readonly<Record<Step['step'], string>> = {
  create_repo: 'Create the repository',
  push_template: 'Push the files of the template',
  create_secret: 'Create the secret entry',
  open_gitops_pr: 'Open the pull request',
}

export interface ShownStep {
  readonly name: string
  readonly title: string
  /** `waiting`: not begun. */
  readonly status: Step['status'] | 'waiting'
  readonly message: string
}

/** All steps, also those that have not begun, and any that a newer server adds. */
export function stepsOf({ steps }: Pick<Run, 'steps'>): readonly ShownStep[] {
  const known = Object.entries(TITLES).map(([name, title]): ShownStep => {
    const begun = steps.find(({ step }) => step === name)
    return { name, title, status: begun?.status ?? 'waiting', message: begun?.message ?? '' }
  })
  const others = steps
    .filter(({ step }) => !Object.hasOwn(TITLES, step))
    .map(({ step, status, message }) => ({ name: step, title: step, status, message }))
  return [...known, ...others]
}

/** The end of a run, for those who do not look at it; `null` while it goes on. */
export function endWords({ status, appName, failure }: Run): string | null {
  if (status === 'complete') return `${appName} is set up. Its pull request waits for a merge.`
  if (status === 'failed') return `${appName} could not be set up: ${failure?.message ?? ''}`
  return null
}

/** Why a run cannot be tried again; `null` when it can. */
export const retryRefusal = ({ failure }: Pick<Run, 'failure'>): string | null =>
  failure === null || failure.retryable
    ? null
    : 'Trying again would not help. Correct the cause, and start the project anew.'
