import { type Static, Type } from 'typebox'
import { ObjectId } from '../../../../names.ts'
import { named } from '../../../../schema/named.ts'
import { answerReader } from '../../hosted/api/answer-reader.ts'

/** Answers of GitHub's REST API, version 2022-11-28, with the members that are read. */

const Id = named(ObjectId)
export const readAccount = answerReader(
  'an account',
  Type.Object({ login: Type.String(), type: Type.String() }),
)

export const readBranch = answerReader(
  'a branch',
  Type.Object({ protected: Type.Optional(Type.Boolean()) }),
)

/** A git commit. */
const Commit = Type.Object({
  sha: Id,
  message: Type.String(),
  tree: Type.Object({ sha: Id }),
  parents: Type.Array(Type.Object({ sha: Id })),
})
export type CommitAnswer = Static<typeof Commit>
export const readCommit = answerReader('a commit', Commit)

export const readTree = answerReader(
  'a tree',
  Type.Object({
    sha: Type.String(),
    truncated: Type.Optional(Type.Boolean()),
    tree: Type.Array(
      Type.Object({
        path: Type.String(),
        mode: Type.String(),
        sha: Type.String(),
        size: Type.Optional(Type.Integer({ minimum: 0 })),
      }),
    ),
  }),
)

/** An object that was made. */
export const readCreated = answerReader('a new object', Type.Object({ sha: Id }))

const CommitItem = Type.Object({
  sha: Id,
  commit: Type.Object({ message: Type.String() }),
  parents: Type.Array(Type.Object({ sha: Id })),
})
export const readComparison = answerReader(
  'a comparison',
  Type.Object({
    status: Type.Optional(Type.String()),
    total_commits: Type.Integer({ minimum: 0 }),
    commits: Type.Array(CommitItem),
  }),
)
