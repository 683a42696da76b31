import { err, ok, type Result } from '../../../result.ts'
import type { RunningGit } from '../../../git/git.ts'
import type { BodyFault, RequestBody } from './request-body.ts'

const ENDING_MS = 10_000

/**
 * Writes what was read already and the rest of a request's body to git's standard input, as fast as git reads it. The input of a
 * refused or broken body is never ended, so that git discards it.
 */
export async function deliverBody(
  beginning: Uint8Array,
  body: RequestBody,
  git: RunningGit<'pipe'>,
): Promise<Result<void, BodyFault>> {
  let part: Uint8Array | null = beginning
  while (part !== null) {
    if (!(await write(git, part))) return ended(git)
    const next = await body.read()
    if (!next.ok) {
      git.stop()
      return next
    }
    part = next.value
  }
  return (await end(git)) ? ok(undefined) : ended(git)
}

const write = async ({ child: { stdin } }: RunningGit<'pipe'>, part: Uint8Array) => {
  try {
    // Either may fail when git has ended.
    await Promise.all([stdin.write(part), stdin.flush()])
    return true
  } catch {
    return false
  }
}

const end = async ({ child: { stdin } }: RunningGit<'pipe'>) => {
  try {
    await stdin.end()
    return true
  } catch {
    return false
  }
}

/** Git closes its input when it refuses a push, says why on its output, and ends. */
async function ended({ child, endWithin }: RunningGit<'pipe'>): Promise<Result<void, BodyFault>> {
  endWithin(ENDING_MS)
  await child.exited
  return child.exitCode === null ? err('broken') : ok(undefined)
}
