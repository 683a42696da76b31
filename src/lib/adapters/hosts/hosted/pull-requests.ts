import type { InTurn } from '../../../concurrency/queue.ts'
import type { RepositoryId } from '../../../names.ts'
import type { Clock } from '../../../ports/clock.ts'
import type {
  GitFailure,
  NewPullRequest,
  PullRequest,
  PullRequestFilter,
} from '../../../ports/git-host.ts'
import { err, ok, type Result } from '../../../result.ts'
import {
  type Answer,
  apiPath,
  type HostClient,
  isUncertain,
  type ReadOptions,
} from './api/client.ts'
import { type KnownRepositories, nameOf, pathOf } from './known-repositories.ts'
import { type PullAnswer, readPull, readPulls, toPullRequest } from './pull-answer.ts'

const LIMIT = 100
const PAGES_MAX = 100

type ListFilter = Exclude<PullRequestFilter, { readonly number: number }>
type Found = Result<readonly PullRequest[], GitFailure>
type Opened = Result<{ readonly pullRequest: PullRequest; readonly created: boolean }, GitFailure>

export interface PullRequestMeans {
  readonly client: HostClient
  readonly known: KnownRepositories
  readonly inTurn: InTurn
  readonly clock: Clock
  /** Query of a list, newest first. The host need not filter. */
  readonly queryOf: (repository: RepositoryId, filter: ListFilter) => ReadOptions['query']
  /** See `PullReading`. */
  readonly settlingMs: number
  /** `true` for a host that looks for a duplicate before it opens a pull request: two processes at once open two. */
  readonly mayOpenTwo: boolean
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
  const { client, known, inTurn, clock, settlingMs } = means

  const toOwn = (repository: RepositoryId, answer: PullAnswer) =>
    toPullRequest(answer, { repository, now: clock.now(), settlingMs })

  async function findNumber(repository: RepositoryId, number: number): Promise<Found> {
    const answer = await client.read(`${pathOf(repository)}${apiPath`/pulls/${number}`}`)
    if (!answer.ok) return answer
    if (answer.value.status !== 200) {
      const missing = await known.missing(repository, answer.value, 'branch')
      const isAbsent = missing.kind === 'git_not_found' && missing.what === 'branch'
      return isAbsent ? ok([]) : err(missing)
    }
    const read = readPull(answer.value)
    if (!read.ok) return read
    const pullRequest = toOwn(repository, read.value)
    return ok(pullRequest === null ? [] : [pullRequest])
  }

  async function list(repository: RepositoryId, filter: ListFilter): Promise<Found> {
    const { head, base, state, limit = LIMIT } = filter
    const matching = (items: readonly unknown[]): Found => {
      const read = readPulls({ json: items })
      if (!read.ok) return read
      const found = read.value
        .map((answer) => toOwn(repository, answer))
        .filter((pull) => pull !== null)
        .filter(
          (pull) =>
            (head === undefined || pull.head.branch === head) &&
            (base === undefined || pull.base === base) &&
            (state === undefined || pull.state === state),
        )
      return ok(found.toSorted((one, other) => other.number - one.number).slice(0, limit))
    }
    const pages = await client.readPages(`${pathOf(repository)}/pulls`, {
      query: {
        // A merged one is closed, at both hosts.
        state: state === undefined ? 'all' : state === 'open' ? 'open' : 'closed',
        ...means.queryOf(repository, filter),
      },
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
    const found = await find(repository, { head, base, state: 'open' })
    // The oldest, of those that were opened at once.
    return found.ok ? ok(found.value.at(-1) ?? null) : found
  }

  /** Closes ours when another process opened an older one at the same moment. */
  async function keepOldest(
    repository: RepositoryId,
    request: NewPullRequest,
    opened: PullRequest,
  ): Promise<Opened> {
    const open = means.mayOpenTwo ? await findOpen(repository, request) : ok(null)
    const oldest = open.ok ? open.value : null
    if (oldest === null || oldest.number >= opened.number) {
      return ok({ pullRequest: opened, created: true })
    }
    const path = `${pathOf(repository)}${apiPath`/pulls/${opened.number}`}`
    const closed = await client.write('PATCH', path, { state: 'closed' })
    if (!closed.ok) return closed
    return closed.value.status < 300
      ? ok({ pullRequest: oldest, created: false })
      : err(await means.failureOf(repository, request, closed.value))
  }

  /** Opened once, however often it is asked for and whichever answer is lost. */
  async function openOnce(repository: RepositoryId, request: NewPullRequest): Promise<Opened> {
    const { head, base, title, body } = request
    const complete = await known.requireComplete(repository)
    if (!complete.ok) return complete
    const earlier = await findOpen(repository, request)
    if (!earlier.ok) return earlier
    if (earlier.value !== null) return ok({ pullRequest: earlier.value, created: false })
    const proposable = await means.requireProposable(repository, request)
    if (!proposable.ok) return proposable

    const path = `${pathOf(repository)}/pulls`
    const answer = await client.write('POST', path, { title, body, head, base })
    const isCreated = answer.ok && answer.value.status === 201
    if (isCreated) {
      const read = readPull(answer.value)
      const pullRequest = read.ok ? toOwn(repository, read.value) : null
      if (pullRequest !== null) return keepOldest(repository, request, pullRequest)
    }
    if (!answer.ok && !isUncertain(answer.error)) return answer

    const found = await findOpen(repository, request)
    if (!found.ok) return answer.ok ? found : answer
    if (found.value !== null) {
      const isOurs = found.value.title === title && found.value.body.trim() === body.trim()
      return isOurs && (isCreated || !answer.ok)
        ? keepOldest(repository, request, found.value)
        : ok({ pullRequest: found.value, created: false })
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
