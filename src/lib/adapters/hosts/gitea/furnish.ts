import type { RepositoryId } from '../../../names.ts'
import type { GitFailure, NewRepository } from '../../../ports/git-host.ts'
import { err, ok, type Result } from '../../../result.ts'
import { apiPath, type HostClient, refusalOf } from '../hosted/api/client.ts'
import { nameOf, pathOf } from '../hosted/known-repositories.ts'
import { addTeam } from '../hosted/team-access.ts'
import type { GitHostMeans } from '../means.ts'

export interface Furniture {
  readonly topics: readonly string[]
  /** `true`: the owning team is added, with the permission that it has at the host. */
  readonly addsTeam: boolean
}

/** Topics and the owning team of a new repository, before it becomes visible. Asking twice is safe. */
export const createFurnish =
  (
    client: Pick<HostClient, 'write'>,
    { topics, addsTeam }: Furniture,
    log: Pick<GitHostMeans['log'], 'warn'>,
  ) =>
  async (
    id: RepositoryId,
    { team }: Pick<NewRepository, 'team'>,
  ): Promise<Result<void, GitFailure>> => {
    const repository = nameOf(id)
    if (topics.length > 0) {
      const answer = await client.write('PUT', `${pathOf(id)}/topics`, { topics })
      if (!answer.ok) return answer
      if (answer.value.status !== 204) {
        return err(refusalOf(answer.value, { repository, right: 'repository: write' }))
      }
    }
    if (!addsTeam) return ok(undefined)
    const path = `${pathOf(id)}${apiPath`/teams/${team}`}`
    // 422: the team is there already.
    return addTeam({ client, log }, { repository: id, team, path, done: [204, 422] })
  }
