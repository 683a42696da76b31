import type { Problem } from '../api/result.ts'

/** Asking twice is safe everywhere: an act that was done is found, not repeated. */
const AGAIN = 'You can safely try again.'

/** Their details are about pages, which ask again by themselves, or about JSON. */
const OWN_WORDS: readonly Problem['code'][] = ['unreachable', 'nothing_to_change']

/** The problem of an act, with what to do about it. The form keeps what was typed. */
export function withAdvice(problem: Problem): Problem {
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
