import type { RepositoryId, RepositoryOwner } from '../../../names.ts'
import { type HostClient, messageOf } from '../hosted/api/client.ts'
import { failureText } from '../../../ports/git-host/failure-text.ts'
import { createRightsCheck, reasonOf, type Right } from '../hosted/check.ts'
import { type KnownRepositories, nameOf } from '../hosted/known-repositories.ts'
import { projectPath } from './client.ts'
import { namespaceId, rightToCreate } from './creation.ts'
import { branchApi } from './project.ts'

export interface CheckMeans {
  readonly client: HostClient
  readonly known: KnownRepositories
}

/** `null`: the right is there. */
type Missing = string | null

/** Tries each right with a request that GitLab refuses for another reason when the right is there. */
export const createCheck = (means: CheckMeans) =>
  createRightsCheck({
    ...means,
    host: 'GitLab',
    branchPath: branchApi.pathOf,
    rightsFor: ({ gitops, owners }) => [
      [`role Developer on ${nameOf(gitops)}`, missingWrite(means, gitops)],
      [`merge requests on ${nameOf(gitops)}`, missingMergeRequests(means, gitops)],
      ...owners.map((owner): Right => [rightToCreate(owner), missingCreation(means, owner)]),
    ],
  })

/** A branch that begins nowhere cannot be made, which GitLab says after its checks of rights. */
async function missingWrite(
  { client, known }: CheckMeans,
  repository: RepositoryId,
): Promise<Missing> {
  const writable = await known.requireWritable(repository)
  if (!writable.ok) return failureText(writable.error)
  const body = { branch: 'portico-check', ref: 'portico/no-such-branch' }
  const path = `${projectPath(repository)}/repository/branches`
  return refusedByRight(await client.write('POST', path, body), [400])
}

/** A branch cannot be merged into itself. */
async function missingMergeRequests(
  { client, known }: CheckMeans,
  repository: RepositoryId,
): Promise<Missing> {
  const found = await known.recent(repository)
  if (!found.ok) return failureText(found.error)
  const { default_branch: branch } = found.value
  const body = { source_branch: branch, target_branch: branch, title: 'Check of rights' }
  const path = `${projectPath(repository)}/merge_requests`
  // The versions differ.
  return refusedByRight(await client.write('POST', path, body), [400, 409, 422])
}

/** A project cannot have this path. In a group where we may make none GitLab refuses the group as well. */
async function missingCreation({ client }: CheckMeans, owner: RepositoryOwner): Promise<Missing> {
  const namespace = await namespaceId(client, owner)
  if (!namespace.ok) return failureText(namespace.error)
  const body = { name: 'Check of rights', path: '-', namespace_id: namespace.value }
  const answer = await client.write('POST', '/projects', body)
  const refused = refusedByRight(answer, [400])
  if (refused !== null || !answer.ok) return refused
  const message = messageOf(answer.value)
  return /namespace|limit/.test(message) ? message : null
}

function refusedByRight(
  answer: Awaited<ReturnType<HostClient['write']>>,
  allowed: readonly number[],
): Missing {
  if (!answer.ok) return failureText(answer.error)
  return allowed.includes(answer.value.status) ? null : reasonOf(answer.value)
}
