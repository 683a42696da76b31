import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { RepositoryOwner } from '../../../names.ts'
import { failureText } from '../../../ports/git-host/failure-text.ts'
import { type Answer, apiPath, type HostClient } from '../hosted/api/client.ts'
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
      const tried = async (
        path: string,
        body: object,
        allowed: readonly number[],
        why = reasonOf,
      ) => missingBy(await client.write('POST', `${pathOf(gitops)}${path}`, body), allowed, why)
      const name = nameOf(gitops)
      const [write, pulls] = [`repository: write on ${name}`, `pull requests: write on ${name}`]
      const reason = (answer: Answer) => (answer.status === 403 ? write : reasonOf(answer))
      // A branch cannot be made a second time, which Gitea says after its checks of rights.
      const again = { new_branch_name: branch }
      // A pull request of a branch into itself has no changes.
      const itself = { head: branch, base: branch, title: 'Check of rights' }
      return [
        [write, tried('/branches', again, [409], reason)],
        [pulls, tried('/pulls', itself, [422])],
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
