import type { RepositoryId } from '../../../names.ts'
import type { GitFailure } from '../../../ports/git-host.ts'
import { err, ok } from '../../../result.ts'
import { type Answer, apiPath, hostError, messageOf } from '../hosted/api/client.ts'
import { nameOf, pathOf } from '../hosted/known-repositories.ts'
import type { Hosted } from '../hosted/hosted.ts'
import { type CreationApi, giveTeam, postRepository } from '../hosted/repositories.ts'
import type { Visibility } from '../hosted/settings.ts'
import { gitHubRefusal } from './api/refusal.ts'

const CREATE_DEADLINE_MS = 15_000
const RIGHT = 'administration: write'

/** Waits for the replicas of GitHub that do not have a new repository yet: 10 s in all. */
export const REPLICATION_WAITS_MS = [250, 500, 1_000, 1_500, 2_000, 2_000, 2_750]

/** Members of a new repository. */
export const firstSeenBy = (visibility: Visibility) => ({
  private: true,
  ...(visibility === 'internal' && { visibility }),
})

export const creationApi = ({
  client,
  log,
  repositories: { visibility, topics, defaultBranch, teamPermission: permission },
}: Hosted): CreationApi => ({
  async post(repository, pendingDescription) {
    const { owner, name } = repository
    const body = { name, description: pendingDescription, ...firstSeenBy(visibility) }
    const options = { deadlineMs: CREATE_DEADLINE_MS }
    const answer = await postRepository(client, repository, body, options)
    if (!answer.ok || answer.value.status === 201) return answer
    const { status, json } = answer.value
    if (status === 409 || (status === 422 && /already exists/i.test(JSON.stringify(json)))) {
      return ok({ ...answer.value, status: 409 })
    }
    if (status === 404) return err({ kind: 'git_denied', what: `${RIGHT} in ${owner}` })
    return status === 422
      ? hostError(`refused to make ${nameOf(repository)}: ${messageOf(answer.value)}`)
      : err(gitHubRefusal(answer.value, { repository: owner, right: RIGHT }))
  },
  async furnish(repository, { team }) {
    if (topics.length > 0) {
      const answer = await client.write('PUT', `${pathOf(repository)}/topics`, { names: topics })
      if (!answer.ok) return answer
      if (answer.value.status !== 200) return err(refusalOf(answer.value, repository))
    }
    if (permission === null) return ok(undefined)
    const { owner, name } = repository
    const path = apiPath`/orgs/${owner}/teams/${team}/repos/${owner}/${name}`
    const given = client.write('PUT', path, { permission })
    return giveTeam({ log }, { repository, team }, [204], given)
  },
  show: (repository, { description, homepage, visibility: before }) =>
    client.write('PATCH', pathOf(repository), {
      default_branch: defaultBranch,
      description,
      homepage,
      ...(visibility !== before && { visibility }),
    }),
  refusalOf,
})

const refusalOf = (answer: Answer, repository: RepositoryId): GitFailure =>
  gitHubRefusal(answer, { repository: nameOf(repository), right: RIGHT })
