import type { SessionClaims } from '../../lib/domain/access/sessions/session-credentials.ts'
import type { DeployTokens } from '../../lib/domain/forge/deploy-tokens.ts'
import type { GitAccess } from '../../lib/domain/forge/git-access.ts'
import type { MakeRepository } from '../../lib/domain/forge/new-repository.ts'
import type { ForgePullRequests } from '../../lib/domain/forge/pull-requests.ts'
import type { Usage } from '../../lib/domain/limits/usage.ts'
import type { RepositoryId } from '../../lib/names.ts'
import type { Forge } from '../../lib/ports/forge.ts'

/** Dependencies of the pages of the embedded git host, and of git over HTTP. */
export interface GitPageDeps {
  readonly forge: Forge
  readonly pullRequests: ForgePullRequests
  readonly deployTokens: DeployTokens
  readonly makeRepository: MakeRepository
  readonly gitAccess: GitAccess
  /** Called after a push. Readers of the repository see the change afterwards. */
  readonly changed: (repository: RepositoryId) => Promise<void>
  readonly claims: SessionClaims
  readonly usage: Usage
  readonly gitops: RepositoryId
  readonly platformGroup: string
  /** People have passwords for git, and not only machines. */
  readonly hasPasswords: boolean
  /** Origin of addresses to clone from. */
  readonly origin: string
}
