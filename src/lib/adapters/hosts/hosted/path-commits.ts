import { Type } from 'typebox'
import { ObjectId, type RepositoryId } from '../../../names.ts'
import type { GitFailure } from '../../../ports/git-host.ts'
import type { PathCommits, PathHistory } from '../../../ports/git-host/history.ts'
import { err, ok, type Result } from '../../../result.ts'
import { named } from '../../../schema/named.ts'
import { authorNameOf } from '../../../git/author-name.ts'
import { commitTimeOf } from '../../../git/commit-time.ts'
import { answerReader, Maybe } from './api/answer-reader.ts'
import { type HostClient, hostError, type ReadOptions } from './api/client.ts'
import { nextPageOf } from './api/pages.ts'
import { type KnownRepositories, pathOf } from './known-repositories.ts'

/** An author or committer. Git checks neither. */
const Signature = Maybe(Type.Object({ name: Maybe(Type.String()), date: Maybe(Type.String()) }))

const readCommits = answerReader(
  'commits',
  Type.Array(
    Type.Object({
      sha: named(ObjectId),
      commit: Type.Object({ message: Type.String(), author: Signature, committer: Signature }),
      parents: Type.Array(Type.Object({ sha: named(ObjectId) })),
    }),
  ),
)

export interface PathCommitMeans {
  readonly client: Pick<HostClient, 'read'>
  readonly known: Pick<KnownRepositories, 'missing'>
  /** Size of a page and parts of commits that are not read. */
  readonly query: ReadOptions['query']
}

/** A page of the commits that changed a path, of a complete repository. GitHub and Gitea describe them alike. */
export async function listPathCommits(
  { client, known, query }: PathCommitMeans,
  repository: RepositoryId,
  { of, path, page = 1 }: PathHistory,
): Promise<Result<PathCommits, GitFailure>> {
  const answer = await client.read(`${pathOf(repository)}/commits`, {
    query: { sha: of, path, page, ...query },
  })
  if (!answer.ok) return answer
  const { status, headers, json } = answer.value
  if (status !== 200) return err(await known.missing(repository, answer.value, 'commit'))
  // An empty list of Gitea may be `null`.
  const read = readCommits({ json: json ?? [] })
  if (!read.ok) return read
  const commits = read.value.map(({ sha, commit: { message, author, committer }, parents }) => ({
    id: sha,
    message,
    parents: parents.map((parent) => parent.sha),
    authorName: authorNameOf(author?.name),
    committedAt: commitTimeOf(Date.parse(committer?.date ?? '')),
  }))
  // Gitea links to more pages than there are where its pages are longer than it counts on.
  const nextPage = commits.length === 0 ? null : nextPageOf(headers)
  if (nextPage === null || nextPage === page + 1) return ok({ commits, nextPage })
  return hostError('gave another page than was asked for')
}
