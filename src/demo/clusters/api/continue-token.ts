import { Type } from 'typebox'
import { Value } from 'typebox/value'
import { ok } from '../../../lib/result.ts'
import { parseJson } from '../../../lib/text/json.ts'
import { badRequest, type Outcome } from './refusal.ts'

/** Start of the next page of a list: the last key of this page, and the version of the cluster. */
export interface ListPosition {
  readonly version: number
  readonly after: string
}

const Token = Type.Object({
  v: Type.Literal('meta.k8s.io/v1'),
  rv: Type.Integer({ minimum: 0 }),
  start: Type.String({ minLength: 1 }),
})

/** Opaque to clients. */
export const toToken = ({ version, after }: ListPosition): string =>
  Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', rv: version, start: after })).toString(
    'base64url',
  )

export function parseToken(token: string): Outcome<ListPosition> {
  const read = parseJson(Buffer.from(token, 'base64url').toString('utf8'))
  if (!Value.Check(Token, read))
    return badRequest('invalid continue token: continue key is not valid: it is no token of a list')
  return ok({ version: read.rv, after: read.start })
}
