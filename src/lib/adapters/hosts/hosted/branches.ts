import { Type } from 'typebox'
import { BranchName, ObjectId, type RepositoryId } from '../../../names.ts'
import { BRANCHES_MAX, type GitFailure, type Head } from '../../../ports/git-host.ts'
import { err, ok, type Result } from '../../../result.ts'
import { named } from '../../../schema/named.ts'
import { answerReader } from './api/answer-reader.ts'
import { apiPath, hostError, type HostClient, isUncertain, messageOf } from './api/client.ts'
import { defaultBranchOf, type KnownRepositories, notFound, pathOf } from './known-repositories.ts'

const HEADS = 'refs/heads/'
/** GitHub and Gitea answer with all refs at once; a host that has pages gives 30 or more on each. */
const REF_PAGES_MAX = 40

const readRefs = answerReader(
  'refs',
  Type.Array(Type.Object({ ref: Type.String(), object: Type.Object({ sha: named(ObjectId) }) })),
)

export interface RefPaths {
  /** Path of one ref, without `/heads/…`. */
  readonly one: string
  /** Path of the refs that begin with a prefix. */
  readonly many: string
  /** Path of a branch that can be deleted. */
  readonly removable: string
}

export type Branches = ReturnType<typeof createBranches>

/** Branches, from git's refs. */
export function createBranches(
  client: Pick<HostClient, 'read' | 'readPages' | 'write'>,
  known: KnownRepositories,
  { one, many, removable }: RefPaths,
) {
  /** `null`: no such branch, or no such repository. */
  async function tipOf(
    repository: RepositoryId,
    branch: BranchName,
  ): Promise<Result<ObjectId | null, GitFailure>> {
    const answer = await client.read(`${pathOf(repository)}${one}${apiPath`/heads/${branch}`}`)
    if (!answer.ok) return answer
    const { status, json } = answer.value
    // 409: a repository without a commit.
    if (status === 404 || status === 409) return ok(null)
    if (status !== 200) return err(await known.missing(repository, answer.value, 'branch'))
    // Hosts that find refs by their beginning answer with several, or with another one.
    const tips = tipsOf(Array.isArray(json) ? json : [json])
    return tips.ok ? ok(tips.value.get(branch) ?? null) : tips
  }

  /** Names of the branches that begin with `prefix`, sorted. Also of a repository that is being made. */
  async function startingWith(
    repository: RepositoryId,
    prefix: string,
  ): Promise<Result<readonly BranchName[], GitFailure>> {
    // A path cannot end with a slash; the answers are filtered.
    const above = prefix.replace(/\/+$/, '')
    if (above !== '' && BranchName.parse(`${above}x`) === undefined) return ok([])
    const path = above === '' ? '/heads' : apiPath`/heads/${above}`
    const pages = await client.readPages(`${pathOf(repository)}${many}${path}`, {
      pagesMax: REF_PAGES_MAX,
    })
    if (!pages.ok) return pages
    if (pages.value.kind === 'refused') {
      const missing = await known.missing(repository, pages.value.answer, 'branch')
      return isNoBranch(missing) ? ok([]) : err(missing)
    }
    const tips = tipsOf(pages.value.items)
    if (!tips.ok) return tips
    const names = [...tips.value.keys()]
      .filter((name) => name.startsWith(prefix))
      .map((name) => BranchName.parse(name))
      .filter((name) => name !== undefined)
    return ok(names.toSorted(byText))
  }

  async function list(
    repository: RepositoryId,
    prefix: string,
  ): Promise<Result<readonly BranchName[], GitFailure>> {
    const complete = await known.requireComplete(repository)
    if (!complete.ok) return complete
    const names = await startingWith(repository, prefix)
    return names.ok ? ok(names.value.slice(0, BRANCHES_MAX)) : names
  }

  async function headOf(
    repository: RepositoryId,
    branch: BranchName,
  ): Promise<Result<Head, GitFailure>> {
    const commit = await tipOf(repository, branch)
    if (!commit.ok) return commit
    return commit.value === null
      ? err(await known.absent(repository, 'branch'))
      : ok({ branch, commit: commit.value })
  }

  async function headOfDefault(repository: RepositoryId): Promise<Result<Head, GitFailure>> {
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

  /** Refs are files: `a` is in the way of `a/b`, and the other way round. */
  async function blockerOf(
    repository: RepositoryId,
    branch: BranchName,
  ): Promise<Result<BranchName | null, GitFailure>> {
    const parts = branch.split('/')
    for (const length of parts.keys().drop(1)) {
      const above = BranchName.of(parts.slice(0, length).join('/'))
      const tip = await tipOf(repository, above)
      if (!tip.ok) return tip
      if (tip.value !== null) return ok(above)
    }
    const below = await list(repository, `${branch}/`)
    return below.ok ? ok(below.value[0] ?? null) : below
  }

  return {
    tipOf,
    list,
    startingWith,
    blockerOf,

    /** The hosts delete without a condition, so that the branch is read right before. */
    async remove(
      repository: RepositoryId,
      { branch, commit }: Head,
    ): Promise<Result<void, GitFailure>> {
      const before = await tipOf(repository, branch)
      if (!before.ok) return before
      if (before.value === null) {
        const complete = await known.requireComplete(repository)
        return complete.ok ? ok(undefined) : complete
      }
      if (before.value !== commit) return err({ kind: 'git_conflict', branch })
      const path = `${pathOf(repository)}${removable}${apiPath`/${branch}`}`
      const answer = await client.write('DELETE', path)
      if (answer.ok && answer.value.status === 204) return ok(undefined)
      if (!answer.ok && !isUncertain(answer.error)) return answer
      const after = await tipOf(repository, branch)
      if (after.ok && after.value === null) return ok(undefined)
      if (!answer.ok) return answer
      return after.ok ? hostError(`refused to delete ${branch}: ${messageOf(answer.value)}`) : after
    },

    /** The last commit of a branch, by default of the default branch. */
    async head(repository: RepositoryId, branch?: BranchName): Promise<Result<Head, GitFailure>> {
      if (branch === undefined) return headOfDefault(repository)
      const complete = await known.requireComplete(repository)
      return complete.ok ? headOf(repository, branch) : complete
    },
  }
}

/** Commits of the branches in a list of refs, by name. */
function tipsOf(list: unknown): Result<ReadonlyMap<string, ObjectId>, GitFailure> {
  const refs = readRefs({ json: list })
  if (!refs.ok) return refs
  const heads = refs.value.filter(({ ref }) => ref.startsWith(HEADS))
  return ok(new Map(heads.map(({ ref, object }) => [ref.slice(HEADS.length), object.sha])))
}

const isNoBranch = (failure: GitFailure): boolean =>
  failure.kind === 'git_not_found' && failure.what === 'branch'

const byText = (one: string, other: string) => (one < other ? -1 : Number(one > other))
