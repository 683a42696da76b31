import { signal } from '@preact/signals'
import type { Problem } from '../../../api/result.ts'
import { page } from '../../../router.ts'
import { ActProblem } from '../../../ui/act-problem.tsx'
import { Act } from '../../../ui/act.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { OutsideLink } from '../../../ui/link.tsx'
import { type Confirmed, nextSteps, type Outcome, outcomeTitle } from './outcome-words.ts'

/** The end of an act, told on the page where it began. */
interface Finished {
  readonly at: object | undefined
  readonly title: string
  readonly pullRequest: { readonly number: number; readonly url: string } | null
  /** Sentences about what was done and what comes next. */
  readonly notes: readonly string[]
  readonly problem?: Problem
}

const finished = signal<Finished | undefined>(undefined)

const finish = (end: Omit<Finished, 'at'>) => {
  finished.value = { ...end, at: page.peek() }
}

export function finishProposal(outcome: Outcome, confirmers: readonly string[] | null) {
  const { pullRequest, secrets, warnings } = outcome
  finish({
    title: outcomeTitle(outcome),
    pullRequest,
    notes: [
      ...(secrets === null
        ? []
        : [`${secrets.keys.join(', ')}: written to ${secrets.path}, version ${secrets.version}.`]),
      ...warnings.map(({ message }) => message),
      ...nextSteps(outcome, confirmers),
    ],
  })
}

interface ConfirmedStep {
  readonly name: string
  readonly environment: string
  /** Its lifecycle before. */
  readonly from: string | null
}

export function finishConfirmation(done: Confirmed, { name, environment, from }: ConfirmedStep) {
  if (done.status === 'lifecycle_pr_open') {
    const { pullRequest } = done
    finish({
      title: 'One more pull request is needed',
      pullRequest,
      notes: ['The default branch is protected: merge it to finish.'],
    })
    return
  }
  finish({
    title:
      done.status === 'confirmed'
        ? `${name} is in ${environment}`
        : `${name} was already in ${environment}`,
    pullRequest: null,
    notes: from === null ? [] : [`To undo, set its lifecycle back to ${from} in its file.`],
  })
}

export const finishRefused = (problem: Problem) =>
  finish({ title: problem.title, pullRequest: null, notes: [], problem })

/** One line above the page, until it is closed or left. */
export function OutcomeLine() {
  const end = finished.value
  if (end === undefined || end.at !== page.value) return null
  const { title, pullRequest, notes, problem } = end
  if (problem !== undefined) return <ActProblem problem={problem} />
  return (
    <div class="notice" data-tone="ok" role="status">
      <Icon name="check" />
      <p>
        <b>{title}.</b>{' '}
        {pullRequest !== null && (
          <OutsideLink url={pullRequest.url}>Open #{pullRequest.number}</OutsideLink>
        )}{' '}
        {notes.join(' ')}
      </p>
      <Act icon="close" look="quiet" name="Dismiss" onClick={() => (finished.value = undefined)} />
    </div>
  )
}
