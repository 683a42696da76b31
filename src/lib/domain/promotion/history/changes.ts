import type { BranchName, ObjectId } from '../../../names.ts'
import type { Commit, GitFailure, PullRequest } from '../../../ports/git-host.ts'
import { err, ok, type Result } from '../../../result.ts'
import type { ApplicationId } from '../../gitops/application.ts'
import type { Image } from '../../gitops/overlay.ts'
import { namedPerson, type Person, type Requester } from '../../gitops/requesters.ts'
import type { MoveKind } from '../decide.ts'
import { isOurs, isPullOf, type Move, moveTo } from '../move.ts'
import type { Stage } from '../pipeline.ts'
import { COMMITS_MAX, type MergedPulls, type OverlayCommit } from './log.ts'

/** A change of an overlay: a merged pull request with all its commits, or a commit without one. */
export interface OverlayChange {
  /** The commit on the default branch that has the change. */
  readonly commit: ObjectId
  /** The merge, else the commit, in milliseconds since the Unix epoch. `null`: the commit has no time. */
  readonly at: number | null
  /** The portal's move; `null` for a change past the portal. */
  readonly act: Move['act'] | null
  readonly pull: PullRequest | null
  /** The author of the commit, unless that is a merge. */
  readonly authorName: string | null
}

/**
 * Folds commits, newest first, into changes. A rebase leaves several commits, and the host may know the pull request of the last one alone:
 * the portal's own before it carry the trailer, and so do those that CI made between two of them belong to it.
 */
export function foldCommits(
  commits: readonly OverlayCommit[],
  moves: readonly Move[],
): readonly OverlayChange[] {
  const changes: OverlayChange[] = []
  /** Index behind the portal's change that may have been rebased. */
  let rebased = -1
  for (const commit of commits) {
    const { id, pull, parents, authorName, committedAt } = commit
    const act = actOf(commit, moves)
    if (pull !== null && pull.number === changes.at(-1)?.pull?.number) continue
    if (pull === null && act !== null && rebased >= 0) {
      changes.splice(rebased)
      continue
    }
    const isMerge = parents.length > 1
    changes.push({
      commit: id,
      at: pull?.closedAt ?? committedAt,
      act,
      pull,
      authorName: isMerge ? null : authorName,
    })
    if (pull !== null) rebased = act !== null && !isMerge ? changes.length : -1
  }
  return changes
}

const actOf = ({ pull, message }: OverlayCommit, moves: readonly Move[]): Move['act'] | null =>
  moves.find((move) => (pull === null ? isOurs(message, move) : isPullOf(pull, move)))?.act ?? null

/** Commits whose pull requests are asked for at a time. */
export const BLOCK_COMMITS = 30

/** The moves whose pull requests may change the overlay. */
export const movesOf = (application: ApplicationId, stage: Stage): readonly Move[] =>
  [stage, null].map((each) => moveTo(application, each))

/** A part of the changes, newest first. */
interface ChangesPage {
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

/**
 * Asks for the pull requests of as many blocks of commits as the page needs, from the newest on: a change may have commits in several.
 * `unknown_change`: no change of these commits has the commit that the page should begin after.
 */
export async function readChanges(
  pulls: MergedPulls,
  log: readonly Commit[],
  { base, moves, before, limit }: ChangesQuery,
): Promise<Result<ChangesPage, GitFailure | { readonly kind: 'unknown_change' }>> {
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

/** The image of an overlay. */
export interface RunningImage extends Image {
  /** The name in the base; `null` for a base that cannot be read. */
  readonly name: string | null
}

/** The overlay of an environment at a commit. */
export interface OverlayAt {
  readonly exists: boolean
  /** `null`: there is no overlay, it names no image, or it cannot be read. */
  readonly image: RunningImage | null
}

export const NO_OVERLAY: OverlayAt = { exists: false, image: null }

/** A change of an environment, with the images before and after it. */
export interface HistoryRow {
  readonly stage: Stage
  readonly kind: MoveKind | 'manual'
  readonly image: RunningImage | null
  /** The image of the next older row. */
  readonly previousImage: RunningImage | null
  readonly commit: ObjectId
  readonly at: number | null
  readonly askedBy: Person | null
  readonly mergedBy: Person | null
  readonly pull: PullRequest | null
}

/** `after`: the overlay that the change left. `before`: that of the next older change, `null` where it was not read. */
export const rowOf = (
  stage: Stage,
  change: OverlayChange,
  after: OverlayAt,
  before: OverlayAt | null,
  requesters: ReadonlyMap<number, Requester>,
): HistoryRow => ({
  stage,
  kind: kindOf(change, before),
  image: after.image,
  previousImage: before?.image ?? null,
  commit: change.commit,
  at: change.at,
  askedBy: askedBy(change, requesters),
  mergedBy: namedPerson(change.pull?.mergedBy),
  pull: change.pull,
})

/** A promotion brings an overlay, a release changes the one that is there. */
function kindOf({ act }: OverlayChange, before: OverlayAt | null): HistoryRow['kind'] {
  switch (act) {
    case 'promote':
      return before === null || before.exists ? 'release' : 'promotion'
    case 'deprecate':
      return 'deprecation'
    case 'lifecycle':
    case null:
      return 'manual'
  }
}

/** Names and addresses of git are what anybody writes into a commit, never a subject. */
export const askedBy = (
  { act, pull, authorName }: OverlayChange,
  requesters: ReadonlyMap<number, Requester>,
): Person | null =>
  (act === null || pull === null ? undefined : requesters.get(pull.number)) ??
  namedPerson(authorName ?? pull?.createdBy)
