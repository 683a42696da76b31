import type { RepositoryId } from '../../../names.ts'
import type { GitFailure } from '../../../ports/git-host.ts'
import { err, ok } from '../../../result.ts'
import { type Answer, apiPath, refusalOf } from '../hosted/api/client.ts'
import { nameOf, pathOf } from '../hosted/known-repositories.ts'
import type { Hosted } from '../hosted/hosted.ts'
import { type CreationApi, giveTeam, postRepository } from '../hosted/repositories.ts'

export const creationApi = ({
  client,
  log,
  repositories: { visibility, defaultBranch, topics, teamPermission },
}: Hosted): CreationApi => ({
  post: (repository, pendingDescription) =>
    postRepository(client, repository, {
      name: repository.name,
      description: pendingDescription,
      private: true,
      default_branch: defaultBranch,
      auto_init: false,
    }),
  async furnish(repository, { team }) {
    if (topics.length > 0) {
      const answer = await client.write('PUT', `${pathOf(repository)}/topics`, { topics })
      if (!answer.ok) return answer
      if (answer.value.status !== 204) {
        const subject = { repository: nameOf(repository), right: 'repository: write' }
        return err(refusalOf(answer.value, subject))
      }
    }
    // The permission is that which the team has at the host.
    if (teamPermission === null) return ok(undefined)
    const path = `${pathOf(repository)}${apiPath`/teams/${team}`}`
    // 422: the team is there already.
    return giveTeam({ log }, { repository, team }, [204, 422], client.write('PUT', path))
  },
  show: (repository, { description, homepage }) =>
    client.write('PATCH', pathOf(repository), {
      description,
      website: homepage,
      private: visibility === 'private',
    }),
  refusalOf: refusalOfCreation,
})

function refusalOfCreation(answer: Answer, repository: RepositoryId): GitFailure {
  return answer.status === 403 || answer.status === 404
    ? { kind: 'git_denied', what: `organization: create repositories in ${repository.owner}` }
    : refusalOf(answer, { repository: nameOf(repository), right: 'repository: admin' })
}
