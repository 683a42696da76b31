import { Type } from 'typebox'
import { Value } from 'typebox/value'
import { parseJson } from '../../../text/json.ts'
import { BranchName, ObjectId } from '../../../names.ts'
import { Nullable } from '../../../schema/nullable.ts'
import type { Author } from '../../../ports/git-host.ts'

/** What git itself does not know about a pull request: the blob at `refs/portico/pulls/<number>`. */
export interface PullRecord {
  readonly title: string
  readonly body: string
  readonly author: Author
  readonly head: BranchName
  readonly base: BranchName
  /** Where the base stood at the opening: what the change was proposed against, once the base contains it. */
  readonly openedOn: ObjectId
  /** Milliseconds since the Unix epoch. */
  readonly createdAt: number
  readonly state: PullState
}

export type PullState =
  | { readonly kind: 'open' }
  | {
      readonly kind: 'merged'
      readonly at: number
      readonly commit: ObjectId
      readonly by: string | null
    }
  | { readonly kind: 'closed'; readonly at: number; readonly by: string | null }

const Closer = Nullable(Type.String())
const Stored = Type.Object({
  version: Type.Literal(1),
  title: Type.String(),
  body: Type.String(),
  author: Type.Object({ name: Type.String(), email: Type.String() }),
  head: Type.String(),
  base: Type.String(),
  openedOn: Type.String(),
  createdAt: Type.Integer(),
  state: Type.Union([
    Type.Object({ kind: Type.Literal('open') }),
    Type.Object({
      kind: Type.Literal('merged'),
      at: Type.Integer(),
      commit: Type.String(),
      by: Closer,
    }),
    Type.Object({ kind: Type.Literal('closed'), at: Type.Integer(), by: Closer }),
  ]),
})

export const writeRecord = (record: PullRecord) => JSON.stringify({ version: 1, ...record })

export function parseRecord(bytes: Uint8Array): PullRecord | undefined {
  const stored = parseJson(new TextDecoder().decode(bytes))
  if (!Value.Check(Stored, stored)) return undefined
  const { title, body, author, createdAt, state } = stored
  const head = BranchName.parse(stored.head)
  const base = BranchName.parse(stored.base)
  const openedOn = ObjectId.parse(stored.openedOn)
  if (head === undefined || base === undefined || openedOn === undefined) return undefined
  const record = { title, body, author, head, base, openedOn, createdAt }
  if (state.kind !== 'merged') return { ...record, state }
  const commit = ObjectId.parse(state.commit)
  return commit && { ...record, state: { ...state, commit } }
}
