import { Type } from 'typebox'
import { type BranchName, ObjectId, type RepositoryId } from '../../../names.ts'
import type { GitAnswer, GitResult, Head } from '../../../ports/git-host.ts'
import { err, ok } from '../../../result.ts'
import { named } from '../../../schema/named.ts'
import { answerReader } from './api/answer-reader.ts'
import { type Answer, apiPath, type HostClient } from './api/client.ts'
import {
  defaultBranchOf,
  isAbsent,
  type KnownRepositories,
  notFound,
  pathOf,
  type RepositoryAnswer,
} from './known-repositories.ts'

const HEADS = 'refs/heads/'

const readRefs = answerReader(
  'refs',
  Type.Array(Type.Object({ ref: Type.String(), object: Type.Object({ sha: named(ObjectId) }) })),
)

export type Branches = ReturnType<typeof createBranches>

/** How a host answers for one branch. */
export interface BranchApi {
  readonly pathOf: (repository: RepositoryId, branch: BranchName) => string
  /** The last commit. `null`: the answer has other branches. */
  readonly read: (answer: Answer, branch: BranchName) => GitResult<ObjectId | null>
}

/** Refs by the API of GitHub and Gitea. `refPath`: path of one ref, without `/heads/…`. */
export const refApi = (refPath: string): BranchApi => ({
  pathOf: (repository, branch) => `${pathOf(repository)}${refPath}${apiPath`/heads/${branch}`}`,
  read({ json }, branch) {
    // Hosts that find refs by their beginning answer with several, or with another one.
    const refs = readRefs({ json: Array.isArray(json) ? json : [json] })
    if (!refs.ok) return refs
    return ok(refs.value.find(({ ref }) => ref === `${HEADS}${branch}`)?.object.sha ?? null)
  },
})

/** Last commits of branches, by the API: a kept connection and an ETag answer sooner than a program of git. */
export function createBranches(
  client: Pick<HostClient, 'read'>,
  known: KnownRepositories,
  api: BranchApi,
) {
  /** `null`: no such branch, or no such repository. */
  async function tipOf(repository: RepositoryId, branch: BranchName): GitAnswer<ObjectId | null> {
    const answer = await client.read(api.pathOf(repository, branch))
    if (!answer.ok) return answer
    const { status } = answer.value
    // 409: a repository without a commit.
    if (status === 404 || status === 409) return ok(null)
    if (status !== 200) return err(await known.missing(repository, answer.value, 'branch'))
    return api.read(answer.value, branch)
  }

  /** The last commit of a branch, by default of the one that a description of the repository names. */
  async function headOf(
    repository: RepositoryId,
    facts: RepositoryAnswer,
    branch: GitResult<BranchName> = defaultBranchOf(facts),
  ): GitAnswer<Head> {
    if (!branch.ok) return branch
    const commit = await tipOf(repository, branch.value)
    if (!commit.ok) return commit
    return commit.value === null
      ? notFound('branch')
      : ok({ branch: branch.value, commit: commit.value })
  }

  return {
    tipOf,
    headOf,

    /** The last commit of a branch, by default of the default branch. */
    async head(repository: RepositoryId, branch?: BranchName): GitAnswer<Head> {
      const named = branch === undefined ? undefined : ok(branch)
      const facts = await (named ? known.requireComplete(repository) : known.recent(repository))
      if (!facts.ok) return facts
      const found = await headOf(repository, facts.value, named)
      if (found.ok || !isAbsent(found.error, 'branch')) return found
      // The repository may be gone as well, or have another default branch.
      const now = await known.now(repository)
      if (!now.ok) return now
      const isMoved = now.value.default_branch !== facts.value.default_branch
      return isMoved && branch === undefined ? headOf(repository, now.value) : found
    },
  }
}
