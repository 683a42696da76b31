import type { ComponentChildren } from 'preact'
import type { Resource } from '../api/resource.ts'
import { Loading, ProblemNote } from './parts.tsx'

export interface AnswerStateProps {
  readonly answer: Pick<Resource<unknown>, 'value' | 'problem' | 'reload'>
  /** Said while nothing is there yet. */
  readonly children: ComponentChildren
}

/** That a panel waits for its answer, or why it has none or an old one. */
export function AnswerState({ answer: { value, problem, reload }, children }: AnswerStateProps) {
  if (problem !== undefined) {
    return <ProblemNote problem={problem} retry={reload} isStale={value !== undefined} />
  }
  return value === undefined ? <Loading>{children}</Loading> : null
}
