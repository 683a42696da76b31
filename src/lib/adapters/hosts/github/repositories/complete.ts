import type { BranchName, ObjectId, RepositoryId } from '../../../../names.ts'
import type { GitFailure, Head, NewRepository } from '../../../../ports/git-host.ts'
import { err, ok, type Result } from '../../../../result.ts'
import { apiPath, isUncertain, type WriteMethod } from '../../hosted/api/client.ts'
import { cleanDescription, type CreationMark } from '../../hosted/marker.ts'
import {
  defaultBranchOf,
  nameOf,
  pathOf,
  type RepositoryAnswer,
} from '../../hosted/known-repositories.ts'
import { addTeam } from '../../hosted/team-access.ts'
import type { GitHub } from '../github.ts'
import { type CommitAuthor, writeCommit, writeTree } from '../git/objects.ts'
import { createBranch, resetBranch } from '../git/refs.ts'
import { gitHubRefusal, rightToWrite } from '../api/refusal.ts'
import { whenReplicated } from './replication.ts'

/** Settings of new repositories. */
export interface RepositoryPolicy {
  /** Origin of the portal. */
  readonly publicOrigin: string
  readonly visibility: 'private' | 'internal' | 'public'
  readonly topics: readonly string[]
  readonly defaultBranch: BranchName
  readonly teamPermission: 'pull' | 'triage' | 'push' | 'maintain' | 'admin' | null
  readonly commitAuthor: CommitAuthor
  readonly replicationWaitsMs?: readonly number[]
}

export interface PendingRepository {
  readonly request: NewRepository
  readonly repository: RepositoryAnswer
  /** Made by this call; otherwise another one began it. */
  readonly isNew: boolean
  readonly mark: CreationMark
  readonly policy: RepositoryPolicy
}

/** The steps from a repository with GitHub's own first commit to a complete one. Each can be repeated. */
export async function completeRepository(
  github: GitHub,
  id: RepositoryId,
  pending: PendingRepository,
): Promise<Result<Head, GitFailure>> {
  const { policy, repository, request } = pending
  const initial = defaultBranchOf(repository)
  if (!initial.ok) return initial
  const commit = await whenReplicated(
    () => writeFirstCommit(github, id, pending),
    policy.replicationWaitsMs,
  )
  if (!commit.ok) {
    // The repository is there, so that 404 means a right that we lack.
    const what = `${rightToWrite(request.files)} on ${nameOf(id)}`
    return commit.error.kind === 'git_not_found' ? err({ kind: 'git_denied', what }) : commit
  }
  const first = { branch: policy.defaultBranch, commit: commit.value }
  const steps = [
    () => placeFirstCommit(github, id, initial.value, first),
    () =>
      pending.isNew && initial.value === first.branch
        ? ok(undefined)
        : removeOtherBranches(github, id, first.branch),
    () => addTopics(github, id, policy.topics),
    () => admitTeam(github, id, pending),
    () => show(github, id, pending),
  ]
  for (const step of steps) {
    const done = await step()
    if (!done.ok) return done
  }
  github.known.note(id, { ...repository, default_branch: first.branch })
  return ok(first)
}

/** With the time of the repository's creation, so that a repetition makes the same commit. */
async function writeFirstCommit(
  github: GitHub,
  id: RepositoryId,
  { request, repository, policy }: PendingRepository,
): Promise<Result<ObjectId, GitFailure>> {
  const changes = request.files.map(({ path, bytes, executable = false }) => ({
    path,
    file: { bytes, executable },
  }))
  const tree = await writeTree(github, id, { base: null, changes })
  if (!tree.ok) return tree
  const at = Date.parse(repository.created_at ?? '') || github.clock.now()
  const { message, author } = request
  const made = { tree: tree.value, parents: [], message, author, at }
  const commit = await writeCommit(github, id, made, policy.commitAuthor)
  if (commit.ok) github.kept.keepTreeOf(id, commit.value, tree.value)
  return commit
}

/** On the wanted branch, which becomes the default branch. GitHub began with the one that its owner prefers. */
async function placeFirstCommit(
  github: GitHub,
  id: RepositoryId,
  initial: BranchName,
  { branch, commit }: Head,
): Promise<Result<void, GitFailure>> {
  if (branch === initial) return whenReplicated(() => resetBranch(github, id, branch, commit))
  const created = await whenReplicated(() => createBranch(github, id, branch, commit))
  if (!created.ok) {
    if (created.error.kind !== 'git_branch_exists') return created
    const moved = await resetBranch(github, id, branch, commit)
    if (!moved.ok) return moved
  }
  return set(
    github,
    id,
    { method: 'PATCH', path: pathOf(id), body: { default_branch: branch } },
    (now) => now.default_branch === branch,
  )
}

async function removeOtherBranches(
  github: GitHub,
  id: RepositoryId,
  kept: BranchName,
): Promise<Result<void, GitFailure>> {
  const branches = await github.branches.startingWith(id, '')
  if (!branches.ok) return branches
  for (const branch of branches.value) {
    if (branch === kept) continue
    const path = `${pathOf(id)}${apiPath`/git/refs/heads/${branch}`}`
    const removed = await github.client.write('DELETE', path)
    if (!removed.ok) return removed
    // 422: somebody was faster.
    const { status } = removed.value
    if (status !== 204 && status !== 422) return err(refusal(id, removed.value))
  }
  return ok(undefined)
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
