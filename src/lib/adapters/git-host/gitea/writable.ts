import type { RepositoryId } from '../../../names.ts'
import type { GitFailure } from '../../../ports/git-host.ts'
import { err, ok, type Result } from '../../../result.ts'
import { hostPhrase } from '../hosted/client.ts'
import type { Facts } from './facts.ts'

export type Writable = (repository: RepositoryId) => Promise<Result<void, GitFailure>>

/** Refuses writes where Gitea would redirect or refuse them; its own refusals name no reason. */
export const createRequireWritable =
  (facts: Pick<Facts, 'read'>): Writable =>
  async (repository) => {
    const known = await facts.read(repository)
    if (!known.ok) return known
    const { full_name: fullName, archived } = known.value
    const name = `${repository.owner}/${repository.name}`
    if (fullName.toLowerCase() !== name.toLowerCase()) {
      return err({
        kind: 'git_denied',
        what: `${name} was renamed to ${hostPhrase(fullName)}`,
      })
    }
    if (archived === true) return err({ kind: 'git_denied', what: `${name} is archived` })
    return ok(undefined)
  }
