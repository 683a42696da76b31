import { ObjectId, type RepositoryPath } from '../names.ts'
import type { Commit, CommitRange, GitFailure } from '../ports/git-host.ts'
import type { PathCommit, PathCommits, PathHistory } from '../ports/git-host/history.ts'
import { err, ok, type Result } from '../result.ts'
import { ownCopy } from '../text/own-copy.ts'
import { authorNameOf } from './author-name.ts'
import { commitTimeOf } from './commit-time.ts'
import { gitText, hostError } from './git.ts'
import { resolveObjects } from './objects.ts'

const COMMITS_PER_PAGE = 50
/** Id, parents, seconds, name and message; of these the message alone has line breaks. */
const FORMAT = '--format=%H%n%P%n%ct%n%an%n%B%x00'

export async function listCommits(
  directory: string,
  { of, without, limit }: CommitRange,
): Promise<Result<readonly Commit[], GitFailure>> {
  const range = [`--max-count=${limit}`, of, `^${without}`, '--']
  const commits = await readCommits(directory, range, [of, without])
  if (!commits.ok) return commits
  return ok(commits.value.map(({ id, message, parents }) => ({ id, message, parents })))
}

export const listPathCommits = (
  directory: string,
  { of, path, page = 1 }: PathHistory,
): Promise<Result<PathCommits, GitFailure>> => listHistory(directory, { of, path, page })

interface HistoryRange extends Omit<PathHistory, 'path'> {
  readonly path?: RepositoryPath
  /** Leaves out what is in the history of this one. */
  readonly without?: ObjectId
}

/** A page of the history, and one commit more that tells whether there is a next page. */
export async function listHistory(
  directory: string,
  { of, without, path, page = 1 }: HistoryRange,
): Promise<Result<PathCommits, GitFailure>> {
  const range = [
    `--max-count=${COMMITS_PER_PAGE + 1}`,
    `--skip=${(page - 1) * COMMITS_PER_PAGE}`,
    `${of}^{commit}`,
    ...(without === undefined ? [] : [`^${without}^{commit}`]),
    '--',
    ...(path === undefined ? [] : [path]),
  ]
  const commits = await readCommits(directory, range, [of, ...(without ? [without] : [])])
  if (!commits.ok) return commits
  return ok({
    commits: commits.value.slice(0, COMMITS_PER_PAGE),
    nextPage: commits.value.length > COMMITS_PER_PAGE ? page + 1 : null,
  })
}

async function readCommits(
  directory: string,
  range: readonly string[],
  named: readonly ObjectId[],
): Promise<Result<readonly PathCommit[], GitFailure>> {
  const text = await gitText(directory, ['rev-list', '--no-commit-header', FORMAT, ...range])
  if (!text.ok) return missingCommitOr(text, directory, named)
  const commits: PathCommit[] = []
  for (const entry of text.value.split('\0\n').slice(0, -1)) {
    const commit = parseEntry(entry)
    if (commit === undefined) return err(hostError(`git rev-list: ${entry.slice(0, 100)}`))
    commits.push(commit)
  }
  return ok(commits)
}

function parseEntry(entry: string): PathCommit | undefined {
  const [first, second, third, fourth, ...message] = entry.split('\n')
  // They are kept for long, and the message is not.
  const [id, parents = '', seconds, name] = [first, second, third, fourth].map(
    (line) => line && ownCopy(line),
  )
  const commit = ObjectId.parse(id)
  if (commit === undefined || seconds === undefined) return undefined
  return {
    id: commit,
    message: message.join('\n'),
    parents: parents.split(' ').flatMap((parent) => ObjectId.parse(parent) ?? []),
    authorName: authorNameOf(name),
    // A damaged date is empty.
    committedAt: /^\d+$/.test(seconds) ? commitTimeOf(Number(seconds) * 1_000) : null,
  }
}

/** `git_not_found` if the repository lacks one of these commits, else the given outcome. */
export async function missingCommitOr<Failed>(
  otherwise: Failed,
  directory: string,
  commits: readonly ObjectId[],
): Promise<Failed | Result<never, GitFailure>> {
  const found = await resolveObjects(
    directory,
    commits.map((commit) => `${commit}^{commit}`),
  )
  return found.ok && found.value.includes(null)
    ? err({ kind: 'git_not_found', what: 'commit' })
    : otherwise
}
