import type { RepositoryId, TeamName } from '../../../names.ts'
import type { GitAnswer } from '../../../ports/git-host.ts'
import { ok } from '../../../result.ts'
import { messageOf } from './api/client.ts'
import type { Hosted } from './hosted.ts'
import { nameOf } from './known-repositories.ts'

interface TeamAccess {
  readonly repository: RepositoryId
  readonly team: TeamName
  /** The call that adds the team, with PUT. */
  readonly path: string
  readonly body?: object
  /** Answers by which the team has its access. */
  readonly done: readonly number[]
}

/**
 * Adds the owning team to its new repository. A refusal, such as for a team that the host does not have, is logged alone: the
 * repository exists, and an administrator of the host can add the team later. Asking twice is safe.
 */
export async function addTeam(
  { client, log }: Pick<Hosted, 'client' | 'log'>,
  { repository, team, path, body, done }: TeamAccess,
): GitAnswer<void> {
  const answer = await client.write('PUT', path, body)
  if (!answer.ok) return answer
  const { status } = answer.value
  if (!done.includes(status)) {
    const reason = messageOf(answer.value)
    const fields = { repository: nameOf(repository), team, status, reason }
    log.warn(fields, 'the owning team could not be added to its repository')
  }
  return ok(undefined)
}
