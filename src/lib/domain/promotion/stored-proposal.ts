import { Type } from 'typebox'
import { Value } from 'typebox/value'
import { AppName, BranchName, ObjectId, RepositoryPath, TeamName } from '../../names.ts'
import { parseJson } from '../../text/json.ts'
import type { Asker } from '../gitops/askers.ts'
import type { Move } from './move.ts'
import type { ProposalRequest } from './propose.ts'

/** A proposal in the database. Its files are text, and none of them holds a secret. */
const Stored = Type.Object({
  move: Type.Object({
    team: Type.String(),
    app: Type.String(),
    act: Type.Union([
      Type.Literal('promote'),
      Type.Literal('lifecycle'),
      Type.Literal('deprecate'),
    ]),
    environment: Type.String(),
  }),
  base: Type.Object({ branch: Type.String(), commit: Type.String() }),
  files: Type.Array(Type.Object({ path: Type.String(), text: Type.String() })),
  title: Type.String(),
  message: Type.String(),
  body: Type.String(),
  author: Type.Object({ name: Type.String(), email: Type.String() }),
  /** Rows of an older version have none. */
  askedBy: Type.Optional(Type.Object({ subject: Type.String(), name: Type.String() })),
})

export function writeProposal(proposal: ProposalRequest): string {
  const { move, base, files, title, message, body, author, askedBy } = proposal
  const { team, app, act, environment } = move
  const texts = (files(new Map()) ?? []).map(({ path, bytes }) => ({
    path,
    text: new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes),
  }))
  return JSON.stringify({
    move: { team, app, act, environment },
    base: { branch: base.branch, commit: base.commit },
    files: texts,
    title,
    message,
    body,
    author: { name: author.name, email: author.email },
    askedBy: { subject: askedBy.subject, name: askedBy.name },
  })
}

export interface StoredProposal extends Omit<
  ProposalRequest,
  'repository' | 'paths' | 'maxBytes' | 'askedBy'
> {
  readonly move: Move
  readonly askedBy?: Asker
}

/** Reads the text of `writeProposal`. `undefined` for any other text, such as that of a newer version. */
export function readProposal(content: string): StoredProposal | undefined {
  const stored = parseJson(content)
  if (!Value.Check(Stored, stored)) return undefined
  const { move, base, files, ...texts } = stored
  const team = TeamName.parse(move.team)
  const app = AppName.parse(move.app)
  const branch = BranchName.parse(base.branch)
  const commit = ObjectId.parse(base.commit)
  const written = files.flatMap(({ path: name, text }) => {
    const path = RepositoryPath.parse(name)
    const bytes = new TextEncoder().encode(text)
    return path === undefined ? [] : [{ kind: 'write' as const, path, bytes }]
  })
  const isWhole = written.length === files.length
  if (!team || !app || !branch || !commit || !isWhole) return undefined
  return { ...texts, move: { ...move, team, app }, base: { branch, commit }, files: () => written }
}
