import { Type } from 'typebox'
import { type BranchName, ObjectId, type RepositoryId } from '../../../names.ts'
import type { GitAnswer, GitResult, Head } from '../../../ports/git-host.ts'
import { err, ok } from '../../../result.ts'
import { named } from '../../../schema/named.ts'
import { answerReader } from './api/answer-reader.ts'
import { type Answer, apiPath, type HostClient } from './api/client.ts'
import { defaultBranchOf, type KnownRepositories, notFound, pathOf } from './known-repositories.ts'

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

  async function headOf(repository: RepositoryId, branch: BranchName): GitAnswer<Head> {
    const commit = await tipOf(repository, branch)
    if (!commit.ok) return commit
    return commit.value === null
      ? err(await known.absent(repository, 'branch'))
      : ok({ branch, commit: commit.value })
  }

  async function headOfDefault(repository: RepositoryId): GitAnswer<Head> {
    const facts = await known.recent(repository)
    const branch = facts.ok ? defaultBranchOf(facts.value) : facts
    if (!branch.ok) return branch
    const commit = await tipOf(repository, branch.value)
    if (!commit.ok) return commit
    if (commit.value !== null) return ok({ branch: branch.value, commit: commit.value })
    const factsNow = await known.now(repository)
    const branchNow = factsNow.ok ? defaultBranchOf(factsNow.value) : factsNow
    if (!branchNow.ok) return branchNow
    return branchNow.value === branch.value
      ? notFound('branch')
      : headOf(repository, branchNow.value)
  }

  return {
    tipOf,

    /** The last commit of a branch, by default of the default branch. */
    async head(repository: RepositoryId, branch?: BranchName): GitAnswer<Head> {
      if (branch === undefined) return headOfDefault(repository)
      const complete = await known.requireComplete(repository)
      return complete.ok ? headOf(repository, branch) : complete
    },
  }
}
