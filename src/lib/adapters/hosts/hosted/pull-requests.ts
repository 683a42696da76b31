import { setTimeout as sleep } from 'node:timers/promises'
import { isUncertain } from '../../../git/host-words.ts'
import type { ObjectId, RepositoryId } from '../../../names.ts'
import type { Clock } from '../../../ports/clock.ts'
import type {
  GitAnswer,
  GitFailure,
  GitResult,
  NewPullRequest,
  PullRequest,
  PullRequestFilter,
} from '../../../ports/git-host.ts'
import type { MergedCommit } from '../../../ports/git-host/commit.ts'
import { allOk, err, ok } from '../../../result.ts'
import { isObject } from '../../../text/json.ts'
import { type Answer, apiPath, hostError, type ReadOptions } from './api/client.ts'
import type { Hosted } from './hosted.ts'
import { nameOf, pathOf } from './known-repositories.ts'
import { readPulls, toPullRequest } from './pull-answer.ts'

const LIMIT = 100
const PAGES_MAX = 100
/** Hosts see a pushed branch a moment later. A request is answered with its run when a move takes longer than ten seconds. */
const EARLY_WAITS_MS = [250, 500, 1_000, 2_000, 4_000]

type ListFilter = Exclude<PullRequestFilter, { readonly number: number }>
type Between = Pick<NewPullRequest, 'head' | 'base'>
type Found = GitResult<readonly PullRequest[]>
type Opened = GitResult<{ readonly pullRequest: PullRequest; readonly created: boolean }>

/** How a host answers for pull requests. */
export interface PullRequestApi {
  /** Path of the list, or of one. */
  readonly pathOf: (repository: RepositoryId, number?: number) => string
  /** Query of a list, newest first. The host need not filter. */
  readonly queryOf: (repository: RepositoryId, filter: ListFilter) => ReadOptions['query']
  /** Path that is 404, with JSON, where no pull request between two branches was ever opened; for a host that cannot filter by the head. */
  readonly betweenPath?: (repository: RepositoryId, between: Between) => string | null
  /** Reads the items that are pull requests between branches of the repository. */
  readonly read: (repository: RepositoryId, items: readonly unknown[]) => Found
  readonly bodyOf: (request: NewPullRequest) => object
  /** The question for the pull requests of a commit. `none`: the status that means there are none. */
  readonly ofCommit: (
    repository: RepositoryId,
    commit: ObjectId,
  ) => { readonly path: string; readonly query?: ReadOptions['query']; readonly none?: number }
  /** Whether the host opens pull requests without changes. */
  readonly opensEmpty: boolean
  /** Whether a refusal may mean that the host does not see the pushed branch yet. */
  readonly isEarly: (answer: Answer) => boolean
  /** The failure that a refused request means, when no pull request is open. */
  readonly failureOf: (
    repository: RepositoryId,
    request: NewPullRequest,
    answer: Answer,
  ) => Promise<GitFailure>
  /** Labels and reviewers of a new pull request. */
  readonly addExtras: (repository: RepositoryId, number: number) => Promise<void>
}

/** The API that GitHub and Gitea share. `settlingMs`: see `PullReading`. */
export const pullsApi = (
  clock: Clock,
  settlingMs: number,
  queryOf: PullRequestApi['queryOf'],
): Pick<PullRequestApi, 'pathOf' | 'queryOf' | 'read' | 'bodyOf'> => ({
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
    return ok(read.value.flatMap((answer) => (answer && toPullRequest(answer, reading)) ?? []))
  },
  bodyOf: ({ head, base, title, body }) => ({ title, body, head, base }),
})

export function createPullRequests(hosted: Hosted, api: PullRequestApi) {
  const { client, known, inTurn } = hosted

  /** The pull requests of one answer; an empty list where the repository has no such branch or commit. */
  async function readFew(
    repository: RepositoryId,
    what: 'branch' | 'commit',
    { path, query, none }: ReturnType<PullRequestApi['ofCommit']>,
  ): Promise<Found> {
    const answer = await client.read(path, query && { query })
    if (!answer.ok) return answer
    const { status, json } = answer.value
    if (status === none) return ok([])
    if (status !== 200) {
      const missing = await known.missing(repository, answer.value, what)
      return missing.kind === 'git_not_found' && missing.what === what ? ok([]) : err(missing)
    }
    return api.read(repository, Array.isArray(json) ? json : [json])
  }

  const findNumber = (repository: RepositoryId, number: number): Promise<Found> =>
    readFew(repository, 'branch', { path: api.pathOf(repository, number) })

  /** Whether the host says that there is none, so that its list need not be read to the end. */
  async function hasNone(repository: RepositoryId, between: Between): Promise<boolean> {
    const path = api.betweenPath?.(repository, between) ?? null
    if (path === null) return false
    const answer = await client.read(path)
    return answer.ok && answer.value.status === 404 && isObject(answer.value.json)
  }

  async function list(repository: RepositoryId, filter: ListFilter): Promise<Found> {
    const { head, base, state, limit = LIMIT } = filter
    // Open pull requests are few, and their list is read to the end.
    const isAny = state !== 'open' && head !== undefined && base !== undefined
    if (isAny && (await hasNone(repository, { head, base }))) {
      const missing = await known.absent(repository, 'branch')
      return missing.kind === 'git_not_found' && missing.what === 'branch' ? ok([]) : err(missing)
    }
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

  /** Hosts name all that contain the commit. Some name nobody who merged, unless one is asked for by its number. */
  async function findMerged(
    repository: RepositoryId,
    { commit, base }: MergedCommit,
  ): GitAnswer<PullRequest | null> {
    const complete = await known.requireComplete(repository)
    if (!complete.ok) return complete
    const found = await readFew(repository, 'commit', api.ofCommit(repository, commit))
    if (!found.ok) return found
    const merged = found.value
      .filter((pull) => pull.state === 'merged' && pull.base === base)
      .toSorted(
        (one, other) => (one.closedAt ?? 0) - (other.closedAt ?? 0) || one.number - other.number,
      )
    const pull =
      merged.find(({ mergeCommit }) => mergeCommit === commit) ??
      merged.find(({ head }) => head.commit === commit) ??
      // Another commit of a branch, or of a rebase. Later ones contained it already.
      merged[0]
    if (pull === undefined || pull.mergedBy !== null) return ok(pull ?? null)
    const whole = await findNumber(repository, pull.number)
    return whole.ok ? ok(whole.value[0] ?? pull) : whole
  }

  async function findOpen(
    repository: RepositoryId,
    { head, base }: NewPullRequest,
  ): GitAnswer<PullRequest | null> {
    const found = await find(repository, { head, base, state: 'open', limit: 1 })
    return found.ok ? ok(found.value[0] ?? null) : found
  }

  /** Asks again while the host does not see a branch that has commits of its own. What the branch has tells why it is refused for good. */
  async function post(repository: RepositoryId, request: NewPullRequest): GitAnswer<Answer> {
    for (let attempt = 0; ; attempt += 1) {
      const answer = await client.write('POST', api.pathOf(repository), api.bodyOf(request))
      if (!answer.ok || !api.isEarly(answer.value)) return answer
      const proposable = await requireProposable(hosted, repository, request)
      if (!proposable.ok) return proposable
      const waitMs = EARLY_WAITS_MS[attempt]
      if (waitMs === undefined) return hostError(`does not see the branch ${request.head} yet`)
      await sleep(waitMs)
    }
  }

  /** Opened once, however often it is asked for and whichever answer is lost. */
  async function openOnce(repository: RepositoryId, request: NewPullRequest): Promise<Opened> {
    const { title, body } = request
    const earlier = await findOpen(repository, request)
    if (!earlier.ok) return earlier
    if (earlier.value !== null) return ok({ pullRequest: earlier.value, created: false })
    const proposable = api.opensEmpty
      ? await requireProposable(hosted, repository, request)
      : ok(undefined)
    if (!proposable.ok) return proposable

    const answer = await post(repository, request)
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
    return answer.ok ? err(await api.failureOf(repository, request, answer.value)) : answer
  }

  return {
    find,
    findMerged,

    open: (repository: RepositoryId, request: NewPullRequest): Promise<Opened> =>
      inTurn(`${nameOf(repository)}#${request.head}`, async () => {
        const opened = await openOnce(repository, request)
        if (opened.ok && opened.value.created) {
          await api.addExtras(repository, opened.value.pullRequest.number)
        }
        return opened
      }),
  }
}

/** Refuses a pull request without changes, which a host may take, and one without a branch. */
async function requireProposable(
  { known, branches, content }: Hosted,
  repository: RepositoryId,
  { head, base }: NewPullRequest,
): GitAnswer<void> {
  const writable = await known.requireWritable(repository)
  if (!writable.ok) return writable
  const tips = await allOk([branches.tipOf(repository, head), branches.tipOf(repository, base)])
  if (!tips.ok) return tips
  const [of, without] = tips.value
  if (of === null || without === null) return err(await known.absent(repository, 'branch'))
  const range = { of, without, limit: 1 }
  const own = of === without ? ok([]) : await content.listCommits(repository, range)
  if (!own.ok) return own
  return own.value.length === 0 ? err({ kind: 'git_nothing_to_commit' }) : ok(undefined)
}
