import type { GitFailure } from '../../../../ports/git-host.ts'
import type { Result } from '../../../../result.ts'

/** Waits for the replicas of GitHub that do not have a new repository yet: 10 s in all. */
const WAITS_MS = [250, 500, 1_000, 1_500, 2_000, 2_000, 2_750]

/** Repeats work on a new repository while GitHub says that there is none. */
export async function whenReplicated<Value>(
  work: () => Promise<Result<Value, GitFailure>>,
  waitsMs: readonly number[] = WAITS_MS,
): Promise<Result<Value, GitFailure>> {
  for (const waitMs of waitsMs) {
    const done = await work()
    if (done.ok || done.error.kind !== 'git_not_found') return done
    await Bun.sleep(waitMs)
  }
  return work()
}
