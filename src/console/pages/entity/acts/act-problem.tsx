import type { Problem } from '../../../api/result.ts'
import { signInUrl } from '../../../api/session.ts'
import { ProblemNote } from '../../../ui/parts.tsx'
import { withAdvice } from './act-words.ts'

/** What went wrong with an act. People sign in in another tab, so that the form stays as it is. */
export const ActProblem = ({ problem }: { readonly problem: Problem }) => (
  <>
    <ProblemNote problem={withAdvice(problem)} />
    {problem.status === 401 && (
      <p>
        <a href={signInUrl()} target="_blank" rel="noopener">
          Sign in again, in a new tab
        </a>
      </p>
    )}
  </>
)
