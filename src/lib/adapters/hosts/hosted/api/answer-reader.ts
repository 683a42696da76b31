import { type Static, type TSchema, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { lazily } from '../../../../concurrency/lazily.ts'
import { ok, type Result } from '../../../../result.ts'
import { Nullable } from '../../../../schema/nullable.ts'
import { type Answer, type HostError, hostError } from './client.ts'

/** A member that may be missing or `null`. */
export const Maybe = <Schema extends TSchema>(schema: Schema) => Type.Optional(Nullable(schema))

/** Checks the members of an answer that are read. `subject` names the answer in the log. */
export const answerReader = <Schema extends TSchema>(subject: string, schema: Schema) => {
  const check = lazily(() => Compile(schema))
  return ({ json }: Pick<Answer, 'json'>): Result<Static<Schema>, HostError> =>
    check().Check(json)
      ? ok(json)
      : hostError(`gave an answer for ${subject} that is not as documented`)
}
