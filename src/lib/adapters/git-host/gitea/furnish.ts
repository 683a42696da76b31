import type { RepositoryId } from '../../../names.ts'
import type { GitFailure, NewRepository } from '../../../ports/git-host.ts'
import { err, ok, type Result } from '../../../result.ts'
import { apiPath, type HostClient, refusalOf } from '../hosted/client.ts'
import type { GitHostMeans } from '../means.ts'

export interface Furniture {
  readonly topics: readonly string[]
  /** Whether the owning team is added. Its permission is the one that the team has at the host. */
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
    { owner, name }: RepositoryId,
    { team }: Pick<NewRepository, 'team'>,
  ): Promise<Result<void, GitFailure>> => {
    const repository = `${owner}/${name}`
    if (topics.length > 0) {
      const answer = await client.write('PUT', apiPath`/repos/${owner}/${name}/topics`, { topics })
      if (!answer.ok) return answer
      if (answer.value.status !== 204) {
        return err(refusalOf(answer.value, { repository, right: 'repository: write' }))
      }
    }
    if (addsTeam) {
      const path = apiPath`/repos/${owner}/${name}/teams/${team}`
      const answer = await client.write('PUT', path)
      if (!answer.ok) return answer
      const { status } = answer.value
      // 404: the host has no such team; 405: the owner is a person; 422: the team is there already.
      if (status === 404 || status === 405) {
        log.warn(
          { repository, team, status },
          'the owning team could not be added to its repository',
        )
      } else if (status !== 204 && status !== 422) {
        return err(refusalOf(answer.value, { repository, right: 'repository: admin' }))
      }
    }
    return ok(undefined)
  }
