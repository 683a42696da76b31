import { setTimeout as sleep } from 'node:timers/promises'
import { Type } from 'typebox'
import { isUncertain } from '../../../git/host-words.ts'
import type { RepositoryId } from '../../../names.ts'
import type {
  CreatedRepository,
  GitAnswer,
  GitFailure,
  GitResult,
  Head,
  NewRepository,
} from '../../../ports/git-host.ts'
import { err, ok } from '../../../result.ts'
import { answerReader } from './api/answer-reader.ts'
import {
  type Answer,
  apiPath,
  type HostClient,
  hostError,
  messageOf,
  type WriteOptions,
} from './api/client.ts'
import { cleanDescription, type CreationMark, createMark } from './marker.ts'
import type { Hosted } from './hosted.ts'
import { isAbsent, marksOf, nameOf, notFound, type RepositoryAnswer } from './known-repositories.ts'

/** Gitea and GitLab notice the first commit of a repository in the background. */
const NOTICED_WITHIN_MS = 10_000
const NOTICED_PAUSE_MS = 100

interface ShownFacts {
  readonly description: string
  readonly homepage: string
  /** Who sees it until now, if the host says so. Hosts refuse a change that is none. */
  readonly visibility: string | undefined
}

/**
 * How a host makes an empty repository and shows a complete one. Each step can be repeated. It is private until it is complete; where
 * the host knows `internal`, one of those is internal from the start: often owners alone may change who sees it.
 */
export interface CreationApi {
  /** 201: made. 409: the name is taken. */
  readonly post: (repository: RepositoryId, pendingDescription: string) => GitAnswer<Answer>
  /** Topics and the owning team, before the repository becomes visible. */
  readonly furnish: (repository: RepositoryId, request: NewRepository) => GitAnswer<void>
  /** The last step: description, the mark of a complete repository and visibility at once, with 200 and the repository. */
  readonly show: (repository: RepositoryId, facts: ShownFacts) => GitAnswer<Answer>
  readonly refusalOf: (answer: Answer, repository: RepositoryId) => GitFailure
}

type Created = GitResult<CreatedRepository>

interface FoundRepository {
  readonly found: RepositoryAnswer
  /** It was made by this call, and is empty. */
  readonly isNew: boolean
}

/**
 * Repositories without a first commit of the host's own, made in steps that can be repeated: whoever comes with the same marker goes on
 * where another stopped. Until the last step the description says that it is being made, and every other method denies that it exists.
 */
export function createRepositories(hosted: Hosted, api: CreationApi) {
  const { known, branches, mirror, clock, inTurn, publicOrigin, rightToWrite } = hosted
  const { replicationWaitsMs = [] } = hosted
  const { defaultBranch } = hosted.repositories

  async function make(repository: RepositoryId, request: NewRepository): Promise<Created> {
    const mark = createMark(request.marker, publicOrigin)
    const begun = await makeOrFind(repository, mark)
    if (!begun.ok) return begun
    const { found } = begun.value
    const creation = mark.creationOf(marksOf(found))
    if (creation === 'foreign') return err({ kind: 'git_repository_exists' })
    const head =
      creation === 'complete'
        ? await branches.headOf(repository, found)
        : await complete(repository, request, mark, begun.value)
    if (!head.ok) return head
    const url = found.clone_url ?? found.html_url
    return ok({ created: creation === 'pending', head: head.value, url })
  }

  /** The repository as it is now, whoever made it. */
  async function makeOrFind(
    repository: RepositoryId,
    mark: CreationMark,
  ): GitAnswer<FoundRepository> {
    const before = await known.ask(repository)
    if (before.ok) return ok({ found: before.value, isNew: false })
    if (!isAbsent(before.error, 'repository')) return before
    const posted = await api.post(repository, mark.pendingDescription)
    if (!posted.ok && !isUncertain(posted.error)) return posted
    if (posted.ok && posted.value.status === 201) {
      const found = known.read(posted.value)
      if (!found.ok) return found
      const { full_name: fullName } = found.value
      // Hosts replace characters that they do not take in names.
      return fullName.toLowerCase() === nameOf(repository).toLowerCase()
        ? ok({ found: found.value, isNew: true })
        : hostError(`made ${fullName} in place of ${nameOf(repository)}`)
    }
    if (posted.ok && posted.value.status !== 409) {
      return err(api.refusalOf(posted.value, repository))
    }
    const after = await (posted.ok
      ? whenReplicated(() => known.ask(repository))
      : known.ask(repository))
    if (after.ok) return ok({ found: after.value, isNew: false })
    if (!posted.ok) return posted
    // Its name is taken, and the credentials do not show it.
    return isAbsent(after.error, 'repository') ? err({ kind: 'git_repository_exists' }) : after
  }

  async function complete(
    repository: RepositoryId,
    request: NewRepository,
    mark: CreationMark,
    begun: FoundRepository,
  ): GitAnswer<Head> {
    const head = await whenReplicated(() => firstCommit(repository, request, begun))
    if (!head.ok) {
      // The repository is there, so that its absence means a right that we lack.
      const what = `${rightToWrite} on ${nameOf(repository)}`
      return isAbsent(head.error, 'repository') ? err({ kind: 'git_denied', what }) : head
    }
    const steps = [
      () => waitUntilNoticed(repository, begun.found),
      () => api.furnish(repository, request),
      () => show(repository, request.description, mark, begun.found.visibility),
    ]
    for (const step of steps) {
      const done = await step()
      if (!done.ok) return done
    }
    return head
  }

  /** Repeats work on a new repository while the host says that there is none. */
  async function whenReplicated<Value>(work: () => GitAnswer<Value>): GitAnswer<Value> {
    for (const waitMs of replicationWaitsMs) {
      const done = await work()
      if (done.ok || !isAbsent(done.error, 'repository')) return done
      await sleep(waitMs)
    }
    return work()
  }

  /** Its time is that of the repository, so that a repetition makes the same commit. */
  async function firstCommit(
    repository: RepositoryId,
    { files, author, message }: NewRepository,
    { found, isNew }: FoundRepository,
  ): GitAnswer<Head> {
    // Until it is complete a host may have another default branch, or none.
    const made = { ...found, default_branch: defaultBranch }
    const existing = isNew ? notFound('branch') : await branches.headOf(repository, made)
    if (existing.ok || !isAbsent(existing.error, 'branch')) return existing
    const at = Date.parse(found.created_at ?? '') || clock.now()
    const commit = { branch: defaultBranch, files, message, author, at }
    const pushed = await mirror.placeRoot(repository, commit)
    if (pushed.ok || pushed.error.kind !== 'git_branch_exists') return pushed
    // Another process with the same marker was first.
    return branches.headOf(repository, made)
  }

  /** A host that does not tell notices at once. */
  async function waitUntilNoticed(
    repository: RepositoryId,
    { empty }: RepositoryAnswer,
  ): GitAnswer<void> {
    const endsAt = performance.now() + NOTICED_WITHIN_MS
    for (let isEmpty = empty !== undefined; isEmpty;) {
      const found = await known.ask(repository)
      if (!found.ok) return found
      isEmpty = found.value.empty === true
      if (!isEmpty) continue
      if (performance.now() > endsAt) return hostError('the first commit has no effect')
      await sleep(NOTICED_PAUSE_MS)
    }
    return ok(undefined)
  }

  /** The last step: from now on the repository exists for others. */
  async function show(
    repository: RepositoryId,
    description: string,
    mark: CreationMark,
    visibility: string | undefined,
  ): GitAnswer<void> {
    const facts = {
      description: cleanDescription(description),
      homepage: mark.homepage,
      visibility,
    }
    const answer = await api.show(repository, facts)
    if (answer.ok && answer.value.status !== 200) {
      return err(api.refusalOf(answer.value, repository))
    }
    if (!answer.ok && !isUncertain(answer.error)) return answer
    const shown = answer.ok ? known.read(answer.value) : await known.ask(repository)
    if (!answer.ok && !(shown.ok && mark.creationOf(marksOf(shown.value)) === 'complete')) {
      return answer
    }
    if (!shown.ok) return shown
    known.note(repository, shown.value)
    return ok(undefined)
  }

  return {
    create: (repository: RepositoryId, request: NewRepository): Promise<Created> =>
      inTurn(nameOf(repository).toLowerCase(), () => make(repository, request)),
  }
}

const readAccount = answerReader('an account', Type.Object({ login: Type.String() }))

/** Whether the credentials are those of this person. An App is nobody. */
export async function isOwnAccount(
  client: Pick<HostClient, 'read'>,
  owner: string,
): GitAnswer<boolean> {
  const answer = await client.read('/user')
  if (!answer.ok) return answer
  const account = answer.value.status === 200 ? readAccount(answer.value) : null
  return ok(account?.ok === true && account.value.login.toLowerCase() === owner.toLowerCase())
}

/** In an organisation, or as the person whose credentials we have: `/user/repos` makes repositories of that one alone. 404: neither. */
export async function postRepository(
  client: HostClient,
  { owner }: RepositoryId,
  body: object,
  options?: WriteOptions,
): GitAnswer<Answer> {
  const answer = await client.write('POST', apiPath`/orgs/${owner}/repos`, body, options)
  if (!answer.ok || answer.value.status !== 404) return answer
  const isOurs = await isOwnAccount(client, owner)
  if (!isOurs.ok) return isOurs
  return isOurs.value ? client.write('POST', '/user/repos', body, options) : answer
}

/**
 * Judges the answer that gives the owning team its new repository. A refusal, such as for a team that the host does not have, is logged
 * alone: the repository exists, and an administrator of the host can add the team later. Asking twice is safe.
 * @param done statuses by which the team has its access
 */
export async function giveTeam(
  { log }: Pick<Hosted, 'log'>,
  { repository, team }: { readonly repository: RepositoryId; readonly team: string },
  done: readonly number[],
  given: GitAnswer<Answer>,
): GitAnswer<void> {
  const answer = await given
  if (!answer.ok) return answer
  const { status } = answer.value
  if (!done.includes(status)) {
    const reason = messageOf(answer.value)
    const fields = { repository: nameOf(repository), team, status, reason }
    log.warn(fields, 'the owning team could not be added to its repository')
  }
  return ok(undefined)
}
