import { lazily } from '../../../concurrency/lazily.ts'
import { err, ok, type Result } from '../../../result.ts'

/** A value of 200 characters takes up to 70 ms with the slowest pattern of that size; one of a name or a domain has 10 to 1,200. */
const INSTRUCTIONS_MAX = 2_000

/** The engine takes 8 MB: only a template with a pattern loads it. */
const loadEngine = lazily(() => import('re2js'))

export interface Pattern {
  /** Whether it is found anywhere in a text, in time linear in both. */
  readonly test: (text: string) => boolean
}

/**
 * Compiles a pattern of a template in the syntax of RE2, which has no look-around and no back-references and limits repetitions, so that
 * no pattern can stall the process. A failure is the reason, which quotes nothing.
 */
export async function compilePattern(source: string): Promise<Result<Pattern, string>> {
  const { RE2JS, RE2JSException } = await loadEngine()
  try {
    const compiled = RE2JS.compile(source)
    if (compiled.programSize() > INSTRUCTIONS_MAX) return err(TOO_LARGE)
    return ok({ test: (text) => compiled.test(text) })
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error
    const reason = error.message.replace(QUOTATION, '').replace('error parsing regexp: ', '')
    return err(`is not a pattern of RE2: ${reason}`)
  }
}

const TOO_LARGE = 'takes too long: its repetitions within repetitions are too many, or too large'
const QUOTATION = /: `.*$/s
