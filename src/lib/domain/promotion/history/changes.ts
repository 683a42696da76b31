import type { BranchName, ObjectId } from '../../../names.ts'
import type { Commit, GitFailure } from '../../../ports/git-host.ts'
import { err, ok, type Result } from '../../../result.ts'
import type { Move } from '../move.ts'
import type { ApplicationId } from '../../gitops/layout.ts'
import type { Stage } from '../pipeline.ts'
import { foldCommits, type OverlayChange, type OverlayCommit } from './fold.ts'
import type { MergedPulls } from './merged-pulls.ts'
import { COMMITS_MAX } from './overlay-log.ts'

/** Commits whose pull requests are asked for at a time. */
export const BLOCK_COMMITS = 30

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

/** Asks for the pull requests of as many blocks of commits as the page needs, from the newest on: a change may have commits in several. */
export async function readChanges(
  pulls: MergedPulls,
  log: readonly Commit[],
  { base, moves, before, limit }: ChangesQuery,
): Promise<Result<ChangesPage, ChangesFailure>> {
  const commits: OverlayCommit[] = []
  for (;;) {
    const block = log.slice(commits.length, commits.length + BLOCK_COMMITS)
    const merged = await pulls.of(base, block)
    if (!merged.ok) return merged
    commits.push(...merged.value)
    const changes = foldCommits(commits, moves)
    const start = before === null ? 0 : changes.findIndex(({ commit }) => commit === before) + 1
    const isFound = before === null || start > 0
    const isEnd = commits.length === log.length
    if (isFound && (isEnd || changes.length > start + limit)) {
      const end = start + limit
      const older = changes[end] ?? null
      const isCut = older === null && commits.length >= COMMITS_MAX
      return ok({ changes: changes.slice(start, end), older, isCut })
    }
    if (isEnd) return err({ kind: 'unknown_change' })
  }
}

/** The change of the newest commit of an overlay folder; `null` without one. */
export async function newestChange(
  pulls: MergedPulls,
  log: readonly Commit[],
  { base, moves }: Pick<ChangesQuery, 'base' | 'moves'>,
): Promise<Result<OverlayChange | null, GitFailure>> {
  const merged = await pulls.of(base, log.slice(0, 1))
  return merged.ok ? ok(foldCommits(merged.value, moves)[0] ?? null) : merged
}
