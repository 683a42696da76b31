import { LRUCache } from 'lru-cache'
import { BranchName, type RepositoryId } from '../../../names.ts'
import type { Clock } from '../../../ports/clock.ts'
import type { GitFailure } from '../../../ports/git-host.ts'
import { err, ok, type Result } from '../../../result.ts'
import { type Answer, apiPath, type HostClient, hostError } from '../hosted/client.ts'
import { isPending } from '../hosted/marker.ts'
import { readRepository, type RepositoryAnswer } from './answers.ts'
import { gitHubRefusal } from './refusal.ts'

const DEFAULT_BRANCH_MS = 60_000
const REPOSITORIES_MAX = 10_000

type Missing = Extract<GitFailure, { kind: 'git_not_found' }>['what']

export const nameOf = ({ owner, name }: RepositoryId): string => `${owner}/${name}`
export const pathOf = ({ owner, name }: RepositoryId): string => apiPath`/repos/${owner}/${name}`
export const notFound = (what: Missing) => err({ kind: 'git_not_found', what } as const)

/**
 * Which repositories there are. One that is being made does not exist; once complete it stays so, and is asked for again only
 * for its default branch and to find out what a 404 means.
 */
export interface KnownRepositories {
  /** Also a repository that is being made. */
  ask(repository: RepositoryId): Promise<Result<RepositoryAnswer, GitFailure>>
  requireComplete(repository: RepositoryId): Promise<Result<unknown, GitFailure>>
  /** Notes that a repository is complete now. */
  completed(repository: RepositoryId, defaultBranch: BranchName): void
  /** At most a minute old. */
  defaultBranch(repository: RepositoryId): Promise<Result<BranchName, GitFailure>>
  /** The default branch as it is now. */
  defaultBranchNow(repository: RepositoryId): Promise<Result<BranchName, GitFailure>>
  /** The failure of a read that did not find its object: the repository may be gone as well. */
  missing(repository: RepositoryId, answer: Answer, what: Missing): Promise<GitFailure>
}

export function createKnownRepositories(
  client: Pick<HostClient, 'read'>,
  clock: Clock,
): KnownRepositories {
  const known = new LRUCache<string, { readonly defaultBranch: string; readonly at: number }>({
    max: REPOSITORIES_MAX,
  })

  async function ask(repository: RepositoryId): Promise<Result<RepositoryAnswer, GitFailure>> {
    const answer = await client.read(pathOf(repository))
    if (!answer.ok) return answer
    if (answer.value.status === 200) return readRepository(answer.value)
    known.delete(nameOf(repository))
    return err(
      gitHubRefusal(answer.value, { repository: nameOf(repository), right: 'metadata: read' }),
    )
  }

  async function askComplete(repository: RepositoryId): Promise<Result<string, GitFailure>> {
    const asked = await ask(repository)
    if (!asked.ok) return asked
    const { description, default_branch: defaultBranch } = asked.value
    if (isPending({ description: description ?? '' })) return notFound('repository')
    known.set(nameOf(repository), { defaultBranch, at: clock.now() })
    return ok(defaultBranch)
  }

  const named = (branch: Result<string, GitFailure>): Result<BranchName, GitFailure> => {
    if (!branch.ok) return branch
    const name = BranchName.parse(branch.value)
    return name === undefined ? hostError('the default branch has an unusable name') : ok(name)
  }

  return {
    ask,
    requireComplete: async (repository) =>
      known.has(nameOf(repository)) ? ok(null) : askComplete(repository),
    completed: (repository, defaultBranch) =>
      void known.set(nameOf(repository), { defaultBranch, at: clock.now() }),
    async defaultBranch(repository) {
      const found = known.get(nameOf(repository))
      const age = clock.now() - (found?.at ?? 0)
      const isRecent = found !== undefined && age >= 0 && age < DEFAULT_BRANCH_MS
      return named(isRecent ? ok(found.defaultBranch) : await askComplete(repository))
    },
    defaultBranchNow: async (repository) => named(await askComplete(repository)),
    async missing(repository, answer, what) {
      const { status } = answer
      // 409 "Git Repository is empty.": it exists with its first commit.
      if (status === 409) return notFound('repository').error
      if (status !== 404 && status !== 422) {
        return gitHubRefusal(answer, { repository: nameOf(repository), right: 'contents: read' })
      }
      const asked = await askComplete(repository)
      return asked.ok ? notFound(what).error : asked.error
    },
  }
}
