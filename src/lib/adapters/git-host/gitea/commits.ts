import { LRUCache } from 'lru-cache'
import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { ObjectId, type RepositoryId } from '../../../names.ts'
import type { Commit, CommitRange, GitFailure } from '../../../ports/git-host.ts'
import { err, ok, type Result } from '../../../result.ts'
import { named } from '../../../schema/named.ts'
import { apiPath, hostError, refusalOf, type HostClient } from '../hosted/client.ts'
import type { Facts } from './facts.ts'

const KNOWN_COMMITS_MAX = 10_000
/** Gitea's default bound of other lists, `MAX_RESPONSE_ITEMS`. */
const COMMITS_PER_PAGE = 50
const PAGES_MAX = 100
/** Leaves out what takes the server the longest. */
const PLAIN = { stat: 'false', verification: 'false', files: 'false' }

const CommitAnswer = Compile(
  Type.Object({
    sha: named(ObjectId),
    commit: Type.Object({ message: Type.String() }),
  }),
)

export type RequireCommit = Commits['require']
export type Commits = ReturnType<typeof createCommits>

/** Commits of complete repositories. */
export function createCommits(
  client: Pick<HostClient, 'read' | 'readPages'>,
  facts: Pick<Facts, 'read' | 'missing'>,
) {
  const known = new LRUCache<string, true>({ max: KNOWN_COMMITS_MAX })

  /** Succeeds when the repository has this commit. */
  async function require(
    repository: RepositoryId,
    id: ObjectId,
  ): Promise<Result<void, GitFailure>> {
    const complete = await facts.read(repository)
    if (!complete.ok) return complete
    const { owner, name } = repository
    const key = `${owner}/${name}/${id}`
    if (known.has(key)) return ok(undefined)
    const path = apiPath`/repos/${owner}/${name}/git/commits/${id}`
    const answer = await client.read(path, { query: PLAIN })
    if (!answer.ok) return answer
    const { status, json } = answer.value
    if (status === 404) return facts.missing(repository, 'commit')
    if (status !== 200) {
      return err(
        refusalOf(answer.value, {
          repository: `${owner}/${name}`,
          right: READ,
        }),
      )
    }
    if (!CommitAnswer.Check(json)) return hostError('a commit has unexpected members')
    // Another id: a tag, which Gitea resolves.
    if (json.sha !== id) return err({ kind: 'git_not_found', what: 'commit' })
    known.set(key, true)
    return ok(undefined)
  }

  /** The commits must exist: Gitea answers 500 for one that it has not. */
  async function between(
    repository: RepositoryId,
    { of, without, limit }: CommitRange,
  ): Promise<Result<readonly Commit[], GitFailure>> {
    const { owner, name } = repository
    const pages = await client.readPages(apiPath`/repos/${owner}/${name}/commits`, {
      query: {
        sha: of,
        not: without,
        limit: Math.min(limit, COMMITS_PER_PAGE),
        ...PLAIN,
      },
      pagesMax: PAGES_MAX,
      enough: (items) => items.length >= limit,
    })
    if (!pages.ok) return pages
    const { status, items } = pages.value
    if (status === 404) return facts.missing(repository, 'commit')
    if (status !== 200) return hostError(`the list of commits was answered with ${status}`)
    const commits: Commit[] = []
    for (const item of items.slice(0, limit)) {
      if (!CommitAnswer.Check(item)) return hostError('a commit has unexpected members')
      commits.push({ id: item.sha, message: item.commit.message })
    }
    return ok(commits)
  }

  return {
    require,
    between,

    async list(
      repository: RepositoryId,
      range: CommitRange,
    ): Promise<Result<readonly Commit[], GitFailure>> {
      for (const id of [range.of, range.without]) {
        const found = await require(repository, id)
        if (!found.ok) return found
      }
      return between(repository, range)
    },
  }
}

const READ = 'repository: read'
