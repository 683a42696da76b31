import { setTimeout as sleep } from 'node:timers/promises'
import { isUncertain } from '../../../git/host-words.ts'
import type { InTurn } from '../../../concurrency/queue.ts'
import type { Mirror } from '../../../git/mirror.ts'
import type { BranchName, RepositoryId } from '../../../names.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { CreatedRepository, GitFailure, Head, NewRepository } from '../../../ports/git-host.ts'
import { err, ok, type Result } from '../../../result.ts'
import { type Answer, hostError } from './api/client.ts'
import { cleanDescription, type CreationMark, createMark } from './marker.ts'
import type { Branches } from './branches.ts'
import {
  defaultBranchOf,
  type KnownRepositories,
  marksOf,
  nameOf,
  notFound,
  type RepositoryAnswer,
} from './known-repositories.ts'

/** Gitea and GitLab notice the first commit of a repository in the background. */
const NOTICED_WITHIN_MS = 10_000
const NOTICED_PAUSE_MS = 100

/** How a host makes an empty, private repository and shows a complete one. */
export interface CreationApi {
  /** 201: made. 409: the name is taken. */
  readonly post: (
    repository: RepositoryId,
    pendingDescription: string,
  ) => Promise<Result<Answer, GitFailure>>
  /** The last step: description, the mark of a complete repository and visibility at once, with 200. */
  readonly show: (
    repository: RepositoryId,
    facts: { readonly description: string; readonly homepage: string },
  ) => Promise<Result<Answer, GitFailure>>
  readonly refusalOf: (answer: Answer, repository: RepositoryId) => GitFailure
}

export interface RepositoryMeans {
  readonly api: CreationApi
  readonly mirror: Pick<Mirror, 'placeRoot'>
  readonly branches: Pick<Branches, 'tipOf'>
  readonly clock: Clock
  readonly known: KnownRepositories
  readonly defaultBranch: BranchName
  /** Before the repository becomes visible. */
  readonly furnish: (
    repository: RepositoryId,
    request: NewRepository,
  ) => Promise<Result<void, GitFailure>>
  readonly publicOrigin: string
  readonly inTurn: InTurn
}

type Created = Result<CreatedRepository, GitFailure>

/** Repositories of hosts without a first commit of their own, found again by a marker: `docs/decisions/gitea.md`. */
export function createRepositories({
  api,
  known,
  defaultBranch,
  mirror,
  branches,
  furnish,
  publicOrigin,
  inTurn,
  clock,
}: RepositoryMeans) {
  async function make(repository: RepositoryId, request: NewRepository): Promise<Created> {
    const mark = createMark(request.marker, publicOrigin)
    const made = await makeOrFind(repository, mark)
    if (!made.ok) return made
    const { found, created } = made.value
    const answerWith = (head: Head) => ok({ created, head, url: found.clone_url ?? found.html_url })
    const creation = mark.creationOf(marksOf(found))
    if (creation === 'foreign') return err({ kind: 'git_repository_exists' })
    if (creation === 'complete') {
      const head = await headOf(repository, found)
      return head.ok ? answerWith(head.value) : head
    }
    const head = await firstCommit(repository, request, made.value)
    if (!head.ok) return head
    const noticed = await waitUntilNoticed(repository)
    if (!noticed.ok) return noticed
    const furnished = await furnish(repository, request)
    if (!furnished.ok) return furnished
    const shown = await show(repository, request.description, mark)
    if (!shown.ok) return shown
    const complete = await known.now(repository)
    return complete.ok ? answerWith(head.value) : complete
  }

  /** The repository as it is now, whoever made it. */
  async function makeOrFind(
    repository: RepositoryId,
    mark: CreationMark,
  ): Promise<Result<{ readonly found: RepositoryAnswer; readonly created: boolean }, GitFailure>> {
    const before = await known.ask(repository)
    if (before.ok) return ok({ found: before.value, created: false })
    if (!isMissing(before.error)) return before
    const posted = await api.post(repository, mark.pendingDescription)
    if (!posted.ok && !isUncertain(posted.error)) return posted
    if (posted.ok && posted.value.status === 201) {
      const found = known.read(posted.value)
      return found.ok ? ok({ found: found.value, created: true }) : found
    }
    if (posted.ok && posted.value.status !== 409) {
      return err(api.refusalOf(posted.value, repository))
    }
    const after = await known.ask(repository)
    if (!after.ok) return posted.ok ? after : posted
    const isOurs = mark.creationOf(marksOf(after.value)) === 'pending'
    return ok({ found: after.value, created: isOurs && !posted.ok })
  }

  async function firstCommit(
    repository: RepositoryId,
    { files, author, message }: NewRepository,
    { found, created }: { readonly found: RepositoryAnswer; readonly created: boolean },
  ): Promise<Result<Head, GitFailure>> {
    // Until it is complete a host may have another default branch, or none.
    const made = { ...found, default_branch: defaultBranch }
    const existing = created ? notFound('branch') : await headOf(repository, made)
    if (existing.ok || !isNoBranch(existing.error)) return existing
    const pushed = await mirror.placeRoot(repository, {
      branch: defaultBranch,
      before: null,
      files,
      message,
      author,
      at: clock.now(),
    })
    if (pushed.ok || pushed.error.kind !== 'git_branch_exists') return pushed
    // Another process with the same marker was first.
    return headOf(repository, made)
  }

  async function waitUntilNoticed(repository: RepositoryId): Promise<Result<void, GitFailure>> {
    const endsAt = performance.now() + NOTICED_WITHIN_MS
    for (;;) {
      const found = await known.ask(repository)
      if (!found.ok) return found
      if (found.value.empty !== true) return ok(undefined)
      if (performance.now() > endsAt) return hostError('the first commit has no effect')
      await sleep(NOTICED_PAUSE_MS)
    }
  }

  /** The last step: from now on the repository exists for others. */
  async function show(
    repository: RepositoryId,
    description: string,
    mark: CreationMark,
  ): Promise<Result<void, GitFailure>> {
    const facts = { description: cleanDescription(description), homepage: mark.homepage }
    const answer = await api.show(repository, facts)
    if (answer.ok && answer.value.status === 200) return ok(undefined)
    if (answer.ok) return err(api.refusalOf(answer.value, repository))
    if (!isUncertain(answer.error)) return answer
    const found = await known.ask(repository)
    return found.ok && mark.creationOf(marksOf(found.value)) === 'complete' ? ok(undefined) : answer
  }

  async function headOf(
    repository: RepositoryId,
    found: RepositoryAnswer,
  ): Promise<Result<Head, GitFailure>> {
    const branch = defaultBranchOf(found)
    if (!branch.ok) return branch
    const commit = await branches.tipOf(repository, branch.value)
    if (!commit.ok) return commit
    return commit.value === null
      ? notFound('branch')
      : ok({ branch: branch.value, commit: commit.value })
  }

  return {
    create: (repository: RepositoryId, request: NewRepository): Promise<Created> =>
      inTurn(nameOf(repository).toLowerCase(), () => make(repository, request)),
  }
}

const isMissing = (failure: GitFailure): boolean =>
  failure.kind === 'git_not_found' && failure.what === 'repository'

const isNoBranch = (failure: GitFailure): boolean =>
  failure.kind === 'git_not_found' && failure.what === 'branch'
