import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { BranchName, RepositoryId, RepositoryOwner } from '../../../names.ts'
import { failureText } from '../../../ports/git-host/failure-text.ts'
import { apiPath, type HostClient } from '../hosted/api/client.ts'
import { createRightsCheck, missingBy, reasonOf } from '../hosted/check.ts'
import type { Hosted } from '../hosted/hosted.ts'
import { nameOf, pathOf } from '../hosted/known-repositories.ts'

const Person = Compile(Type.Object({ login: Type.String() }))
const Permissions = Compile(Type.Object({ can_create_repository: Type.Boolean() }))
const Branch = Compile(Type.Object({ protected: Type.Boolean(), user_can_push: Type.Boolean() }))

export const createCheck = ({ client, known }: Pick<Hosted, 'client' | 'known'>) =>
  createRightsCheck({
    host: 'Gitea',
    known,
    rightsOn(gitops, branch) {
      const write = `repository: write on ${nameOf(gitops)}`
      return [
        [write, missingWrite(client, gitops, branch, write)],
        [`pull requests: write on ${nameOf(gitops)}`, missingPullRequests(client, gitops, branch)],
      ]
    },
    rightIn: (owner) => [
      `organization: create repositories in ${owner}`,
      missingCreation(client, owner),
    ],
    async isProtected(repository, branch) {
      const answer = await client.read(`${pathOf(repository)}${apiPath`/branches/${branch}`}`)
      if (!answer.ok || !Branch.Check(answer.value.json)) return null
      const { protected: isProtected, user_can_push: mayPush } = answer.value.json
      return isProtected && !mayPush
    },
  })

/** A branch cannot be made a second time, which Gitea says after its checks of rights. */
const missingWrite = async (
  client: HostClient,
  repository: RepositoryId,
  branch: BranchName,
  right: string,
) =>
  missingBy(
    await client.write('POST', `${pathOf(repository)}/branches`, { new_branch_name: branch }),
    [409],
    (answer) => (answer.status === 403 ? right : reasonOf(answer)),
  )

/** A pull request of a branch into itself has no changes. */
const missingPullRequests = async (
  client: HostClient,
  repository: RepositoryId,
  branch: BranchName,
) =>
  missingBy(
    await client.write('POST', `${pathOf(repository)}/pulls`, {
      head: branch,
      base: branch,
      title: 'Check of rights',
    }),
    [422],
  )

/** A repository cannot be without a name. */
async function missingCreation(client: HostClient, owner: RepositoryOwner): Promise<string | null> {
  const user = await client.read('/user')
  if (!user.ok) return failureText(user.error)
  if (!Person.Check(user.value.json)) return reasonOf(user.value)
  const { login } = user.value.json
  const isPerson = login.toLowerCase() === owner.toLowerCase()
  const path = isPerson ? '/user/repos' : apiPath`/orgs/${owner}/repos`
  const refused = missingBy(await client.write('POST', path, { name: '' }), [422])
  if (refused !== null || isPerson) return refused
  const allowed = await client.read(apiPath`/users/${login}/orgs/${owner}/permissions`)
  if (!allowed.ok) return failureText(allowed.error)
  const { status, json } = allowed.value
  if (status === 404) return `there is no organisation ${owner}`
  if (!Permissions.Check(json)) return reasonOf(allowed.value)
  return json.can_create_repository ? null : `no team of ${login} there may create them`
}
