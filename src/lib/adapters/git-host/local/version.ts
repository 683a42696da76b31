import { err, ok, type Result } from '../../../result.ts'
import { tryStart } from './git.ts'

/** `git merge-tree --write-tree` came with 2.38. */
const REQUIRED = [2, 38] as const

export type GitProgramFailure =
  | { readonly kind: 'git_program_missing'; readonly reason: string }
  | {
      readonly kind: 'git_program_too_old'
      readonly found: string
      readonly required: string
    }

/** Whether there is a git program that the embedded host can work with. For the start and for readiness. */
export async function checkGit(): Promise<Result<{ readonly version: string }, GitProgramFailure>> {
  const running = tryStart(['version'], 'ignore')
  if (!running.ok)
    return err({ kind: 'git_program_missing', reason: JSON.stringify(running.error) })
  const [text, code] = await Promise.all([
    new Response(running.value.child.stdout).text(),
    running.value.child.exited,
  ])
  if (code !== 0) return err({ kind: 'git_program_missing', reason: `it ended with ${code}` })
  return judgeVersion(text)
}

export function judgeVersion(
  text: string,
): Result<{ readonly version: string }, GitProgramFailure> {
  const match = /^git version ((\d+)\.(\d+)\S*)/.exec(text)
  const [, version = text.trim().slice(0, 100), major, minor] = match ?? []
  const found = [Number(major ?? 0), Number(minor ?? 0)] as const
  const enough = found[0] > REQUIRED[0] || (found[0] === REQUIRED[0] && found[1] >= REQUIRED[1])
  return enough
    ? ok({ version })
    : err({ kind: 'git_program_too_old', found: version, required: REQUIRED.join('.') })
}
