import { stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { gitOutput, gitText, runGit } from './git.ts'
import { SEEN } from './refs.ts'

/** Share of writes after which git is asked; at random, so that short-lived processes ask too. */
const SHARE = 1 / 50
const DEADLINE_MS = 10 * 60_000
/** Refs of a mirror that are kept, the newest. */
const SEEN_MAX = 200
/** Longer than any request needs the objects of a merge or of a commit that was refused. */
const MIRROR_PRUNE = 'gc.pruneExpire=1.day.ago'
/** File in a mirror whose time tells when git last packed it, or tried to. */
const COLLECTED = 'portico-collected'
/** More loose objects than there are. */
const PACKS_ALONE = 'gc.auto=1000000000'
const COLLECT_AFTER_MS = 24 * 60 * 60_000

/**
 * Packs the refs of a repository in the background, and its objects when git finds more loose ones than `gc.auto`. Objects that nothing refers to stay
 * for git's two weeks, so that a ref may still be written to them; git's own lock keeps processes from packing at once.
 */
export function packNowAndThen(directory: string, share = SHARE): void {
  if (Math.random() >= share) return
  const options = { deadlineMs: DEADLINE_MS }
  void runGit(directory, ['pack-refs', '--all'], options)
  void runGit(directory, ['gc', '--auto', '--quiet'], options)
}

/**
 * Forgets the oldest commits of a mirror, packs it when git finds too many packs or loose objects, without those that nothing refers to, and indexes
 * which paths each commit changed. It runs beside requests and beside other processes, and a failure costs only time.
 */
export async function maintainMirror(directory: string): Promise<void> {
  const list = ['for-each-ref', '--sort=-creatordate', '--format=%(refname)', SEEN]
  const refs = await gitText(directory, list)
  const old = refs.ok ? refs.value.split('\n').slice(SEEN_MAX).filter(Boolean) : []
  if (old.length > 0) {
    const input = new Blob(old.map((ref) => `delete ${ref}\n`))
    await gitOutput(directory, ['update-ref', '--stdin'], { input })
  }
  await collect(directory)
  const graph = ['write', '--reachable', '--changed-paths', '--split', '--no-progress']
  await gitOutput(directory, ['commit-graph', ...graph], { deadlineMs: DEADLINE_MS })
}

/** Git counts loose objects that are too young to be dropped, and would never be done: after a collection a day goes by before they count again. */
async function collect(directory: string): Promise<void> {
  const marker = join(directory, COLLECTED)
  const last = await stat(marker).catch(() => null)
  const isRecent = last !== null && Date.now() - last.mtimeMs < COLLECT_AFTER_MS
  const settings = ['-c', MIRROR_PRUNE, ...(isRecent ? ['-c', PACKS_ALONE] : [])]
  // Git says nothing when there is nothing to do.
  const done = await runGit(directory, [...settings, 'gc', '--auto'], { deadlineMs: DEADLINE_MS })
  const isDone = !done.ok || done.value.stderr !== ''
  if (isDone && !isRecent) await writeFile(marker, '').catch(() => {})
}
