import type { InTurn } from '../../../concurrency/queue.ts'
import { isUncertain } from '../../../git/host-words.ts'
import type { RepositoryId } from '../../../names.ts'
import type { Clock } from '../../../ports/clock.ts'
import type {
  GitContent,
  GitFailure,
  NewPullRequest,
  PullRequest,
  PullRequestFilter,
} from '../../../ports/git-host.ts'
import { err, ok, type Result } from '../../../result.ts'
import { type Answer, apiPath, type HostClient, type ReadOptions } from './api/client.ts'
import type { Branches } from './branches.ts'
import { type KnownRepositories, nameOf, pathOf } from './known-repositories.ts'
import { readPulls, toPullRequest } from './pull-answer.ts'

const LIMIT = 100
const PAGES_MAX = 100

type ListFilter = Exclude<PullRequestFilter, { readonly number: number }>
type Found = Result<readonly PullRequest[], GitFailure>
type Opened = Result<{ readonly pullRequest: PullRequest; readonly created: boolean }, GitFailure>

/** How a host answers for pull requests. */
export interface PullRequestApi {
  /** Path of the list, or of one. */
  readonly pathOf: (repository: RepositoryId, number?: number) => string
  /** Query of a list, newest first. The host need not filter. */
  readonly queryOf: (repository: RepositoryId, filter: ListFilter) => ReadOptions['query']
  /** Those of the items that are between branches of the repository. */
  readonly read: (repository: RepositoryId, items: readonly unknown[]) => Found
  readonly bodyOf: (request: NewPullRequest) => object
}

/** The API that GitHub and Gitea share. `settlingMs`: see `PullReading`. */
export const pullsApi = (
  clock: Clock,
  settlingMs: number,
  queryOf: PullRequestApi['queryOf'],
): PullRequestApi => ({
  pathOf: (repository, number) =>
    `${pathOf(repository)}/pulls${number === undefined ? '' : apiPath`/${number}`}`,
  queryOf: (repository, filter) => ({
    // A merged one is closed.
    state: filter.state === undefined ? 'all' : filter.state === 'open' ? 'open' : 'closed',
    ...queryOf(repository, filter),
  }),
  read(repository, items) {
    const read = readPulls({ json: items })
    if (!read.ok) return read
    const reading = { repository, now: clock.now(), settlingMs }
    return ok(read.value.flatMap((answer) => toPullRequest(answer, reading) ?? []))
  },
  bodyOf: ({ head, base, title, body }) => ({ title, body, head, base }),
})

export interface PullRequestMeans {
  readonly client: HostClient
  readonly known: KnownRepositories
  readonly inTurn: InTurn
  readonly api: PullRequestApi
  /** Refuses a request that the host itself would take. */
  readonly requireProposable: (
    repository: RepositoryId,
    request: NewPullRequest,
  ) => Promise<Result<void, GitFailure>>
  /** The failure that a refused request means, when no pull request is open. */
  readonly failureOf: (
    repository: RepositoryId,
    request: NewPullRequest,
    answer: Answer,
  ) => Promise<GitFailure>
  /** Labels and reviewers of a new pull request. */
  readonly addExtras: (repository: RepositoryId, number: number) => Promise<void>
}

export function createPullRequests(means: PullRequestMeans) {
  const { client, known, inTurn, api } = means

  async function findNumber(repository: RepositoryId, number: number): Promise<Found> {
    const answer = await client.read(api.pathOf(repository, number))
    if (!answer.ok) return answer
    if (answer.value.status !== 200) {
      const missing = await known.missing(repository, answer.value, 'branch')
      const isAbsent = missing.kind === 'git_not_found' && missing.what === 'branch'
      return isAbsent ? ok([]) : err(missing)
    }
    return api.read(repository, [answer.value.json])
  }

  async function list(repository: RepositoryId, filter: ListFilter): Promise<Found> {
    const { head, base, state, limit = LIMIT } = filter
    const matching = (items: readonly unknown[]): Found => {
      const read = api.read(repository, items)
      if (!read.ok) return read
      const found = read.value.filter(
        (pull) =>
          (head === undefined || pull.head.branch === head) &&
          (base === undefined || pull.base === base) &&
          (state === undefined || pull.state === state),
      )
      return ok(found.toSorted((one, other) => other.number - one.number).slice(0, limit))
    }
    const query = api.queryOf(repository, filter)
    const pages = await client.readPages(api.pathOf(repository), {
      ...(query !== undefined && { query }),
      pagesMax: PAGES_MAX,
      enough: (items) => {
        const found = matching(items)
        return !found.ok || found.value.length >= limit
      },
    })
    if (!pages.ok) return pages
    return pages.value.kind === 'list'
      ? matching(pages.value.items)
      : err(await known.missing(repository, pages.value.answer, 'branch'))
  }

  async function find(repository: RepositoryId, filter: PullRequestFilter): Promise<Found> {
    const complete = await known.requireComplete(repository)
    if (!complete.ok) return complete
    return 'number' in filter ? findNumber(repository, filter.number) : list(repository, filter)
  }

  async function findOpen(
    repository: RepositoryId,
    { head, base }: NewPullRequest,
  ): Promise<Result<PullRequest | null, GitFailure>> {
    const found = await find(repository, { head, base, state: 'open', limit: 1 })
    return found.ok ? ok(found.value[0] ?? null) : found
  }

  /** Opened once, however often it is asked for and whichever answer is lost. */
  async function openOnce(repository: RepositoryId, request: NewPullRequest): Promise<Opened> {
    const { title, body } = request
    const complete = await known.requireComplete(repository)
    if (!complete.ok) return complete
    const earlier = await findOpen(repository, request)
    if (!earlier.ok) return earlier
    if (earlier.value !== null) return ok({ pullRequest: earlier.value, created: false })
    const proposable = await means.requireProposable(repository, request)
    if (!proposable.ok) return proposable

    const answer = await client.write('POST', api.pathOf(repository), api.bodyOf(request))
    const isCreated = answer.ok && answer.value.status === 201
    if (isCreated) {
      const read = api.read(repository, [answer.value.json])
      const pullRequest = read.ok ? read.value[0] : undefined
      if (pullRequest !== undefined) return ok({ pullRequest, created: true })
    }
    if (!answer.ok && !isUncertain(answer.error)) return answer

    const found = await findOpen(repository, request)
    if (!found.ok) return answer.ok ? found : answer
    if (found.value !== null) {
      const isOurs = found.value.title === title && found.value.body.trim() === body.trim()
      const created = isOurs && (isCreated || !answer.ok)
      return ok({ pullRequest: found.value, created })
    }
    return answer.ok ? err(await means.failureOf(repository, request, answer.value)) : answer
  }

  return {
    find,

    open: (repository: RepositoryId, request: NewPullRequest): Promise<Opened> =>
      inTurn(`${nameOf(repository)}#${request.head}`, async () => {
        const opened = await openOnce(repository, request)
        if (opened.ok && opened.value.created) {
          await means.addExtras(repository, opened.value.pullRequest.number)
        }
        return opened
      }),
  }
}

/** Gitea and GitLab open pull requests without changes as well. */
export async function requireProposable(
  {
    known,
    branches,
    content,
  }: {
    readonly known: KnownRepositories
    readonly branches: Pick<Branches, 'tipOf'>
    readonly content: Pick<GitContent, 'listCommits'>
  },
  repository: RepositoryId,
  { head, base }: NewPullRequest,
): Promise<Result<void, GitFailure>> {
  const writable = await known.requireWritable(repository)
  if (!writable.ok) return writable
  const [of, without] = await Promise.all([
    branches.tipOf(repository, head),
    branches.tipOf(repository, base),
  ])
  if (!of.ok) return of
  if (!without.ok) return without
  if (of.value === null || without.value === null) {
    return err(await known.absent(repository, 'branch'))
  }
  const range = { of: of.value, without: without.value, limit: 1 }
  const own = of.value === without.value ? ok([]) : await content.listCommits(repository, range)
  if (!own.ok) return own
  return own.value.length === 0 ? err({ kind: 'git_nothing_to_commit' }) : ok(undefined)
}
