import type { RepositoryPath } from '../../names.ts'
import type { GitHost } from '../../ports/git-host.ts'
import type { Result } from '../../result.ts'
import {
  propose,
  type Proposal,
  type ProposedPullRequest,
  type ProposeFailure,
  type ProposeGitHost,
} from '../gitops/propose.ts'
import { branchesOf, isOurs, type Move } from './move.ts'
import { currentTexts } from './texts.ts'

export interface ProposalRequest extends Omit<
  Proposal,
  'branches' | 'canReuseBranch' | 'isOurs' | 'readCurrent'
> {
  readonly move: Move
  /** Paths of the files, all in one folder. */
  readonly paths: readonly RepositoryPath[]
  /** A larger file on the branch counts as absent. */
  readonly maxBytes: number
}

/** Proposes a move. Its branches are used once each, so that every pull request keeps its own history. */
export const proposeMove = (
  gitHost: ProposeGitHost & Pick<GitHost, 'readFiles'>,
  { move, paths, maxBytes, ...request }: ProposalRequest,
): Promise<Result<ProposedPullRequest, ProposeFailure>> =>
  propose(gitHost, {
    ...request,
    branches: branchesOf(move),
    canReuseBranch: false,
    isOurs: ({ body }) => isOurs(body, move),
    readCurrent: (head) => currentTexts(gitHost, request.repository, head, paths, maxBytes),
  })
