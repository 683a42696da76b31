import { type ConnectionFinding, fails, works } from '../ports/connection-finding.ts'
import { err, ok, type Result } from '../result.ts'
import { gitText } from './git.ts'

/** `git merge-tree --write-tree` came with 2.38. */
const REQUIRED = [2, 38] as const

/** The version of the git program, or why no git host can work on this machine, for an operator. */
export async function checkGit(): Promise<Result<string, string>> {
  const text = await gitText('/nonexistent', ['version'])
  if (text.ok) return judgeVersion(text.value)
  return err(
    'repositories are read and written with git, and there is no git program that works on PATH, in /usr/local/bin, /usr/bin or /bin',
  )
}

/** For `config check`. */
export async function findGit(): Promise<readonly ConnectionFinding[]> {
  const git = await checkGit()
  return [
    git.ok
      ? works(`Repositories are read and written with git ${git.value}.`)
      : fails(`${git.error}.`),
  ]
}

export function judgeVersion(text: string): Result<string, string> {
  const match = /^git version ((\d+)\.(\d+)\S*)/.exec(text)
  const [, version = text.trim().slice(0, 100), major = 0, minor = 0] = match ?? []
  const [requiredMajor, requiredMinor] = REQUIRED
  const isEnough =
    Number(major) > requiredMajor ||
    (Number(major) === requiredMajor && Number(minor) >= requiredMinor)
  return isEnough
    ? ok(version)
    : err(`Portico needs git ${REQUIRED.join('.')} or later, and found ${version}`)
}
