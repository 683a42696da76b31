import type { Static, TSchema } from 'typebox'
import { createFair } from '../../../concurrency/fair.ts'
import { answerReader } from './api/answer-reader.ts'
import type { HostClient, ReadOptions } from './api/client.ts'

/** Requests at a time. */
const PARALLEL = 8

/** Readers of what a host need not tell: any answer but a success as documented is `null`. */
export function toldBy(client: Pick<HostClient, 'read'>) {
  const { inTurn } = createFair({ queue: 'git_host', permits: PARALLEL, isElsewhere: true })
  return <Schema extends TSchema>(subject: string, schema: Schema) => {
    const check = answerReader(subject, schema)
    return (path: string, query?: ReadOptions['query']): Promise<Static<Schema> | null> =>
      inTurn(async () => {
        const answer = await client.read(path, query && { query })
        const read = answer.ok && answer.value.status === 200 ? check(answer.value) : null
        return read?.ok === true ? read.value : null
      })
  }
}

/** Words of a host by the outcome that they stand for. `undefined`: the host says none. */
export type Outcomes<Outcome> = readonly (readonly [Outcome, readonly (string | undefined)[]])[]

/** `null`: the word is unknown. */
export const outcomeOf = <Outcome>(
  outcomes: Outcomes<Outcome>,
  word: string | undefined,
): Outcome | null => outcomes.find(([, words]) => words.includes(word))?.[0] ?? null
