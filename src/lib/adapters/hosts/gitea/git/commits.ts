import { LRUCache } from 'lru-cache'
import { Type } from 'typebox'
import { Compile } from 'typebox/compile'
import { ObjectId, type RepositoryId } from '../../../../names.ts'
import type { Commit, CommitRange, GitFailure } from '../../../../ports/git-host.ts'
import { err, ok, type Result } from '../../../../result.ts'
import type { PathCommits, PathHistory } from '../../../../ports/git-host/history.ts'
import { named } from '../../../../schema/named.ts'
import { apiPath, hostError, type HostClient } from '../../hosted/api/client.ts'
import {
  type KnownRepositories,
  nameOf,
  notFound,
  pathOf,
} from '../../hosted/known-repositories.ts'
import { listPathCommits } from '../../hosted/path-commits.ts'

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
    parents: Type.Array(Type.Object({ sha: named(ObjectId) })),
  }),
)

export type RequireCommit = Commits['require']
export type Commits = ReturnType<typeof createCommits>

/** Commits of complete repositories. */
export function createCommits(
  client: Pick<HostClient, 'read' | 'readPages'>,
  repositories: KnownRepositories,
) {
  const known = new LRUCache<string, true>({ max: KNOWN_COMMITS_MAX })

  /** Succeeds when the repository has this commit. */
  async function require(
    repository: RepositoryId,
    id: ObjectId,
  ): Promise<Result<void, GitFailure>> {
    const complete = await repositories.requireComplete(repository)
    if (!complete.ok) return complete
    const key = `${nameOf(repository)}/${id}`
    if (known.has(key)) return ok(undefined)
    const path = `${pathOf(repository)}${apiPath`/git/commits/${id}`}`
    const answer = await client.read(path, { query: PLAIN })
    if (!answer.ok) return answer
    const { status, json } = answer.value
    if (status !== 200) return err(await repositories.missing(repository, answer.value, 'commit'))
    if (!CommitAnswer.Check(json)) return hostError('a commit has unexpected members')
    // Another id: a tag, which Gitea resolves.
    if (json.sha !== id) return notFound('commit')
    known.set(key, true)
    return ok(undefined)
  }

  /** The commits must exist: Gitea answers 500 for one that it has not. */
  async function between(
    repository: RepositoryId,
    { of, without, limit }: CommitRange,
  ): Promise<Result<readonly Commit[], GitFailure>> {
    const pages = await client.readPages(`${pathOf(repository)}/commits`, {
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
    if (pages.value.kind === 'refused') {
      return err(await repositories.missing(repository, pages.value.answer, 'commit'))
    }
    const commits: Commit[] = []
    for (const item of pages.value.items.slice(0, limit)) {
      if (!CommitAnswer.Check(item)) return hostError('a commit has unexpected members')
      const { sha: id, commit, parents } = item
      commits.push({ id, message: commit.message, parents: parents.map(({ sha }) => sha) })
    }
    return ok(commits)
  }

  return {
    require,
    between,

    async ofPath(
      repository: RepositoryId,
      history: PathHistory,
    ): Promise<Result<PathCommits, GitFailure>> {
      const found = await require(repository, history.of)
      if (!found.ok) return found
      // Pages of a path have a size of their own (`COMMITS_RANGE_SIZE`); the limit counts for the links.
      const query = { limit: COMMITS_PER_PAGE, ...PLAIN }
      const listed = await listPathCommits(
        { client, known: repositories, query },
        repository,
        history,
      )
      if (listed.ok || listed.error.kind !== 'git_not_found') return listed
      // The commit is there: Gitea answers 404 for a path without commits.
      return listed.error.what === 'commit' ? ok({ commits: [], nextPage: null }) : listed
    },

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
