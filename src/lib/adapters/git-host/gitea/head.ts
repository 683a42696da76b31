import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { BranchName, ObjectId, type RepositoryId } from '../../../names.ts'
import { BRANCHES_MAX, type GitFailure, type Head } from '../../../ports/git-host.ts'
import { err, ok, type Result } from '../../../result.ts'
import { named } from '../../../schema/named.ts'
import { apiPath, hostError, refusalOf, type HostClient } from '../hosted/client.ts'
import { defaultBranchOf, type Facts } from './facts.ts'

const HEADS = 'refs/heads/'

const Refs = Compile(
  Type.Array(
    Type.Object({
      ref: Type.String(),
      object: Type.Object({ sha: named(ObjectId) }),
    }),
  ),
)

type Client = Pick<HostClient, 'read'>

/** Branches of complete repositories, from git itself: Gitea's list of branches lags behind pushes. */
export type Heads = ReturnType<typeof createHeads>

export function createHeads(client: Client, facts: Facts) {
  async function tipOf(
    repository: RepositoryId,
    branch: BranchName,
  ): Promise<Result<ObjectId | null, GitFailure>> {
    const refs = await readRefs(client, repository, branch)
    return refs.ok ? ok(refs.value.get(branch) ?? null) : refs
  }

  async function headOfDefault(repository: RepositoryId): Promise<Result<Head, GitFailure>> {
    const known = await facts.read(repository)
    if (!known.ok) return known
    const branch = defaultBranchOf(known.value)
    if (!branch.ok) return branch
    const commit = await tipOf(repository, branch.value)
    if (!commit.ok) return commit
    if (commit.value !== null) return ok({ branch: branch.value, commit: commit.value })
    return headOfChangedDefault(repository, branch.value)
  }

  /** After the remembered default branch turned out to be missing. */
  async function headOfChangedDefault(
    repository: RepositoryId,
    missing: BranchName,
  ): Promise<Result<Head, GitFailure>> {
    const now = await facts.readNow(repository)
    if (!now.ok) return now
    const branch = defaultBranchOf(now.value)
    if (!branch.ok) return branch
    const commit = branch.value === missing ? ok(null) : await tipOf(repository, branch.value)
    if (!commit.ok) return commit
    return commit.value === null
      ? err({ kind: 'git_not_found', what: 'branch' })
      : ok({ branch: branch.value, commit: commit.value })
  }

  return {
    /** `null`: there is no such branch. Does not ask whether the repository is complete. */
    tipOf,

    async read(repository: RepositoryId, branch?: BranchName): Promise<Result<Head, GitFailure>> {
      if (branch === undefined) return headOfDefault(repository)
      const complete = await facts.read(repository)
      if (!complete.ok) return complete
      const commit = await tipOf(repository, branch)
      if (!commit.ok) return commit
      return commit.value === null
        ? facts.missing(repository, 'branch')
        : ok({ branch, commit: commit.value })
    },

    async list(
      repository: RepositoryId,
      prefix: string,
    ): Promise<Result<readonly BranchName[], GitFailure>> {
      const complete = await facts.read(repository)
      if (!complete.ok) return complete
      const refs = await readRefs(client, repository, prefix)
      if (!refs.ok) return refs
      if (refs.value.size === 0) {
        const still = await facts.readNow(repository)
        if (!still.ok) return still
      }
      const names = [...refs.value.keys()].map((name) => BranchName.parse(name))
      const usable = names.filter((name) => name !== undefined)
      return ok(usable.toSorted(byBytes).slice(0, BRANCHES_MAX))
    },
  }
}

const byBytes = (one: string, other: string) => (one < other ? -1 : Number(one > other))

/** Branches whose names begin with the prefix. Gitea filters by prefix always, and answers 404 for none. */
async function readRefs(
  client: Client,
  { owner, name }: RepositoryId,
  prefix: string,
): Promise<Result<ReadonlyMap<string, ObjectId>, GitFailure>> {
  // A path cannot end in an empty segment; the names are filtered here in any case.
  const asked = prefix.replace(/\/+$/, '')
  const answer = await client.read(
    asked === ''
      ? apiPath`/repos/${owner}/${name}/git/refs/heads`
      : apiPath`/repos/${owner}/${name}/git/refs/heads/${asked}`,
  )
  if (!answer.ok) return answer
  const { status, json } = answer.value
  // 409: a repository without commits.
  if (status === 404 || status === 409) return ok(new Map())
  if (status !== 200) {
    const subject = {
      repository: `${owner}/${name}`,
      right: 'repository: read',
    }
    return err(refusalOf(answer.value, subject))
  }
  const refs = Array.isArray(json) ? json : [json]
  if (!Refs.Check(refs)) return hostError('a ref has unexpected members')
  const branches = refs
    .filter(({ ref }) => ref.startsWith(`${HEADS}${prefix}`))
    .map(({ ref, object }) => [ref.slice(HEADS.length), object.sha] as const)
  return ok(new Map(branches))
}
