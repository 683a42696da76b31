import { diffArrays } from 'diff'
import type { ObjectId, RepositoryPath } from '../../../names.ts'
import type { GitFailure, GitHost, PullRequest } from '../../../ports/git-host.ts'
import { err, ok, type Result } from '../../../result.ts'
import { type MoveQuery, type MoveStanding, OWN_COMMITS_MAX } from '../propose.ts'
import { currentTexts, folderOf, type Texts } from '../texts.ts'

/** The default branch has changed the same lines since the open pull request began: only people can say what is meant. */
export interface PullRequestOutdated {
  readonly kind: 'pr_outdated'
  readonly pullRequest: number
  readonly path: RepositoryPath
}

/** An open release on the default branch as it is now. */
export interface MergedRelease {
  /** The files as a merge leaves them. */
  readonly texts: Texts
  /** Git cannot merge it, although it changes lines of its own only: its next commit takes the place of its branch. */
  readonly isConflicting: boolean
}

type ReleaseGitHost = Pick<GitHost, 'merge' | 'listFiles' | 'readFiles'>

/** Merges an open release by git or, where git has a conflict, line by line. `onMain`: texts on the default branch. */
export async function mergeRelease(
  gitHost: ReleaseGitHost,
  query: MoveQuery,
  { current, own, foreign }: Pick<MoveStanding, 'current' | 'own' | 'foreign'>,
  pull: PullRequest,
  onMain: Texts,
): Promise<Result<MergedRelease, GitFailure | PullRequestOutdated>> {
  const { repository, base, paths, maxBytes } = query
  const sides = { ours: base.commit, theirs: pull.head.commit }
  const merged = await gitHost.merge(repository, sides)
  if (!merged.ok) return merged
  const textsAt = (commit: ObjectId, tree?: ObjectId) =>
    currentTexts(gitHost, repository, commit, paths, maxBytes, tree)
  const outcome = merged.value
  if (outcome.kind === 'clean') {
    const texts = await textsAt(base.commit, outcome.tree)
    return texts.ok ? ok({ texts: texts.value, isConflicting: false }) : texts
  }
  const outdated = (path: RepositoryPath) =>
    err({ kind: 'pr_outdated', pullRequest: pull.number, path } as const)
  // Portico's own commits are in a row, and what others have added is not thrown away.
  const [beginning] = own.at(-1)?.parents ?? []
  if (foreign > 0 || beginning === undefined || own.length >= OWN_COMMITS_MAX) {
    return outdated(paths.find((path) => outcome.paths.includes(path)) ?? folderOf(paths))
  }
  const began = await textsAt(beginning)
  if (!began.ok) return began
  const texts = new Map<RepositoryPath, string>()
  for (const path of paths) {
    const [before, proposed, now] = [began.value, current, onMain].map((each) => each.get(path))
    const text = mergedText({ before, proposed, now })
    if (text === undefined && proposed !== before) return outdated(path)
    if (text !== undefined) texts.set(path, text)
  }
  return ok({ texts, isConflicting: true })
}

/** A text in three versions. */
export interface TextVersions {
  readonly before: string | undefined
  readonly proposed: string | undefined
  readonly now: string | undefined
}

/**
 * The text of now with the lines that were proposed since `before`; `undefined` where both have changed a line. Unlike git it takes
 * neighbours of changed lines for unchanged: these are lists of settings, one in a line.
 */
export function mergedText({ before, proposed, now }: TextVersions): string | undefined {
  if (proposed === before || proposed === now) return now
  if (now === before) return proposed
  if (before === undefined || proposed === undefined || now === undefined) return undefined
  const [old, lines] = [linesOf(before), linesOf(now)]
  const placeNow = new Map<number, number>([
    [-1, -1],
    [old.length, lines.length],
  ])
  let [at, atNow] = [0, 0]
  for (const { count, added, removed } of diffArrays(old, lines)) {
    if (!added && !removed) {
      for (let index = 0; index < count; index++) placeNow.set(at + index, atNow + index)
    }
    if (!added) at += count
    if (!removed) atNow += count
  }
  const merged = [...lines]
  const hunks = hunksOf(old, linesOf(proposed))
  for (const { start, end, added } of hunks.toReversed()) {
    const from = placeNow.get(start === end ? start - 1 : start)
    const to = placeNow.get(start === end ? end : end - 1)
    if (from === undefined || to === undefined) return undefined
    // Between them the default branch has as many lines as there were.
    if (to - from !== (start === end ? 1 : end - 1 - start)) return undefined
    merged.splice(start === end ? to : from, end - start, ...added)
  }
  return merged.join('')
}

interface Hunk {
  /** Lines of before, the end excluded. */
  readonly start: number
  readonly end: number
  readonly added: readonly string[]
}

function hunksOf(before: readonly string[], after: readonly string[]): readonly Hunk[] {
  const hunks: Hunk[] = []
  let at = 0
  for (const { count, added, removed, value } of diffArrays([...before], [...after])) {
    const last = hunks.at(-1)
    if (removed) hunks.push({ start: at, end: at + count, added: [] })
    else if (added && last !== undefined && last.end === at) {
      hunks.splice(-1, 1, { ...last, added: value })
    } else if (added) hunks.push({ start: at, end: at, added: value })
    if (!added) at += count
  }
  return hunks
}

/** With their line ends. */
const linesOf = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+$/g) ?? []
