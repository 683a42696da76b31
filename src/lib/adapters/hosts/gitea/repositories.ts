import { setTimeout as sleep } from 'node:timers/promises'
import type { InTurn } from '../../../concurrency/queue.ts'
import type { Mirror } from '../../../git/mirror.ts'
import type { BranchName, RepositoryId } from '../../../names.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { CreatedRepository, GitFailure, Head, NewRepository } from '../../../ports/git-host.ts'
import { err, ok, type Result } from '../../../result.ts'
import { isObject } from '../../../text/json.ts'
import {
  apiPath,
  type Answer,
  hostError,
  type HostClient,
  isUncertain,
  refusalOf,
} from '../hosted/api/client.ts'
import { cleanDescription, type CreationMark, createMark } from '../hosted/marker.ts'
import type { Branches } from '../hosted/branches.ts'
import {
  defaultBranchOf,
  type KnownRepositories,
  marksOf,
  nameOf,
  notFound,
  pathOf,
  readRepository,
  type RepositoryAnswer,
} from '../hosted/known-repositories.ts'

/** Gitea notices the first commit of a repository in the background. */
const NOTICED_WITHIN_MS = 10_000
const NOTICED_PAUSE_MS = 100

export interface RepositorySettings {
  readonly visibility: 'private' | 'public'
  readonly defaultBranch: BranchName
}

export interface RepositoryMeans {
  readonly mirror: Pick<Mirror, 'placeRoot'>
  readonly branches: Pick<Branches, 'tipOf'>
  readonly clock: Clock
  readonly client: HostClient
  readonly known: KnownRepositories
  readonly settings: RepositorySettings
  /** Before the repository becomes visible. */
  readonly furnish: (
    repository: RepositoryId,
    request: NewRepository,
  ) => Promise<Result<void, GitFailure>>
  readonly publicOrigin: string
  readonly inTurn: InTurn
}

type Created = Result<CreatedRepository, GitFailure>

/** Repositories, found again by a marker: `docs/decisions/gitea.md`. */
export function createRepositories({
  client,
  known,
  settings,
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
    const posted = await postRepository(repository, {
      name: repository.name,
      description: mark.pendingDescription,
      private: true,
      default_branch: settings.defaultBranch,
      auto_init: false,
    })
    if (!posted.ok && !isUncertain(posted.error)) return posted
    if (posted.ok && posted.value.status === 201) {
      const found = readRepository(posted.value)
      return found.ok ? ok({ found: found.value, created: true }) : found
    }
    if (posted.ok && posted.value.status !== 409) {
      return err(refusalOfCreation(posted.value, repository))
    }
    const after = await known.ask(repository)
    if (!after.ok) return posted.ok ? after : posted
    const isOurs = mark.creationOf(marksOf(after.value)) === 'pending'
    return ok({ found: after.value, created: isOurs && !posted.ok })
  }

  /** In an organisation, or as the person that the credentials belong to. */
  async function postRepository(
    { owner }: RepositoryId,
    body: object,
  ): Promise<Result<Answer, GitFailure>> {
    const answer = await client.write('POST', apiPath`/orgs/${owner}/repos`, body)
    if (!answer.ok || answer.value.status !== 404) return answer
    const person = await client.read('/user')
    if (!person.ok) return person
    const { json } = person.value
    const login = isObject(json) && typeof json['login'] === 'string' ? json['login'] : ''
    return login.toLowerCase() === owner.toLowerCase()
      ? client.write('POST', '/user/repos', body)
      : answer
  }

  async function firstCommit(
    repository: RepositoryId,
    { files, author, message }: NewRepository,
    { found, created }: { readonly found: RepositoryAnswer; readonly created: boolean },
  ): Promise<Result<Head, GitFailure>> {
    const existing = created ? notFound('branch') : await headOf(repository, found)
    if (existing.ok || !isNoBranch(existing.error)) return existing
    const branch = defaultBranchOf(found)
    if (!branch.ok) return branch
    const pushed = await mirror.placeRoot(repository, {
      branch: branch.value,
      before: null,
      files,
      message,
      author,
      at: clock.now(),
    })
    if (pushed.ok || pushed.error.kind !== 'git_branch_exists') return pushed
    // Another process with the same marker was first.
    return headOf(repository, found)
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
    const answer = await client.write('PATCH', pathOf(repository), {
      description: cleanDescription(description),
      website: mark.homepage,
      private: settings.visibility === 'private',
    })
    if (answer.ok && answer.value.status === 200) return ok(undefined)
    if (answer.ok) return err(refusalOfCreation(answer.value, repository))
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

function refusalOfCreation(answer: Answer, repository: RepositoryId): GitFailure {
  return answer.status === 403 || answer.status === 404
    ? { kind: 'git_denied', what: `organization: create repositories in ${repository.owner}` }
    : refusalOf(answer, { repository: nameOf(repository), right: 'repository: admin' })
}
