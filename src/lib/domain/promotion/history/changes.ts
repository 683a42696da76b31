import type { BranchName, ObjectId } from '../../../names.ts'
import type { GitFailure } from '../../../ports/git-host.ts'
import type { PathCommit } from '../../../ports/git-host/history.ts'
import { err, ok, type Result } from '../../../result.ts'
import type { Move } from '../move.ts'
import type { Stage } from '../pipeline.ts'
import type { ApplicationId } from '../pulls.ts'
import { BLOCK_COMMITS, foldCommits, type OverlayChange, type OverlayCommit } from './fold.ts'
import type { MergedPulls } from './merged-pulls.ts'
import { COMMITS_MAX } from './path-log.ts'

/** The moves whose pull requests may change the overlay. */
export const movesOf = (
  { team, app }: ApplicationId,
  { environment }: Pick<Stage, 'environment'>,
): readonly Move[] => [
  { team, app, act: 'promote', environment },
  { team, app, act: 'deprecate', environment: '' },
]

/** A part of the changes, newest first. */
export interface ChangesPage {
  readonly changes: readonly OverlayChange[]
  /** The next older change; `null` after the last one. */
  readonly older: OverlayChange | null
  /** The history is longer than what is read, and these are its last changes. */
  readonly isCut: boolean
}

export interface ChangesQuery {
  readonly base: BranchName
  readonly moves: readonly Move[]
  /** Commit of the change that the page before ended with. */
  readonly before: ObjectId | null
  readonly limit: number
}

/** `unknown_change`: no change of these commits has the commit that the page should begin after. */
export type ChangesFailure = GitFailure | { readonly kind: 'unknown_change' }

/** Reads as many blocks of commits as the page needs, from the newest on: a change may have commits in several. */
export async function readChanges(
  pulls: MergedPulls,
  log: AsyncGenerator<Result<PathCommit, GitFailure>, void, void>,
  { base, moves, before, limit }: ChangesQuery,
): Promise<Result<ChangesPage, ChangesFailure>> {
  const commits: OverlayCommit[] = []
  for (;;) {
    const block = await nextBlock(log)
    if (!block.ok) return block
    const merged = await pulls.of(base, block.value)
    if (!merged.ok) return merged
    commits.push(...merged.value)
    const changes = foldCommits(commits, moves)
    const start = before === null ? 0 : changes.findIndex(({ commit }) => commit === before) + 1
    const isFound = before === null || start > 0
    const isEnd = block.value.length < BLOCK_COMMITS
    if (isFound && (isEnd || changes.length > start + limit)) {
      const end = start + limit
      const older = changes[end] ?? null
      const isCut = older === null && commits.length >= COMMITS_MAX
      return ok({ changes: changes.slice(start, end), older, isCut })
    }
    if (isEnd) return err({ kind: 'unknown_change' })
  }
}

/** The newest change of one overlay folder; `null` without one. Only its newest commit is read, so that a merge of older ones is missed. */
export async function newestChange(
  pulls: MergedPulls,
  log: AsyncGenerator<Result<PathCommit, GitFailure>, void, void>,
  { base, moves }: Pick<ChangesQuery, 'base' | 'moves'>,
): Promise<Result<OverlayChange | null, GitFailure>> {
  const next = await log.next()
  if (next.done === true) return ok(null)
  if (!next.value.ok) return next.value
  const merged = await pulls.of(base, [next.value.value])
  return merged.ok ? ok(foldCommits(merged.value, moves)[0] ?? null) : merged
}

async function nextBlock(
  log: AsyncGenerator<Result<PathCommit, GitFailure>, void, void>,
): Promise<Result<readonly PathCommit[], GitFailure>> {
  const block: PathCommit[] = []
  while (block.length < BLOCK_COMMITS) {
    const next = await log.next()
    if (next.done === true) break
    if (!next.value.ok) return next.value
    block.push(next.value.value)
  }
  return ok(block)
}
