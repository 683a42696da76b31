import type { Consents } from './lib/domain/access/grants/consent.ts'
import type { Grants } from './lib/domain/access/grants/grants.ts'
import type { Workloads } from './lib/domain/access/grants/workloads.ts'
import type { SecretActors } from './lib/domain/access/secret-actor.ts'
import type { PersonSessions } from './lib/domain/access/sessions/person-sessions.ts'
import type { SessionClaims } from './lib/domain/access/sessions/session-credentials.ts'
import type { Sessions } from './lib/domain/access/sessions/sessions.ts'
import type { SignIns } from './lib/domain/access/sign-in/sign-in.ts'
import type { SignOuts } from './lib/domain/access/sign-in/sign-out.ts'
import type { WebhookTokens } from './lib/domain/access/webhook-token.ts'
import type { Audit } from './lib/domain/audit/audit.ts'
import type { EntityDocs } from './lib/domain/catalog/entity-docs.ts'
import type { Catalog } from './lib/domain/catalog/catalog.ts'
import type { Connections } from './lib/domain/connections.ts'
import type { ReplicatedInvalidation } from './lib/domain/replicated-invalidation.ts'
import type { Cli } from './lib/domain/cli/cli.ts'
import type { Clusters } from './lib/domain/clusters/clusters.ts'
import type { DeployTokens } from './lib/domain/forge/deploy-tokens.ts'
import type { FailedAttempts } from './lib/domain/limits/failed-attempts.ts'
import type { PageEvents } from './lib/domain/events/page-events.ts'
import type { Topics } from './lib/domain/events/topics/index.ts'
import type { ChangedPart } from './lib/domain/gitops/delivery.ts'
import type { SourcePages } from './lib/domain/gitops/source-pages.ts'
import type { Fair } from './lib/concurrency/fair.ts'
import type { RateLimit } from './lib/domain/limits/rate-limits.ts'
import type { Usage } from './lib/domain/limits/usage.ts'
import type { PullRequestFactsReader } from './lib/domain/gitops/pull-request-facts.ts'
import type { Overviews } from './lib/domain/promotion/overview/overview.ts'
import type { Pipeline } from './lib/domain/promotion/pipeline.ts'
import type { Promotion } from './lib/domain/promotion/promotion.ts'
import type { Runs } from './lib/domain/runs/runs.ts'
import type { Scaffold } from './lib/domain/scaffold/scaffold.ts'
import type { Validations } from './lib/domain/catalog/validations.ts'
import type { Readiness } from './lib/domain/readiness.ts'
import type { Clock } from './lib/ports/clock.ts'
import type { RepositoryId } from './lib/names.ts'

/** Dependencies of the routes. Each route picks the ones that it uses. */
export interface Deps {
  readonly catalog: Catalog
  /** Invalidations of the parts of the gitops repository that are kept in memory. */
  readonly invalidations: Readonly<Record<ChangedPart, Pick<ReplicatedInvalidation, 'invalidate'>>>
  readonly overviews: Pick<Overviews, 'read' | 'problems'>
  readonly pullRequestFacts: PullRequestFactsReader
  readonly validations: Pick<Validations, 'enter'>
  readonly scaffold: Scaffold
  readonly runs: Runs
  readonly pipeline: Pipeline
  readonly promotion: Promotion
  /** Revision of the topic of an entity's promotion state, if it is known at once. */
  readonly promotionRevision: (ref: string) => string | null
  readonly clusters: Clusters
  readonly cli: Cli
  readonly audit: Audit
  readonly sessions: Sessions
  readonly grants: Grants
  readonly consents: Consents
  readonly workloads: Workloads | null
  readonly failedTokens: FailedAttempts
  readonly signIns: SignIns
  readonly signOuts: SignOuts
  readonly claims: SessionClaims
  readonly secretActors: SecretActors
  readonly personSessions: PersonSessions
  readonly webhookTokens: WebhookTokens
  readonly failedWebhookCalls: FailedAttempts
  readonly usage: Usage
  /** Calls of tools, counted by grant. */
  readonly agentUsage: Readonly<Record<'read' | 'write', RateLimit>>
  /** Sends a request with a context to its route, without the edge. */
  readonly dispatch: (request: Request) => Promise<Response>
  /** Kinds of topics by their names. */
  readonly topics: Topics
  readonly pageEvents: PageEvents
  /** Streams of pages that are open. */
  readonly pageStreams: Fair
  /** Streams of runs that are open. */
  readonly runStreams: Fair
  readonly gitopsRepository: RepositoryId
  /** Deploy tokens of the embedded git host; `null` with another one. */
  readonly deployTokens: DeployTokens | null
  readonly entityDocs: EntityDocs
  readonly gitopsPages: SourcePages
  readonly templatesPages: SourcePages
  readonly readiness: Readiness
  readonly connections: Pick<Connections, 'read'>
  readonly clock: Clock
  /** Aborted when the service shuts down. */
  readonly stopping: AbortSignal
  /** Members act for every team. */
  readonly platformGroup: string
  readonly readyzRequiresSession: boolean
  /** File name of the installed command line client. */
  readonly cliName: string
  /** Origin of the public URL. */
  readonly publicOrigin: string
}
