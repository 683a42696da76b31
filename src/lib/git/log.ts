import { ObjectId } from '../names.ts'
import type { Commit, CommitRange, GitFailure } from '../ports/git-host.ts'
import { err, ok, type Result } from '../result.ts'
import { gitText, hostError } from './git.ts'
import { resolveObjects } from './objects.ts'

export async function listCommits(
  directory: string,
  { of, without, limit }: CommitRange,
): Promise<Result<readonly Commit[], GitFailure>> {
  const format = ['--no-commit-header', '--format=%H %P%n%B%x00']
  const range = [`--max-count=${limit}`, of, `^${without}`, '--']
  const text = await gitText(directory, ['rev-list', ...format, ...range])
  if (!text.ok) return missingCommitOr(text, directory, [of, without])
  const commits: Commit[] = []
  for (const entry of text.value.split('\0\n').slice(0, -1)) {
    const lineEnd = entry.indexOf('\n')
    const names = entry.slice(0, lineEnd).trim().split(' ')
    const [id, ...parents] = names.flatMap((name) => ObjectId.parse(name) ?? [])
    if (id === undefined || parents.length + 1 < names.length)
      return err(hostError(`git rev-list answered ${entry.slice(0, 100)}`))
    commits.push({ id, message: entry.slice(lineEnd + 1), parents })
  }
  return ok(commits)
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
