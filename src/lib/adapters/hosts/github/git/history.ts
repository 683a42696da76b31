import type { ObjectId, RepositoryId } from '../../../../names.ts'
import type { Commit, CommitRange, GitFailure } from '../../../../ports/git-host.ts'
import { err, ok, type Result } from '../../../../result.ts'
import { apiPath } from '../../hosted/api/client.ts'
import { readComparison } from '../api/answers.ts'
import type { GitHub } from '../github.ts'
import { pathOf } from '../../hosted/known-repositories.ts'
import { readCommitAt } from './trees.ts'

const PER_PAGE = 100

/** GitHub compares from the common ancestor on, oldest commit first: the newest ones are on the last pages. */
export async function listCommits(
  github: GitHub,
  repository: RepositoryId,
  { of, without, limit }: CommitRange,
): Promise<Result<readonly Commit[], GitFailure>> {
  const complete = await github.known.requireComplete(repository)
  if (!complete.ok) return complete
  const first = await comparePage(github, repository, { of, without }, 1)
  if (!first.ok) return first
  if (first.value === null) return listUnrelated(github, repository, { of, without, limit })
  const { total, commits } = first.value
  if (commits.length >= total) return ok(newest(commits, limit))

  const last: Commit[] = []
  const lastPage = Math.ceil(total / PER_PAGE)
  for (let page = lastPage; page > 1 && last.length < limit; page -= 1) {
    const part = await comparePage(github, repository, { of, without }, page)
    if (!part.ok) return part
    last.unshift(...(part.value?.commits ?? []))
  }
  return ok(newest(last.length < limit ? [...commits, ...last] : last, limit))
}

const newest = (oldestFirst: readonly Commit[], limit: number) =>
  oldestFirst.toReversed().slice(0, limit)

type Ends = Pick<CommitRange, 'of' | 'without'>

interface ComparedPage {
  readonly total: number
  readonly commits: readonly Commit[]
}

/** `null`: 404, for an unknown commit and for two without a common ancestor. */
async function comparePage(
  { client, known }: GitHub,
  repository: RepositoryId,
  { of, without }: Ends,
  page: number,
): Promise<Result<ComparedPage | null, GitFailure>> {
  const range = `${without}...${of}`
  const answer = await client.read(`${pathOf(repository)}${apiPath`/compare/${range}`}`, {
    query: { per_page: PER_PAGE, page },
  })
  if (!answer.ok) return answer
  if (answer.value.status === 404) return ok(null)
  if (answer.value.status !== 200)
    return err(await known.missing(repository, answer.value, 'commit'))
  const read = readComparison(answer.value)
  if (!read.ok) return read
  return ok({ total: read.value.total_commits, commits: read.value.commits.map(toCommit) })
}

interface CommitItem {
  readonly sha: ObjectId
  readonly commit: { readonly message: string }
  readonly parents: readonly { readonly sha: ObjectId }[]
}

const toCommit = ({ sha, commit: { message }, parents }: CommitItem): Commit => ({
  id: sha,
  message,
  parents: parents.map((parent) => parent.sha),
})

/** Commits of one history, when the other shares none with it: from the tip on, along the parents. */
async function listUnrelated(
  github: GitHub,
  repository: RepositoryId,
  { of, without, limit }: CommitRange,
): Promise<Result<readonly Commit[], GitFailure>> {
  const other = await readCommitAt(github, repository, without)
  if (!other.ok) return other
  const commits: Commit[] = []
  const ids = new Set([of])
  // Iterates over the parents that are added meanwhile as well.
  for (const id of ids) {
    if (commits.length === limit) break
    const read = await readCommitAt(github, repository, id)
    if (!read.ok) return read
    const parents = read.value.parents.map(({ sha }) => sha)
    commits.push({ id, message: read.value.message, parents })
    for (const parent of parents) ids.add(parent)
  }
  return ok(commits)
}
