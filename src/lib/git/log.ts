import { ObjectId } from '../names.ts'
import type { HistoryRange } from '../ports/forge/browse.ts'
import type { Commit, CommitRange, GitAnswer, GitResult } from '../ports/git-host.ts'
import type { PathCommits } from '../ports/git-host/commit.ts'
import { err, ok } from '../result.ts'
import { ownCopy } from '../text/own-copy.ts'
import { gitText, hostError } from './git.ts'
import { resolveObjects } from './objects.ts'

const COMMITS_PER_PAGE = 50
/** Id, parents, seconds, name and message; of these the message alone has line breaks. */
const FORMAT = '--format=%H%n%P%n%ct%n%an%n%B%x00'

export const listCommits = (
  directory: string,
  { of, without, paths = [], limit }: CommitRange,
): GitAnswer<readonly Commit[]> =>
  readCommits(directory, { of, without, paths }, [
    `--max-count=${limit}`,
    ...(paths.length > 0 ? ['--first-parent'] : []),
  ])

/** A page of the history, and one commit more that tells whether there is a next page. */
export async function listHistory(
  directory: string,
  { of, without, path, page = 1 }: HistoryRange,
): GitAnswer<PathCommits> {
  const paths = path === undefined ? [] : [path]
  const commits = await readCommits(directory, { of, without, paths }, [
    `--max-count=${COMMITS_PER_PAGE + 1}`,
    `--skip=${(page - 1) * COMMITS_PER_PAGE}`,
  ])
  if (!commits.ok) return commits
  return ok({
    commits: commits.value.slice(0, COMMITS_PER_PAGE),
    nextPage: commits.value.length > COMMITS_PER_PAGE ? page + 1 : null,
  })
}

async function readCommits(
  directory: string,
  { of, without, paths }: { of: ObjectId; without: ObjectId | undefined; paths: readonly string[] },
  bounds: readonly string[],
): GitAnswer<readonly Commit[]> {
  const range = [`${of}^{commit}`, ...(without === undefined ? [] : [`^${without}^{commit}`])]
  const args = ['rev-list', '--no-commit-header', FORMAT, ...bounds, ...range, '--', ...paths]
  const text = await gitText(directory, args)
  if (!text.ok) return missingCommitOr(text, directory, [of, ...(without ? [without] : [])])
  const commits: Commit[] = []
  for (const entry of text.value.split('\0\n').slice(0, -1)) {
    const commit = parseEntry(entry)
    if (commit === undefined) return err(hostError(`git rev-list: ${entry.slice(0, 100)}`))
    commits.push(commit)
  }
  return ok(commits)
}

function parseEntry(entry: string): Commit | undefined {
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
): Promise<Failed | GitResult<never>> {
  const found = await resolveObjects(
    directory,
    commits.map((commit) => `${commit}^{commit}`),
  )
  return found.ok && found.value.includes(null)
    ? err({ kind: 'git_not_found', what: 'commit' })
    : otherwise
}

const NAME_MAX_CHARACTERS = 200
/** Control characters, line separators, and marks that turn the direction of the text around them. */
const UNSHOWN = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]+/gu

/** The name in a commit, which its author chose freely, as one line. `null`: nothing to show. */
export function authorNameOf(raw: string | null | undefined): string | null {
  const name = (raw ?? '').replaceAll(UNSHOWN, ' ').trim()
  return name === '' ? null : ownCopy(name.slice(0, NAME_MAX_CHARACTERS))
}

/** The end of the year 9999: later times have no form in RFC 3339. */
const LATEST_MS = Date.parse('9999-12-31T23:59:59Z')

/** The time in a commit, which its author chose freely, in milliseconds since the Unix epoch. `null`: it has none that can be written. */
export const commitTimeOf = (ms: number): number | null => (ms >= 0 && ms <= LATEST_MS ? ms : null)
