import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import type { RepositoryOwner } from '../../../names.ts'
import { failureText } from '../../../ports/git-host/failure-text.ts'
import { type HostClient, messageOf } from '../hosted/api/client.ts'
import { createRightsCheck, missingBy } from '../hosted/check.ts'
import type { Hosted } from '../hosted/hosted.ts'
import { nameOf } from '../hosted/known-repositories.ts'
import { namespaceId, rightToCreate } from './creation.ts'
import { branchApi, projectPath } from './project.ts'

const Branch = Compile(Type.Object({ protected: Type.Boolean(), can_push: Type.Boolean() }))

export const createCheck = ({ client, known }: Pick<Hosted, 'client' | 'known'>) =>
  createRightsCheck({
    host: 'GitLab',
    known,
    rightsOn(gitops, branch) {
      const tried = async (path: string, body: object, allowed: readonly number[]) =>
        missingBy(await client.write('POST', `${projectPath(gitops)}${path}`, body), allowed)
      // A branch that begins nowhere cannot be made, which GitLab says after its checks of rights.
      const nowhere = { branch: 'portico-check', ref: 'portico/no-such-branch' }
      const itself = { source_branch: branch, target_branch: branch, title: 'Check of rights' }
      return [
        [`role Developer on ${nameOf(gitops)}`, tried('/repository/branches', nowhere, [400])],
        [
          `merge requests on ${nameOf(gitops)}`,
          // The versions differ.
          tried('/merge_requests', itself, [400, 409, 422]),
        ],
      ]
    },
    rightIn: (owner) => [rightToCreate(owner), missingCreation(client, owner)],
    async isProtected(repository, branch) {
      const answer = await client.read(branchApi.pathOf(repository, branch))
      if (!answer.ok || !Branch.Check(answer.value.json)) return null
      const { protected: isProtected, can_push: mayPush } = answer.value.json
      return isProtected && !mayPush
    },
  })

/** A project cannot have this path. In a group where we may make none GitLab refuses the group as well. */
async function missingCreation(client: HostClient, owner: RepositoryOwner): Promise<string | null> {
  const namespace = await namespaceId(client, owner)
  if (!namespace.ok) return failureText(namespace.error)
  const body = { name: 'Check of rights', path: '-', namespace_id: namespace.value }
  const answer = await client.write('POST', '/projects', body)
  const refused = missingBy(answer, [400])
  if (refused !== null || !answer.ok) return refused
  const message = messageOf(answer.value)
  return /namespace|limit/.test(message) ? message : null
}
