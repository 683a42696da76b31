import type { RepositoryId } from '../../names.ts'
import type { Clock } from '../../ports/clock.ts'
import type { GitHost } from '../../ports/git-host.ts'
import type { Audit } from '../audit/audit.ts'
import type { Catalog } from '../catalog/catalog.ts'
import type { PullRequestFactsReader } from '../gitops/pull-request-facts.ts'
import type { Requesters } from '../gitops/requesters.ts'
import type { ReplicatedInvalidation } from '../replicated-invalidation.ts'
import type { Applications } from './application.ts'
import type { AppsReader } from './overview/apps-reader.ts'
import type { Pipeline } from './pipeline.ts'
import type { Secrets } from './secrets.ts'

/** Ports and subjects with which the state of applications is read and changed. */
export interface PromotionDeps {
  readonly gitHost: GitHost
  /** The gitops repository. */
  readonly repository: RepositoryId
  readonly pipeline: Pipeline
  readonly platformGroup: string
  readonly catalog: Pick<Catalog, 'atHead'> & Pick<ReplicatedInvalidation, 'invalidate'>
  readonly applications: Applications
  readonly apps: AppsReader
  readonly audit: Pick<Audit, 'decide'>
  readonly requesters: Requesters
  readonly facts: PullRequestFactsReader
  /** The cache of open pull requests on every replica, invalidated after each that was opened or updated. */
  readonly pulls: Pick<ReplicatedInvalidation, 'invalidate'>
  readonly clock: Clock
}

/** The same, with the secrets in the name of whoever asks. */
export interface DepsOfActor extends PromotionDeps {
  readonly secrets: Secrets
}
