import { type Static, type TSchema, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { lazily } from '../../../concurrency/lazily.ts'
import { Nullable } from '../../../schema/nullable.ts'
import { isObject } from '../../../text/json.ts'
import type { VaultAnswer } from './api/client.ts'

/** The next version must be exact as a number too. */
const Version = Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER - 1 })

/** The keys of an entry: with 200 it is present, with 404 its version is deleted or destroyed. */
export const readSubkeys = dataReader(
  Type.Object({
    metadata: Type.Object({
      version: Version,
      custom_metadata: Type.Optional(Nullable(Type.Record(Type.String(), Type.String()))),
    }),
    /** `null`: a deleted version, or one that was written as `null`. */
    subkeys: Nullable(Type.Record(Type.String(), Type.Unknown())),
  }),
)

/** The version of an entry: the new one after a write, with 404 the deleted or destroyed one that a patch has met. */
export const readVersion = dataReader(Type.Object({ version: Version }))

/** Capabilities by path. */
export const readCapabilities = dataReader(Type.Record(Type.String(), Type.Array(Type.String())))

export const readMount = dataReader(
  Type.Object({
    path: Type.String(),
    type: Type.String(),
    options: Nullable(Type.Record(Type.String(), Type.String())),
  }),
)

/** A 404 for a path without any version. Every other 404 has a text or data. */
export const isNeverWritten = ({ status, json }: VaultAnswer): boolean =>
  status === 404 &&
  (json === undefined ||
    (isObject(json) && Array.isArray(json['errors']) && json['errors'].length === 0))

/** Reads the member `data` of an answer; `undefined` when it is not as documented. */
function dataReader<Schema extends TSchema>(schema: Schema) {
  const check = lazily(() => Compile(schema))
  return ({ json }: Pick<VaultAnswer, 'json'>): Static<Schema> | undefined => {
    const data = isObject(json) ? json['data'] : undefined
    return check().Check(data) ? data : undefined
  }
}
