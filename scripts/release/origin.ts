import { ReleaseFailure } from './release-failure.ts'

/** What a release is made of. The same origin makes the same bytes. */
export interface Origin {
  readonly commit: string
  readonly committedAt: Date
}

/**
 * The commit that is checked out in a folder. Where there is no repository the environment says it: `PORTICO_COMMIT`, and
 * `SOURCE_DATE_EPOCH` in seconds (https://reproducible-builds.org/specs/source-date-epoch/).
 */
export async function originOf(
  folder: string,
  variables: Readonly<Record<string, string | undefined>>,
): Promise<Origin> {
  const { PORTICO_COMMIT: commit, SOURCE_DATE_EPOCH: seconds } = variables
  if (commit !== undefined && seconds !== undefined) return originFrom(commit, seconds)
  if ((await git(folder, ['status', '--porcelain'])) !== '') {
    throw new ReleaseFailure('a release is made of a commit, and there are changes beside it')
  }
  const shown = await git(folder, ['show', '--no-patch', '--format=%H %ct', 'HEAD'])
  const [hash = '', committed = ''] = shown.split(' ')
  return originFrom(hash.slice(0, 12), committed)
}

function originFrom(commit: string, seconds: string): Origin {
  if (!/^\d{1,11}$/.test(seconds)) {
    throw new ReleaseFailure(`SOURCE_DATE_EPOCH is a number of seconds, not ${seconds}`)
  }
  return { commit, committedAt: new Date(Number(seconds) * 1_000) }
}

async function git(folder: string, command: readonly string[]): Promise<string> {
  const run = Bun.spawn(['git', ...command], { cwd: folder, stdout: 'pipe', stderr: 'pipe' })
  const [said, why, exitCode] = await Promise.all([
    run.stdout.text(),
    run.stderr.text(),
    run.exited,
  ])
  if (exitCode !== 0) throw new ReleaseFailure(`git cannot say which commit this is: ${why.trim()}`)
  return said.trim()
}
