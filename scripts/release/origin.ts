import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ReleaseFailure } from './release-failure.ts'

const COMMIT = /^[0-9a-f]{7,40}$/
const SECONDS = /^\d{1,11}$/
const COMMIT_DIGITS = 12

/** The commit of a release. The same origin makes the same bytes. */
export interface Origin {
  readonly commit: string
  readonly committedAt: Date
}

/**
 * The commit that is checked out in a folder. Without a repository the environment names it: `PORTICO_COMMIT`, and
 * `SOURCE_DATE_EPOCH` in seconds (https://reproducible-builds.org/specs/source-date-epoch/). Beside a repository both have to agree.
 */
export async function originOf(
  folder: string,
  variables: Readonly<Record<string, string | undefined>>,
): Promise<Origin> {
  const { PORTICO_COMMIT: commit, SOURCE_DATE_EPOCH: seconds } = variables
  if (commit !== undefined && !COMMIT.test(commit)) {
    throw new ReleaseFailure(`PORTICO_COMMIT is 7 to 40 digits of a commit, not ${commit}`)
  }
  if (seconds !== undefined && !SECONDS.test(seconds)) {
    throw new ReleaseFailure(`SOURCE_DATE_EPOCH is a number of seconds, not ${seconds}`)
  }
  if (existsSync(join(folder, '.git'))) return checkedOut(folder, commit, seconds)
  if (commit === undefined || seconds === undefined) {
    throw new ReleaseFailure(
      'there is no repository here, so PORTICO_COMMIT and SOURCE_DATE_EPOCH have to say what this is',
    )
  }
  return originFrom(commit, seconds)
}

async function checkedOut(
  folder: string,
  expected: string | undefined,
  expectedSeconds: string | undefined,
): Promise<Origin> {
  if ((await git(folder, ['status', '--porcelain'])) !== '') {
    throw new ReleaseFailure('a release is made of a commit, and there are changes beside it')
  }
  const shown = await git(folder, ['show', '--no-patch', '--format=%H %ct', 'HEAD'])
  const [commit = '', seconds = ''] = shown.split(' ')
  if (expected !== undefined && !commit.startsWith(expected)) {
    throw new ReleaseFailure(`PORTICO_COMMIT is ${expected}, and the repository is at ${commit}`)
  }
  if (expectedSeconds !== undefined && expectedSeconds !== seconds) {
    throw new ReleaseFailure(
      `SOURCE_DATE_EPOCH is ${expectedSeconds}, and the commit is of ${seconds}`,
    )
  }
  return originFrom(commit, seconds)
}

const originFrom = (commit: string, seconds: string): Origin => ({
  commit: commit.slice(0, COMMIT_DIGITS),
  committedAt: new Date(Number(seconds) * 1_000),
})

/** Runs git on the repository of the folder itself, not on an enclosing one nor on that of `GIT_DIR`. */
async function git(folder: string, command: readonly string[]): Promise<string> {
  const run = Bun.spawn(['git', '--git-dir=.git', '--work-tree=.', ...command], {
    cwd: folder,
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [stdout, stderr, exitCode] = await Promise.all([
    run.stdout.text(),
    run.stderr.text(),
    run.exited,
  ])
  if (exitCode !== 0)
    throw new ReleaseFailure(`git cannot say which commit this is: ${stderr.trim()}`)
  return stdout.trim()
}
