import type { ObjectId, RepositoryPath } from '../../names.ts'
import type { Commit, GitFailure, GitHost } from '../../ports/git-host.ts'
import { ok, type Result } from '../../result.ts'
import type { Requester } from '../gitops/requesters.ts'
import { type NewChange, readTarget, type Target } from '../gitops/propose.ts'
import { isOurs, isPullOf, type Move, branchNameOf } from './move.ts'
import { type MovePullRequest, withMergeable } from './pulls.ts'
import { currentTexts, type Texts } from './texts.ts'
import { foreignWarnings, type Warning, warningIf } from './warnings.ts'

/** Enough for a count in a warning: our own commits are one per request. */
const OWN_COMMITS_MAX = 100

/** A change of an application, decided and written out. Holds no secret. */
export interface Proposal extends NewChange {
  readonly move: Move
  readonly askedBy: Requester
}

/** The files of a move, at a commit of the default branch. */
export interface MoveFiles extends Pick<Proposal, 'repository' | 'move' | 'base'> {
  /** All in one folder. */
  readonly paths: readonly RepositoryPath[]
  /** A larger file on the branch counts as absent. */
  readonly maxBytes: number
}

/** The branch of a move as the git host has it. */
export interface MoveBranch {
  readonly target: Target
  /** The files as its open pull request has them; empty without one. */
  readonly current: Texts
  /** The commit that its branch began at, unless others have commits there; `null` without a pull request. */
  readonly beginning: ObjectId | null
  readonly warnings: readonly Warning[]
}

/** Reads the branch of a move. `pulls`: the open pull requests of its application. */
export async function readMoveBranch(
  gitHost: GitHost,
  files: MoveFiles,
  pulls: readonly MovePullRequest[],
): Promise<Result<MoveBranch, GitFailure>> {
  const { repository, move, base, paths, maxBytes } = files
  const open = pulls.find(({ pull }) => isPullOf(pull, move))?.pull
  const target = await readTarget(gitHost, queryOf(files), open)
  if (!target.ok) return target
  const { pull, from } = target.value
  if (pull === null || from.kind === 'create') {
    return ok({
      target: target.value,
      current: new Map(),
      beginning: null,
      warnings: [],
    })
  }
  const of = from.expected
  const [mergeable, current, commits] = await Promise.all([
    withMergeable({ gitHost, repository }, pull),
    currentTexts(gitHost, repository, of, paths, maxBytes),
    gitHost.listCommits(repository, { of, without: base.commit, limit: OWN_COMMITS_MAX }),
  ])
  if (!mergeable.ok) return mergeable
  if (!current.ok) return current
  if (!commits.ok) return commits
  const foreign = commits.value.filter(({ message }) => !isOurs(message, move)).length
  const isOwn = foreign === 0 && commits.value.length < OWN_COMMITS_MAX
  return ok({
    target: { ...target.value, pull: mergeable.value },
    current: current.value,
    beginning: isOwn ? beginningOf(of, commits.value) : null,
    warnings: [
      ...warningIf(mergeable.value.mergeable === 'conflicting', 'conflicting'),
      ...foreignWarnings(foreign),
    ],
  })
}

/** Portico's own commits are in a row. */
function beginningOf(of: ObjectId, own: readonly Commit[]): ObjectId | null {
  const first = own.at(-1)
  return first === undefined ? of : (first.parents[0] ?? null)
}

/** Tells the branches and the pull requests of a move. */
export const queryOf = ({
  repository,
  base,
  move,
}: Pick<Proposal, 'repository' | 'base' | 'move'>) => ({
  repository,
  base,
  name: branchNameOf(move),
  isOurs: (text: string): boolean => isOurs(text, move),
})
