import { runGit } from './git.ts'

/** Share of writes after which git is asked; at random, so that short-lived processes ask too. */
const SHARE = 1 / 50
const DEADLINE_MS = 10 * 60_000

/**
 * Packs a repository in the background when git finds more loose objects than `gc.auto`. Objects that nothing refers to stay
 * for git's two weeks, so that a ref may still be written to them; git's own lock keeps processes from packing at once.
 */
export function packNowAndThen(directory: string, share = SHARE): void {
  if (Math.random() >= share) return
  void runGit(directory, ['gc', '--auto', '--quiet'], { deadlineMs: DEADLINE_MS })
}
