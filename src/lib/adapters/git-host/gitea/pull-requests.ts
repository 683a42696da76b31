import type { RepositoryId } from '../../../names.ts'
import type { Clock } from '../../../ports/clock.ts'
import type {
  GitFailure,
  NewPullRequest,
  PullRequest,
  PullRequestFilter,
} from '../../../ports/git-host.ts'
import type { InTurn } from '../../../concurrency/queue.ts'
import { err, ok, type Result } from '../../../result.ts'
import {
  apiPath,
  hostError,
  isUncertain,
  refusalOf,
  type Answer,
  type HostClient,
} from '../hosted/client.ts'
import type { Commits } from './commits.ts'
import type { Facts } from './facts.ts'
import type { Heads } from './head.ts'
import { readPull, type ReadPull } from './pull-answer.ts'
import type { Writable } from './writable.ts'

/** Gitea's default bound of a page, `MAX_RESPONSE_ITEMS`. */
const PULLS_PER_PAGE = 50
const PAGES_MAX = 100
const LIMIT_DEFAULT = 100
const RIGHT = 'issues and pull requests: write'

export interface PullRequestMeans {
  readonly client: HostClient
  readonly facts: Pick<Facts, 'read' | 'missing'>
  readonly heads: Pick<Heads, 'tipOf'>
  readonly between: Commits['between']
  readonly requireWritable: Writable
  readonly decorate: (repository: RepositoryId, number: number) => Promise<void>
  readonly inTurn: InTurn
  readonly clock: Clock
}

type Opened = Result<{ readonly pullRequest: PullRequest; readonly created: boolean }, GitFailure>
type Found = Result<readonly PullRequest[], GitFailure>

export function createPullRequests({
  client,
  facts,
  heads,
  between,
  requireWritable,
  decorate,
  inTurn,
  clock,
}: PullRequestMeans) {
  const parse = (json: unknown): Result<ReadPull, GitFailure> => {
    const read = readPull(json, clock.now())
    return read ? ok(read) : hostError('a pull request has unexpected members')
  }

  async function findNumber({ owner, name }: RepositoryId, number: number): Promise<Found> {
    const answer = await client.read(apiPath`/repos/${owner}/${name}/pulls/${number}`)
    if (!answer.ok) return answer
    if (answer.value.status === 404) return ok([])
    if (answer.value.status !== 200) return refused({ owner, name }, answer.value)
    const read = parse(answer.value.json)
    return read.ok ? ok([read.value.pull]) : read
  }

  /** Gitea filters by state alone. Pull requests of forks are left out: their branches are named by anybody. */
  async function list(
    repository: RepositoryId,
    { head, base, state, limit = LIMIT_DEFAULT }: Exclude<PullRequestFilter, { number: number }>,
  ): Promise<Found> {
    const found: PullRequest[] = []
    let fault: Result<never, GitFailure> | undefined
    let seen = 0
    const take = (items: readonly unknown[]) => {
      for (const item of items.slice(seen)) {
        const read = parse(item)
        if (!read.ok) fault ??= read
        else if (!read.value.isFromFork && matches(read.value.pull)) found.push(read.value.pull)
      }
      seen = items.length
      return fault !== undefined || found.length >= limit
    }
    const matches = (pull: PullRequest) =>
      (head === undefined || pull.head.branch === head) &&
      (base === undefined || pull.base === base) &&
      (state === undefined || pull.state === state)
    const { owner, name } = repository
    const pages = await client.readPages(apiPath`/repos/${owner}/${name}/pulls`, {
      query: {
        state: state === undefined ? 'all' : state === 'open' ? 'open' : 'closed',
        limit: PULLS_PER_PAGE,
        ...(base !== undefined && { base_branch: base }),
      },
      pagesMax: PAGES_MAX,
      enough: take,
    })
    if (!pages.ok) return pages
    if (pages.value.status === 404) return facts.missing(repository, 'branch')
    if (pages.value.status !== 200) {
      return hostError(`the list of pull requests was answered with ${pages.value.status}`)
    }
    take(pages.value.items)
    return fault ?? ok(found.toSorted((one, other) => other.number - one.number).slice(0, limit))
  }

  async function openOne(repository: RepositoryId, request: NewPullRequest): Promise<Opened> {
    const { head, base, title, body } = request
    const already = await oldestOpen(repository, request)
    if (!already.ok) return already
    if (already.value !== null) return ok({ pullRequest: already.value, created: false })
    const proposable = await requireOwnCommits(repository, request)
    if (!proposable.ok) return proposable

    const { owner, name } = repository
    const answer = await client.write('POST', apiPath`/repos/${owner}/${name}/pulls`, {
      head,
      base,
      title,
      body,
    })
    if (answer.ok && answer.value.status === 201) {
      const read = parse(answer.value.json)
      return read.ok ? keepOldest(repository, request, read.value.pull) : read
    }
    if (!answer.ok && !isUncertain(answer.error)) return answer
    // A lost answer, or another caller was first.
    const isDuplicate = answer.ok && answer.value.status === 409
    const later = !answer.ok || isDuplicate ? await oldestOpen(repository, request) : ok(null)
    if (later.ok && later.value !== null) {
      const pullRequest = later.value
      const isOurs = pullRequest.title === title && pullRequest.body === body
      return isOurs && !isDuplicate
        ? keepOldest(repository, request, pullRequest)
        : ok({ pullRequest, created: false })
    }
    if (!answer.ok) return answer
    if (!later.ok) return later
    return answer.value.status === 404
      ? facts.missing(repository, 'branch')
      : refused(repository, answer.value)
  }

  async function oldestOpen(
    repository: RepositoryId,
    { head, base }: Pick<NewPullRequest, 'head' | 'base'>,
  ): Promise<Result<PullRequest | null, GitFailure>> {
    const open = await list(repository, { head, base, state: 'open' })
    return open.ok ? ok(open.value.at(-1) ?? null) : open
  }

  /**
   * Gitea looks for a duplicate before it opens one, not while it does: of two processes at once both succeed. The older pull request stays,
   * and ours is closed if it is another one.
   */
  async function keepOldest(
    repository: RepositoryId,
    { head, base }: Pick<NewPullRequest, 'head' | 'base'>,
    opened: PullRequest,
  ): Promise<Opened> {
    const open = await oldestOpen(repository, { head, base })
    const oldest = open.ok ? open.value : null
    if (oldest === null || oldest.number >= opened.number) {
      return ok({ pullRequest: opened, created: true })
    }
    const { owner, name } = repository
    const path = apiPath`/repos/${owner}/${name}/pulls/${opened.number}`
    const closed = await client.write('PATCH', path, { state: 'closed' })
    if (!closed.ok) return closed
    return closed.value.status === 201
      ? ok({ pullRequest: oldest, created: false })
      : refused(repository, closed.value)
  }

  /** Gitea opens pull requests without changes as well. */
  async function requireOwnCommits(
    repository: RepositoryId,
    { head, base }: Pick<NewPullRequest, 'head' | 'base'>,
  ): Promise<Result<void, GitFailure>> {
    const tips = await Promise.all([head, base].map((branch) => heads.tipOf(repository, branch)))
    const [of, without] = tips
    if (of === undefined || without === undefined) throw new Error('two tips were read')
    if (!of.ok) return of
    if (!without.ok) return without
    if (of.value === null || without.value === null) return facts.missing(repository, 'branch')
    const range = { of: of.value, without: without.value, limit: 1 }
    const own = of.value === without.value ? ok([]) : await between(repository, range)
    if (!own.ok) return own
    return own.value.length === 0 ? err({ kind: 'git_nothing_to_commit' }) : ok(undefined)
  }

  return {
    async find(repository: RepositoryId, filter: PullRequestFilter): Promise<Found> {
      const complete = await facts.read(repository)
      if (!complete.ok) return complete
      return 'number' in filter ? findNumber(repository, filter.number) : list(repository, filter)
    },

    async open(repository: RepositoryId, request: NewPullRequest): Promise<Opened> {
      const writable = await requireWritable(repository)
      if (!writable.ok) return writable
      const key = `${repository.owner}/${repository.name}/${request.head}`
      return inTurn(key, async () => {
        const opened = await openOne(repository, request)
        if (opened.ok && opened.value.created) {
          await decorate(repository, opened.value.pullRequest.number)
        }
        return opened
      })
    },
  }
}

const refused = ({ owner, name }: RepositoryId, answer: Answer) =>
  err(refusalOf(answer, { repository: `${owner}/${name}`, right: RIGHT }))
