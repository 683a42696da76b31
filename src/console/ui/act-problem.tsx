import type { Problem } from '../api/result.ts'
import { signInUrl } from '../api/session.ts'
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

/** Asking twice is safe everywhere: an act that was done is found, not repeated. */
const AGAIN = 'You can safely try again.'

/** Their details are about pages, which ask again by themselves, or about JSON. */
const OWN_WORDS: readonly Problem['code'][] = ['unreachable', 'nothing_to_change']

/** The problem of an act, with what to do about it. The form keeps what was typed. */
function withAdvice(problem: Problem): Problem {
  const advice = adviceOn(problem)
  if (advice === undefined) return problem
  const detail = OWN_WORDS.includes(problem.code) ? undefined : problem.detail
  return { ...problem, detail: [detail && asSentence(detail), advice].filter(Boolean).join(' ') }
}

const asSentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`)

function adviceOn({ code, status, required, keys, retryAfter }: Problem): string | undefined {
  if (status === 401) return 'Your input is kept: sign in, come back to this tab and try again.'
  if (code === 'nothing_to_change') return 'Change a value first.'
  if (code === 'unreachable') return `The connection or the service is down. ${AGAIN}`
  if (code === 'forbidden' && required !== undefined) return `Needs ${required.join(' or ')}.`
  if (code === 'secret_exists') {
    return `Overwrite ${keys?.join(', ') ?? 'them'}, or use other names.`
  }
  if (retryAfter !== undefined) {
    return `Try again in ${retryAfter} ${retryAfter === 1 ? 'second' : 'seconds'}.`
  }
  return status >= 500 ? AGAIN : undefined
}
