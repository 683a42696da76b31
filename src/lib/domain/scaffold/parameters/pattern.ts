import { lazily } from '../../../concurrency/lazily.ts'
import { err, ok, type Result } from '../../../result.ts'

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
    return ok({ test: (text) => compiled.test(text) })
  } catch (error) {
    if (!(error instanceof RE2JSException)) throw error
    return err(error.message.replace(QUOTATION, '').replace('error parsing regexp: ', ''))
  }
}

const QUOTATION = /: `.*$/s
