import { createNextFlight } from '../../concurrency/next-flight.ts'
import type { Keyring } from '../../crypto/keyring.ts'
import type { LifecycleName, RepositoryId } from '../../names.ts'
import type { SteadyClock } from '../../ports/clock.ts'
import type { LeaseStore } from '../../ports/database/leases.ts'
import type { SecretWriteStore } from '../../ports/database/secret-writes.ts'
import type { GitHost } from '../../ports/git-host.ts'
import type { SecretStore } from '../../ports/secret-store.ts'
import { ok, type Result } from '../../result.ts'
import type { Audit } from '../audit/audit.ts'
import { entityRef } from '../catalog/entity.ts'
import type { Requesters } from '../gitops/requesters.ts'
import type { PullRequestFactsReader } from '../gitops/pull-request-facts.ts'
import type { ReplicatedInvalidation } from '../replicated-invalidation.ts'
import { createApplications } from './application.ts'
import { createMergedApplications } from './merged-application.ts'
import { confirm, type ConfirmOptions } from './confirm.ts'
import { createHistory, type HistoryQuery } from './history/history.ts'
import { createLocks } from './locks.ts'
import { createProposals, type ProposalEvent } from './proposals.ts'
import type { AppsReader } from './overview/apps-reader.ts'
import type { Pipeline } from './pipeline.ts'
import { preview, promote } from './promote.ts'
import { createRequestParsers, type PromotionRequest } from './request.ts'
import { type ActorOf, createSecrets } from './secrets.ts'
import { permit, type PromotionState } from './permitted-state.ts'
import { readState, type StateFacts } from './state.ts'
import { type EntityRequest, readSubject, type SubjectFailure } from './subject.ts'

export interface PromotionOptions {
  readonly gitHost: GitHost
  readonly secretStore: SecretStore
  readonly repository: RepositoryId
  readonly catalog: ConfirmOptions['catalog']
  readonly apps: AppsReader
  readonly audit: Pick<Audit, 'decide' | 'finish'>
  readonly secretWrites: SecretWriteStore
  readonly leases: LeaseStore
  readonly leaseMs?: number
  readonly requesters: Requesters
  readonly facts: PullRequestFactsReader
  readonly moves: Pick<ReplicatedInvalidation, 'invalidate'>
  readonly log: (event: ProposalEvent) => void
  /** Seals the digests of written secrets. */
  readonly digestKeyring: Keyring
  readonly clock: SteadyClock
  readonly platformGroup: string
  readonly pipeline: Pipeline
}

export type Promotion = ReturnType<typeof createPromotion>

/** The state of an application, its next promotion by pull request, and the confirmation. */
export function createPromotion(given: PromotionOptions) {
  const { gitHost, repository, clock, pipeline } = given
  const locks = createLocks(given)
  const proposals = createProposals({ ...given, locks })
  const applications = createApplications(gitHost, repository, pipeline)
  const options = {
    ...given,
    locks,
    proposals,
    applications,
    merges: createMergedApplications(gitHost, repository, applications),
    today: () => new Date(clock.now()).toISOString().slice(0, 10),
  }

  const history = createHistory(options)
  const flights = createNextFlight<Result<StateFacts, SubjectFailure>>()
  const secretsAs = createSecrets({
    ...given,
    writes: given.secretWrites,
    keyring: given.digestKeyring,
  })

  return {
    ...createRequestParsers(pipeline),
    async state(entityRequest: EntityRequest): Promise<Result<PromotionState, SubjectFailure>> {
      const { kind, name, principal } = entityRequest
      const facts = await flights(entityRef(kind, name), async () => {
        const read = await readSubject(options, { kind, name })
        return read.ok ? readState({ ...options, history }, read.value) : read
      })
      return facts.ok ? ok(permit(given, facts.value, principal)) : facts
    },
    history: (request: Pick<EntityRequest, 'kind' | 'name'>, query: HistoryQuery) =>
      history.page(request, query),
    promote: (entityRequest: EntityRequest, request: PromotionRequest, secretActor: ActorOf) =>
      promote({ ...options, secrets: secretsAs(secretActor) }, entityRequest, request),
    preview: (entityRequest: EntityRequest, request: PromotionRequest, secretActor: ActorOf) =>
      preview({ ...options, secrets: secretsAs(secretActor) }, entityRequest, request),
    sweep: () => proposals.sweep(),
    confirm: (entityRequest: EntityRequest, target: LifecycleName | undefined) =>
      confirm(options, entityRequest, target),
  }
}
