import { BRANCHES_MAX, type GitFailure, type Head } from '../../../ports/git-host.ts'
import { BranchName, type ObjectId, type RepositoryId } from '../../../names.ts'
import { err, ok, type Result } from '../../../result.ts'
import { apiPath } from '../hosted/client.ts'
import { readRefs } from './answers.ts'
import type { GitHub } from './github.ts'
import { notFound, pathOf } from './known-repositories.ts'

const HEADS = 'refs/heads/'
/** GitHub answers with all refs at once; a host that has pages gives 30 or more on each. */
const REF_PAGES_MAX = 40

/** The last commit of a branch, by default of the default branch. */
export async function readHead(
  github: GitHub,
  repository: RepositoryId,
  branch?: BranchName,
): Promise<Result<Head, GitFailure>> {
  const { known } = github
  if (branch !== undefined) {
    const complete = await known.requireComplete(repository)
    return complete.ok ? headOf(github, repository, branch) : complete
  }
  const remembered = await known.defaultBranch(repository)
  if (!remembered.ok) return remembered
  const head = await headOf(github, repository, remembered.value)
  if (head.ok || head.error.kind !== 'git_not_found' || head.error.what !== 'branch') return head
  const current = await known.defaultBranchNow(repository)
  if (!current.ok || current.value === remembered.value) return current.ok ? head : current
  return headOf(github, repository, current.value)
}

async function headOf(
  github: GitHub,
  repository: RepositoryId,
  branch: BranchName,
): Promise<Result<Head, GitFailure>> {
  const tip = await readTip(github, repository, branch)
  if (!tip.ok) return tip
  return tip.value === null ? notFound('branch') : ok({ branch, commit: tip.value })
}

/** The commit of a branch; `null`: there is no such branch in an existing repository. */
export async function readTip(
  { client, known }: GitHub,
  repository: RepositoryId,
  branch: BranchName,
): Promise<Result<ObjectId | null, GitFailure>> {
  const answer = await client.read(`${pathOf(repository)}${apiPath`/git/ref/heads/${branch}`}`)
  if (!answer.ok) return answer
  if (answer.value.status !== 200) {
    const missing = await known.missing(repository, answer.value, 'branch')
    const isBranch = missing.kind === 'git_not_found' && missing.what === 'branch'
    return isBranch ? ok(null) : err(missing)
  }
  // Servers that find refs by their beginning answer with another ref, or with several.
  const { json } = answer.value
  const refs = readRefs({ json: Array.isArray(json) && json.length > 0 ? json : [json] })
  if (!refs.ok) return refs
  const exact = refs.value.find(({ ref }) => ref === `${HEADS}${branch}`)
  return ok(exact?.object.sha ?? null)
}

/** Names of the branches that begin with `prefix`, sorted. */
export async function listBranches(
  github: GitHub,
  repository: RepositoryId,
  prefix: string,
): Promise<Result<readonly BranchName[], GitFailure>> {
  const complete = await github.known.requireComplete(repository)
  if (!complete.ok) return complete
  const names = await readBranches(github, repository, prefix)
  return names.ok ? ok(names.value.slice(0, BRANCHES_MAX)) : names
}

/** Also of a repository that is being made. */
export async function readBranches(
  { client, known }: GitHub,
  repository: RepositoryId,
  prefix: string,
): Promise<Result<readonly BranchName[], GitFailure>> {
  // A path cannot end with a slash; the answers are filtered.
  const above = prefix.replace(/\/+$/, '')
  if (above !== '' && BranchName.parse(`${above}x`) === undefined) return ok([])
  const path =
    above === '' ? '/git/matching-refs/heads' : apiPath`/git/matching-refs/heads/${above}`
  const pages = await client.readPages(`${pathOf(repository)}${path}`, { pagesMax: REF_PAGES_MAX })
  if (!pages.ok) return pages
  const { status, items } = pages.value
  if (status !== 200) {
    const answer = { status, headers: new Headers(), json: undefined }
    return err(await known.missing(repository, answer, 'branch'))
  }
  const refs = readRefs({ json: items })
  if (!refs.ok) return refs
  const names = refs.value.flatMap(({ ref }) => {
    const name = ref.startsWith(HEADS) ? BranchName.parse(ref.slice(HEADS.length)) : undefined
    return name?.startsWith(prefix) === true ? [name] : []
  })
  return ok(names.toSorted(byText))
}

const byText = (one: string, other: string) => (one < other ? -1 : Number(one > other))
