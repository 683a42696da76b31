import { type Static, type TSchema, Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { lazily } from '../../../concurrency/lazily.ts'
import { ObjectId } from '../../../names.ts'
import { ok, type Result } from '../../../result.ts'
import { named } from '../../../schema/named.ts'
import { Nullable } from '../../../schema/nullable.ts'
import { type Answer, type HostError, hostError } from '../hosted/client.ts'

/** Answers of GitHub's REST API, version 2022-11-28, with the members that are read. */

const Id = named(ObjectId)
const Maybe = <Schema extends TSchema>(schema: Schema) => Type.Optional(Nullable(schema))

/** Reads an answer, whose subject is for the log. */
const reader = <Schema extends TSchema>(subject: string, schema: Schema) => {
  const check = lazily(() => Compile(schema))
  return ({ json }: Pick<Answer, 'json'>): Result<Static<Schema>, HostError> =>
    check().Check(json)
      ? ok(json)
      : hostError(`gave an answer for ${subject} that is not as documented`)
}

const Repository = Type.Object({
  name: Type.String(),
  owner: Type.Object({ login: Type.String() }),
  default_branch: Type.String(),
  html_url: Type.String(),
  clone_url: Type.Optional(Type.String()),
  description: Maybe(Type.String()),
  homepage: Maybe(Type.String()),
  created_at: Maybe(Type.String()),
})
export type RepositoryAnswer = Static<typeof Repository>
export const readRepository = reader('a repository', Repository)

export const readAccount = reader(
  'an account',
  Type.Object({ login: Type.String(), type: Type.String() }),
)

const Ref = Type.Object({
  ref: Type.String(),
  object: Type.Object({ sha: Id, type: Type.Optional(Type.String()) }),
})
export const readRefs = reader('refs', Type.Array(Ref))

export const readBranch = reader(
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
export const readCommit = reader('a commit', Commit)

export const readTree = reader(
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

export const readBlob = reader(
  'a blob',
  Type.Object({
    content: Type.String(),
    encoding: Type.Union([Type.Literal('base64'), Type.Literal('utf-8')]),
  }),
)

/** An object that was made. */
export const readCreated = reader('a new object', Type.Object({ sha: Id }))

const CommitItem = Type.Object({ sha: Id, commit: Type.Object({ message: Type.String() }) })
export const readComparison = reader(
  'a comparison',
  Type.Object({
    status: Type.Optional(Type.String()),
    total_commits: Type.Integer({ minimum: 0 }),
    commits: Type.Array(CommitItem),
  }),
)

const Side = Type.Object({
  ref: Type.String(),
  sha: Id,
  label: Maybe(Type.String()),
  repo: Maybe(Type.Object({ full_name: Type.String() })),
})
const Pull = Type.Object({
  number: Type.Integer({ minimum: 1 }),
  title: Type.String(),
  body: Maybe(Type.String()),
  html_url: Type.String(),
  state: Type.Union([Type.Literal('open'), Type.Literal('closed')]),
  head: Side,
  base: Side,
  user: Maybe(Type.Object({ login: Type.String() })),
  created_at: Type.String(),
  closed_at: Maybe(Type.String()),
  merged_at: Maybe(Type.String()),
  /** Absent from lists. */
  merged: Type.Optional(Type.Boolean()),
  merge_commit_sha: Maybe(Type.String()),
  /** Absent from lists; `null` until GitHub has computed it. */
  mergeable: Maybe(Type.Boolean()),
})
export type PullAnswer = Static<typeof Pull>
export const readPull = reader('a pull request', Pull)
export const readPulls = reader('pull requests', Type.Array(Pull))

const Release = Type.Object({
  tag_name: Type.String(),
  name: Maybe(Type.String()),
  body: Maybe(Type.String()),
  draft: Type.Boolean(),
  prerelease: Type.Boolean(),
  published_at: Maybe(Type.String()),
  assets: Type.Array(
    Type.Object({
      id: Type.Integer({ minimum: 0 }),
      name: Type.String(),
      size: Type.Integer({ minimum: 0 }),
      state: Type.Optional(Type.String()),
      digest: Maybe(Type.String()),
    }),
  ),
})
export type ReleaseAnswer = Static<typeof Release>
export const readReleases = reader('releases', Type.Array(Release))
