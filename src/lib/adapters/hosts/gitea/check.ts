import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { RepositoryId, RepositoryOwner } from '../../../names.ts'
import type { GitFailure } from '../../../ports/git-host.ts'
import { err, ok, type Result } from '../../../result.ts'
import { apiPath, type HostClient } from '../hosted/api/client.ts'
import { failureText } from '../../../ports/git-host/failure-text.ts'
import { createRightsCheck, reasonOf, type Right } from '../hosted/check.ts'
import { type KnownRepositories, nameOf, pathOf } from '../hosted/known-repositories.ts'

export interface CheckMeans {
  readonly client: HostClient
  readonly known: KnownRepositories
}

/** `null`: the right is there. */
type Missing = string | null

const Person = Compile(Type.Object({ login: Type.String() }))
const Permissions = Compile(Type.Object({ can_create_repository: Type.Boolean() }))

/** Tries each right with a request that Gitea refuses for another reason when the right is there. */
export const createCheck = (means: CheckMeans) =>
  createRightsCheck({
    ...means,
    host: 'Gitea',
    branchPath: (repository, branch) => `${pathOf(repository)}${apiPath`/branches/${branch}`}`,
    rightsFor: ({ gitops, owners }) => [
      [`repository: write on ${nameOf(gitops)}`, missingWrite(means, gitops)],
      [`pull requests: write on ${nameOf(gitops)}`, missingPullRequests(means, gitops)],
      ...owners.map((owner): Right => [
        `organization: create repositories in ${owner}`,
        missingCreation(means, owner),
      ]),
    ],
  })

/** A branch cannot be made a second time, which Gitea says after its checks of rights. */
async function missingWrite(
  { client, known }: CheckMeans,
  repository: RepositoryId,
): Promise<Missing> {
  const writable = await known.requireWritable(repository)
  const found = writable.ok ? await known.recent(repository) : writable
  if (!found.ok) return failureText(found.error)
  const body = { new_branch_name: found.value.default_branch }
  const answer = await client.write('POST', `${pathOf(repository)}/branches`, body)
  if (!answer.ok) return failureText(answer.error)
  const { status } = answer.value
  if (status === 409) return null
  return status === 403 ? `repository: write on ${nameOf(repository)}` : reasonOf(answer.value)
}

/** A pull request of a branch into itself has no changes. */
async function missingPullRequests(
  { client, known }: CheckMeans,
  repository: RepositoryId,
): Promise<Missing> {
  const found = await known.recent(repository)
  if (!found.ok) return failureText(found.error)
  const branch = found.value.default_branch
  const body = { head: branch, base: branch, title: 'Check of rights' }
  const answer = await client.write('POST', `${pathOf(repository)}/pulls`, body)
  if (!answer.ok) return failureText(answer.error)
  return answer.value.status === 422 ? null : reasonOf(answer.value)
}

/** A repository cannot be without a name. */
async function missingCreation({ client }: CheckMeans, owner: RepositoryOwner): Promise<Missing> {
  const person = await loginOf(client)
  if (!person.ok) return failureText(person.error)
  const isPerson = person.value.toLowerCase() === owner.toLowerCase()
  const path = isPerson ? '/user/repos' : apiPath`/orgs/${owner}/repos`
  const answer = await client.write('POST', path, { name: '' })
  if (!answer.ok) return failureText(answer.error)
  if (answer.value.status !== 422) return reasonOf(answer.value)
  if (isPerson) return null
  const allowed = await client.read(apiPath`/users/${person.value}/orgs/${owner}/permissions`)
  if (!allowed.ok) return failureText(allowed.error)
  const { status, json } = allowed.value
  if (status === 404) return `there is no organisation ${owner}`
  if (!Permissions.Check(json)) return reasonOf(allowed.value)
  return json.can_create_repository ? null : `no team of ${person.value} there may create them`
}

async function loginOf(client: HostClient): Promise<Result<string, GitFailure>> {
  const answer = await client.read('/user')
  if (!answer.ok) return answer
  const { json } = answer.value
  return Person.Check(json)
    ? ok(json.login)
    : err({ kind: 'git_denied', what: reasonOf(answer.value) })
}
