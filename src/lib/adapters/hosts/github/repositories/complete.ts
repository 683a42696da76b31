import type { BranchName, RepositoryId } from '../../../../names.ts'
import { isUncertain } from '../../../../git/host-words.ts'
import type { GitFailure, Head, NewRepository } from '../../../../ports/git-host.ts'
import { err, ok, type Result } from '../../../../result.ts'
import { apiPath, type WriteMethod } from '../../hosted/api/client.ts'
import { cleanDescription, type CreationMark } from '../../hosted/marker.ts'
import { nameOf, pathOf, type RepositoryAnswer } from '../../hosted/known-repositories.ts'
import { addTeam } from '../../hosted/team-access.ts'
import type { GitHub } from '../github.ts'
import { gitHubRefusal } from '../api/refusal.ts'
import { whenReplicated } from './replication.ts'

/** Settings of new repositories. */
export interface RepositoryPolicy {
  /** Origin of the portal. */
  readonly publicOrigin: string
  readonly visibility: 'private' | 'internal' | 'public'
  readonly topics: readonly string[]
  readonly defaultBranch: BranchName
  readonly teamPermission: 'pull' | 'triage' | 'push' | 'maintain' | 'admin' | null
  readonly replicationWaitsMs?: readonly number[]
}

export interface PendingRepository {
  readonly request: NewRepository
  readonly repository: RepositoryAnswer
  readonly mark: CreationMark
  readonly policy: RepositoryPolicy
}

/** The steps from an empty repository to a complete one. Each can be repeated. */
export async function completeRepository(
  github: GitHub,
  id: RepositoryId,
  pending: PendingRepository,
): Promise<Result<Head, GitFailure>> {
  const { policy, repository } = pending
  const head = await whenReplicated(
    () => placeFirstCommit(github, id, pending),
    policy.replicationWaitsMs,
  )
  if (!head.ok) {
    // The repository is there, so that its absence means a right that we lack.
    const what = `contents: write on ${nameOf(id)}`
    return head.error.kind === 'git_not_found' ? err({ kind: 'git_denied', what }) : head
  }
  const steps = [
    () => addTopics(github, id, policy.topics),
    () => admitTeam(github, id, pending),
    () => show(github, id, pending),
  ]
  for (const step of steps) {
    const done = await step()
    if (!done.ok) return done
  }
  github.known.note(id, { ...repository, default_branch: head.value.branch })
  return head
}

/**
 * Without a commit of its own a repository takes its first branch as the default one. The time is that of its creation, so that a
 * repetition makes the same commit.
 */
async function placeFirstCommit(
  { mirror, branches, clock }: GitHub,
  id: RepositoryId,
  { request: { files, message, author }, repository, policy }: PendingRepository,
): Promise<Result<Head, GitFailure>> {
  const branch = policy.defaultBranch
  const before = await branches.tipOf(id, branch)
  if (!before.ok) return before
  const at = Date.parse(repository.created_at ?? '') || clock.now()
  return mirror.placeRoot(id, { branch, before: before.value, files, message, author, at })
}

async function addTopics(
  github: GitHub,
  id: RepositoryId,
  names: readonly string[],
): Promise<Result<void, GitFailure>> {
  if (names.length === 0) return ok(undefined)
  return set(github, id, { method: 'PUT', path: `${pathOf(id)}/topics`, body: { names } })
}

async function admitTeam(
  github: GitHub,
  repository: RepositoryId,
  { request: { team }, policy: { teamPermission: permission } }: PendingRepository,
): Promise<Result<void, GitFailure>> {
  if (permission === null) return ok(undefined)
  const { owner, name } = repository
  const path = apiPath`/orgs/${owner}/teams/${team}/repos/${owner}/${name}`
  return addTeam(github, { repository, team, path, body: { permission }, done: [204] })
}

/** The last step: from here on the repository exists for every method. */
async function show(
  github: GitHub,
  id: RepositoryId,
  { request, mark, policy }: PendingRepository,
): Promise<Result<void, GitFailure>> {
  const body = {
    default_branch: policy.defaultBranch,
    description: cleanDescription(request.description),
    homepage: mark.homepage,
    ...(policy.visibility !== 'private' && { visibility: policy.visibility }),
  }
  return set(
    github,
    id,
    { method: 'PATCH', path: pathOf(id), body },
    ({ homepage }) => homepage === mark.homepage,
  )
}

/** Sets something of a repository. After a lost answer the repository tells whether it is set; without a question it fails. */
async function set(
  { client, known }: GitHub,
  id: RepositoryId,
  {
    method,
    path,
    body,
  }: { readonly method: WriteMethod; readonly path: string; readonly body: object },
  isSet: (repository: RepositoryAnswer) => boolean = () => false,
): Promise<Result<void, GitFailure>> {
  const answer = await client.write(method, path, body)
  if (answer.ok) {
    const { status } = answer.value
    return status >= 200 && status < 300 ? ok(undefined) : err(refusal(id, answer.value))
  }
  if (!isUncertain(answer.error)) return answer
  const found = await known.ask(id)
  return found.ok && isSet(found.value) ? ok(undefined) : answer
}

const refusal = (id: RepositoryId, answer: Parameters<typeof gitHubRefusal>[0]): GitFailure =>
  gitHubRefusal(answer, { repository: nameOf(id), right: 'administration: write' })
