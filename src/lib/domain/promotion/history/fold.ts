import type { ObjectId } from '../../../names.ts'
import type { Commit, PullRequest } from '../../../ports/git-host.ts'
import { isOurs, isPullOf, type Move } from '../move.ts'

/** A commit that changed the overlay, and the merged pull request that brought it. */
export interface OverlayCommit extends Commit {
  readonly pull: PullRequest | null
}

/** A change of an overlay: a merged pull request with all its commits, or a commit without one. */
export interface OverlayChange {
  /** The commit on the default branch that has the change. */
  readonly commit: ObjectId
  /** The merge, else the commit, in milliseconds since the Unix epoch. `null`: the commit has no time. */
  readonly at: number | null
  /** The portal's move; `null` for a change past the portal. */
  readonly act: Move['act'] | null
  readonly pull: PullRequest | null
  /** The author of the newest commit. */
  readonly authorName: string | null
}

/** Commits that are folded at a time: a merge is found again among the changes of its own block only. */
export const BLOCK_COMMITS = 30

/** Git counts in whole seconds. */
const SECOND_MS = 1_000

interface Group extends OverlayChange {
  readonly block: number
  readonly ids: Set<ObjectId>
  /** Parents of the commits: older commits of the same branch may be among them. */
  readonly parents: Set<ObjectId>
  /** The portal's change whose branch this commit without a pull request may be on. */
  readonly within: Group | null
}

/**
 * Folds the commits of a path, newest first as the host lists them, into changes. The host may know the pull request of the last commit
 * of a branch alone; the portal's own commits before it carry the trailer, and so do those that CI made between two of them belong to it.
 */
export function foldCommits(
  commits: readonly OverlayCommit[],
  moves: readonly Move[],
): readonly OverlayChange[] {
  const groups: Group[] = []
  for (const [index, commit] of commits.entries()) {
    const act = actOf(commit, moves)
    const known = groups.find((group) => isSame(group, commit))
    if (known !== undefined) {
      add(known, commit)
      continue
    }
    const branch = commit.pull === null ? branchOf(groups, commit) : null
    if (branch !== null && act !== null) {
      absorb(groups, branch)
      add(branch, commit)
      continue
    }
    groups.push(groupOf(commit, act, branch, Math.floor(index / BLOCK_COMMITS)))
  }
  return byMerge(groups)
}

const actOf = ({ pull, message }: OverlayCommit, moves: readonly Move[]): Move['act'] | null =>
  moves.find((move) => (pull === null ? isOurs(message, move) : isPullOf(pull, move)))?.act ?? null

/** One merge may end several pull requests: the overlay changed once, with what somebody merged, which has the newest commits. */
const isSame = (group: Group, commit: OverlayCommit): boolean =>
  group.commit === changedBy(commit) ||
  (group.pull !== null && group.pull.number === commit.pull?.number)

/** The commit on the default branch. */
const changedBy = ({ id, pull }: OverlayCommit): ObjectId => pull?.mergeCommit ?? id

const groupOf = (
  commit: OverlayCommit,
  act: Move['act'] | null,
  within: Group | null,
  block: number,
): Group => ({
  commit: changedBy(commit),
  at: commit.pull?.closedAt ?? commit.committedAt,
  act,
  pull: commit.pull,
  authorName: commit.authorName,
  block,
  ids: new Set([commit.id]),
  parents: new Set(commit.parents),
  within,
})

function add(group: Group, { id, parents }: OverlayCommit): void {
  group.ids.add(id)
  for (const parent of parents) group.parents.add(parent)
}

/** The portal's change that a commit precedes, over commits without a pull request at most. */
function branchOf(groups: readonly Group[], { id }: OverlayCommit): Group | null {
  const next = groups.findLast(({ parents }) => parents.has(id))
  if (next === undefined) return null
  if (next.within !== null) return next.within
  return next.pull !== null && next.act !== null ? next : null
}

/** Commits between two of a branch are on it too. */
function absorb(groups: Group[], branch: Group): void {
  for (const between of groups.filter(({ within }) => within === branch)) {
    for (const id of between.ids) branch.ids.add(id)
    for (const parent of between.parents) branch.parents.add(parent)
    groups.splice(groups.indexOf(between), 1)
  }
}

/**
 * A merge commit is not among the commits of a path, only those of its branch, which may be older than what happened meanwhile. Such a
 * change is moved up to its merge. Everything else stays in the order of the host, because the time of a commit is its author's word.
 */
function byMerge(groups: readonly Group[]): readonly OverlayChange[] {
  const sorted: Group[] = []
  for (const group of groups) {
    const { at, ids, commit, block } = group
    const stays = (other: Group) =>
      at === null ||
      other.block !== block ||
      other.parents.has(commit) ||
      (other.at ?? Infinity) > at - SECOND_MS
    const place = ids.has(commit) ? sorted.length : sorted.findLastIndex(stays) + 1
    sorted.splice(place, 0, group)
  }
  return sorted.map(({ commit, at, act, pull, authorName }) => ({
    commit,
    at,
    act,
    pull,
    authorName,
  }))
}
