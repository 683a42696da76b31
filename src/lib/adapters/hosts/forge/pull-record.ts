import { type Static, Type } from 'typebox'
import { Value } from 'typebox/value'
import { parseJson } from '../../../text/json.ts'
import { BranchName, ObjectId } from '../../../names.ts'
import { named } from '../../../schema/named.ts'
import { Nullable } from '../../../schema/nullable.ts'

/** Milliseconds since the Unix epoch. */
const Time = Type.Integer()
/** Name of the person; `null` when a change to the branches ended the pull request. */
const Closer = Nullable(Type.String())

/** An approval counts as long as `head` is the last commit. */
const Approval = Type.Object({
  issuer: Type.String(),
  subject: Type.String(),
  name: Type.String(),
  head: named(ObjectId),
  at: Time,
})

const State = Type.Union([
  Type.Object({ kind: Type.Literal('open') }),
  Type.Object({ kind: Type.Literal('merged'), at: Time, commit: named(ObjectId), by: Closer }),
  Type.Object({ kind: Type.Literal('closed'), at: Time, by: Closer }),
])

const Record = Type.Object({
  version: Type.Literal(1),
  title: Type.String(),
  body: Type.String(),
  author: Type.Object({ name: Type.String(), email: Type.String() }),
  head: named(BranchName),
  base: named(BranchName),
  /** Tip of the base at the opening: the diff starts there once the base contains the change. */
  openedOn: named(ObjectId),
  createdAt: Time,
  state: State,
  approvals: Type.Optional(Type.Array(Approval)),
})

/** The part of a pull request that git's own objects do not hold: the blob at `refs/portico/pulls/<number>`. */
export type PullRecord = Static<typeof Record>
export type PullState = Static<typeof State>

export function parseRecord(bytes: Uint8Array): PullRecord | undefined {
  const record = parseJson(new TextDecoder().decode(bytes))
  return Value.Check(Record, record) ? record : undefined
}
