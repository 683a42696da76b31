import { type ConnectionFinding, fails, works } from '../ports/connection-finding.ts'
import { err, ok, type Result } from '../result.ts'
import { gitText } from './git.ts'

/** `git merge-tree --write-tree` came with 2.38. */
const REQUIRED = [2, 38] as const

type GitProgramFailure =
  | { readonly kind: 'git_program_missing' }
  | {
      readonly kind: 'git_program_too_old'
      readonly found: string
      readonly required: string
    }

/** Checks that a git program is installed and recent enough. */
export async function checkGit(): Promise<Result<{ readonly version: string }, GitProgramFailure>> {
  const text = await gitText('/nonexistent', ['version'])
  return text.ok ? judgeVersion(text.value) : err({ kind: 'git_program_missing' })
}

/** Why no git host can work on this machine, for an operator. */
export async function missingGit(): Promise<string | undefined> {
  const git = await checkGit()
  return git.ok ? undefined : textOf(git.error)
}

/** For `config check`. */
export async function findGit(): Promise<readonly ConnectionFinding[]> {
  const git = await checkGit()
  return [
    git.ok
      ? works(`Repositories are read and written with git ${git.value.version}.`)
      : fails(`${textOf(git.error)}.`),
  ]
}

const textOf = (failure: GitProgramFailure): string =>
  failure.kind === 'git_program_missing'
    ? 'repositories are read and written with git, and there is no git program that works on PATH, in /usr/local/bin, /usr/bin or /bin'
    : `Portico needs git ${failure.required} or later, and found ${failure.found}`

export function judgeVersion(
  text: string,
): Result<{ readonly version: string }, GitProgramFailure> {
  const match = /^git version ((\d+)\.(\d+)\S*)/.exec(text)
  const [, version = text.trim().slice(0, 100), major = 0, minor = 0] = match ?? []
  const [requiredMajor, requiredMinor] = REQUIRED
  const isEnough =
    Number(major) > requiredMajor ||
    (Number(major) === requiredMajor && Number(minor) >= requiredMinor)
  return isEnough
    ? ok({ version })
    : err({ kind: 'git_program_too_old', found: version, required: REQUIRED.join('.') })
}
