import type { LocalGitHost } from '../lib/adapters/git-host/local/index.ts'
import type { Sessions } from '../lib/domain/access/sessions.ts'
import type { BranchName, RepositoryId } from '../lib/names.ts'
import type { GitFailure } from '../lib/ports/git-host.ts'
import type { Result } from '../lib/result.ts'
import type { DemoIdentity } from './identity.ts'

/** What people and git clients do with the embedded git host. */
export interface Forge extends Pick<
  LocalGitHost,
  | 'repositories'
  | 'findPullRequests'
  | 'diff'
  | 'changedFiles'
  | 'mergePullRequest'
  | 'closePullRequest'
  | 'serveGit'
> {
  branches(repository: RepositoryId): Promise<Result<readonly BranchName[], GitFailure>>
}

/** Everything that routes of the demo can ask for. */
export interface DemoDeps {
  readonly forge: Forge
  readonly sessions: Pick<Sessions, 'open'>
  readonly identity: Pick<DemoIdentity, 'signIn'>
  readonly sessionSeconds: number
  readonly platformGroup: string
  /** Where the demo is reached, for lines to copy. */
  readonly origin: string
  /** What the start page tells of the webhook token: the token, if it is the well-known one. */
  readonly webhookTokenHint: string
}
