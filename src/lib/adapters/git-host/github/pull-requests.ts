import type { RepositoryId } from '../../../names.ts'
import type {
  GitFailure,
  NewPullRequest,
  PullRequest,
  PullRequestFilter,
} from '../../../ports/git-host.ts'
import { err, ok, type Result } from '../../../result.ts'
import { type Answer, apiPath, hostError, isUncertain, messageOf } from '../hosted/client.ts'
import { readPull, readPulls } from './answers.ts'
import type { GitHub } from './github.ts'
import { readTip } from './head.ts'
import { nameOf, notFound, pathOf } from './known-repositories.ts'
import { toPullRequest } from './pull-answer.ts'
import { gitHubRefusal } from './refusal.ts'

const LIMIT = 100
const PER_PAGE = 100
const PAGES_MAX = 50

export async function findPullRequests(
  github: GitHub,
  repository: RepositoryId,
  filter: PullRequestFilter,
): Promise<Result<readonly PullRequest[], GitFailure>> {
  const complete = await github.known.requireComplete(repository)
  if (!complete.ok) return complete
  return 'number' in filter
    ? findOne(github, repository, filter.number)
    : list(github, repository, filter)
}

async function findOne(
  { client, known }: GitHub,
  repository: RepositoryId,
  number: number,
): Promise<Result<readonly PullRequest[], GitFailure>> {
  const answer = await client.read(`${pathOf(repository)}${apiPath`/pulls/${number}`}`)
  if (!answer.ok) return answer
  if (answer.value.status !== 200) {
    const missing = await known.missing(repository, answer.value, 'branch')
    const isAbsent = missing.kind === 'git_not_found' && missing.what === 'branch'
    return isAbsent ? ok([]) : err(missing)
  }
  const read = readPull(answer.value)
  if (!read.ok) return read
  const pullRequest = toPullRequest(read.value, repository)
  return ok(pullRequest === null ? [] : [pullRequest])
}

async function list(
  { client, known }: GitHub,
  repository: RepositoryId,
  { head, base, state, limit = LIMIT }: Exclude<PullRequestFilter, { readonly number: number }>,
): Promise<Result<readonly PullRequest[], GitFailure>> {
  const matching = (items: readonly unknown[]): Result<readonly PullRequest[], GitFailure> => {
    const read = readPulls({ json: items })
    if (!read.ok) return read
    const found = read.value.flatMap((pull) => {
      const pullRequest = toPullRequest(pull, repository)
      if (pullRequest === null) return []
      const isMatch =
        (head === undefined || pullRequest.head.branch === head) &&
        (base === undefined || pullRequest.base === base) &&
        (state === undefined || pullRequest.state === state)
      return isMatch ? [pullRequest] : []
    })
    return ok(found.toSorted((one, other) => other.number - one.number).slice(0, limit))
  }
  const pages = await client.readPages(`${pathOf(repository)}/pulls`, {
    query: {
      // GitHub calls a merged one closed.
      state: state === undefined ? 'all' : state === 'open' ? 'open' : 'closed',
      ...(head !== undefined && { head: `${repository.owner}:${head}` }),
      ...(base !== undefined && { base }),
      sort: 'created',
      direction: 'desc',
      per_page: PER_PAGE,
    },
    pagesMax: PAGES_MAX,
    enough: (items) => {
      const found = matching(items)
      return !found.ok || found.value.length >= limit
    },
  })
  if (!pages.ok) return pages
  const { status, items } = pages.value
  if (status === 200) return matching(items)
  const answer = { status, headers: new Headers(), json: undefined }
  return err(await known.missing(repository, answer, 'branch'))
}

export type Opened = Result<
  { readonly pullRequest: PullRequest; readonly created: boolean },
  GitFailure
>

export async function openPullRequest(
  github: GitHub,
  repository: RepositoryId,
  request: NewPullRequest,
): Promise<Opened> {
  const { head, base, title, body } = request
  const complete = await github.known.requireComplete(repository)
  if (!complete.ok) return complete
  // A branch that was made a moment ago has no pull request. GitHub refuses a second one; not every server like it does.
  if (!github.freshBranches.delete(`${nameOf(repository)}#${head}`)) {
    const earlier = await findOpen(github, repository, request)
    if (!earlier.ok) return earlier
    if (earlier.value !== null) return ok({ pullRequest: earlier.value, created: false })
  }
  const answer = await github.client.write('POST', `${pathOf(repository)}/pulls`, {
    title,
    body,
    head,
    base,
  })
  if (answer.ok && answer.value.status === 201) {
    const read = readPull(answer.value)
    const pullRequest = read.ok ? toPullRequest(read.value, repository) : null
    if (pullRequest !== null) return ok({ pullRequest, created: true })
  }
  if (!answer.ok && !isUncertain(answer.error)) return answer

  const found = await findOpen(github, repository, request)
  if (!found.ok) return answer.ok ? found : answer
  if (found.value !== null) {
    const isOurs = found.value.title === title && found.value.body.trim() === body.trim()
    const isDuplicate = answer.ok && answer.value.status === 422
    return ok({ pullRequest: found.value, created: isOurs && !isDuplicate })
  }
  return answer.ok ? refusalOf(github, repository, request, answer.value) : answer
}

async function findOpen(
  github: GitHub,
  repository: RepositoryId,
  { head, base }: NewPullRequest,
): Promise<Result<PullRequest | null, GitFailure>> {
  const filter = { head, base, state: 'open', limit: 1 } as const
  const found = await findPullRequests(github, repository, filter)
  return found.ok ? ok(found.value[0] ?? null) : found
}

/** GitHub refuses with 422 for many reasons, told apart by text alone. */
async function refusalOf(
  github: GitHub,
  repository: RepositoryId,
  { head, base }: NewPullRequest,
  answer: Answer,
): Promise<Result<never, GitFailure>> {
  if (answer.status !== 422) {
    const subject = { repository: nameOf(repository), right: 'pull_requests: write' }
    // The repository is there, so that 404 means a right that we lack.
    return answer.status === 404
      ? err({ kind: 'git_denied', what: `${subject.right} on ${subject.repository}` })
      : err(gitHubRefusal(answer, subject))
  }
  if (/No commits between/i.test(JSON.stringify(answer.json))) {
    return err({ kind: 'git_nothing_to_commit' })
  }
  for (const branch of [head, base]) {
    const tip = await readTip(github, repository, branch)
    if (!tip.ok) return tip
    if (tip.value === null) return notFound('branch')
  }
  return hostError(`refused a pull request of ${head}: ${messageOf(answer)}`)
}
