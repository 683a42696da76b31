import type { Problem } from '../../../api/result.ts'
import { signInUrl } from '../../../api/session.ts'
import { ProblemNote } from '../../../ui/parts.tsx'
import { withAdvice } from './act-words.ts'
import { WORDS } from './words.ts'

export interface ActProblemProps {
  readonly problem: Problem
  readonly retry?: (() => unknown) | undefined
}

/** The reason for which an act failed. People sign in in another tab, so that the form stays as it is. */
export const ActProblem = ({ problem, retry }: ActProblemProps) => (
  <>
    <ProblemNote problem={withAdvice(problem)} retry={retry} />
    {problem.status === 401 && (
      <p>
        <a href={signInUrl()} target="_blank" rel="noopener">
          {WORDS.signInAgain}
        </a>
      </p>
    )}
  </>
)
