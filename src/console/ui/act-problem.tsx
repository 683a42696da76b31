import { signInUrl } from '../api/session.ts'
import { withAdvice } from './act-words.ts'
import { ProblemNote, type ProblemNoteProps } from './parts.tsx'

/** The reason for which an act failed. People sign in in another tab, so that the form stays as it is. */
export const ActProblem = ({ problem, retry }: Pick<ProblemNoteProps, 'problem' | 'retry'>) => (
  <>
    <ProblemNote problem={withAdvice(problem)} retry={retry} />
    {problem.status === 401 && (
      <p>
        <a href={signInUrl()} target="_blank" rel="noopener">
          Sign in again, in a new tab
        </a>
      </p>
    )}
  </>
)
