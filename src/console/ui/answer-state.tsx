import type { ComponentChildren } from 'preact'
import type { Problem } from '../api/result.ts'
import { Loading, ProblemNote } from './parts.tsx'

export interface AnswerStateProps {
  readonly answer: {
    readonly value: unknown
    readonly problem: Problem | undefined
    /** A watched list asks again by itself. */
    readonly reload?: () => unknown
  }
  /** Said while nothing is there yet, by default that it is loading. */
  readonly children?: ComponentChildren
}

/** A panel that waits for its answer says so, and why it has none or an old one. */
export function AnswerState({ answer: { value, problem, reload }, children }: AnswerStateProps) {
  if (problem !== undefined) {
    return <ProblemNote problem={problem} retry={reload} isStale={value !== undefined} />
  }
  return value === undefined ? <Loading>{children ?? 'Loading…'}</Loading> : null
}
