import { createInterface } from 'node:readline/promises'

export interface Questions extends Disposable {
  /** Rejects with the failure when the input ends without an answer. */
  ask(question: string): Promise<string>
}

/** Questions to the person, beside standard output. */
export function openQuestions(unanswered: Error): Questions {
  const terminal = createInterface({ input: process.stdin, output: process.stderr })
  // A question is never answered when its input ends.
  const ended = new Promise<never>((_, reject) => {
    terminal.once('close', () => reject(unanswered))
  })
  ended.catch(() => undefined)
  return {
    ask: async (question) => (await Promise.race([terminal.question(question), ended])).trim(),
    [Symbol.dispose]: () => terminal.close(),
  }
}
