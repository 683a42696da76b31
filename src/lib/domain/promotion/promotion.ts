import { createNextFlight } from '../../concurrency/next-flight.ts'
import type { LifecycleName, RunId } from '../../names.ts'
import { ok, type Result } from '../../result.ts'
import type { Principal } from '../access/principal.ts'
import type { Audit } from '../audit/audit.ts'
import { entityRef } from '../catalog/entity.ts'
import { createApplications } from './application.ts'
import { confirm, confirmationOf } from './confirm.ts'
import { compare, type Compared } from './compare.ts'
import { exclusively, resume } from './exclusive-request.ts'
import { createHistory, type HistoryQuery } from './history/history.ts'
import {
  type EntityName,
  type EntityRequest,
  type NotPromotable,
  readNamed,
  readSubject,
  type SubjectFailure,
} from './subject.ts'
import { entityRequestOf } from './move-run.ts'
import { createMoveRuns, type MoveRunsOptions } from './move-runs.ts'
import type { PromotionDeps } from './dependencies.ts'
import { preview, promotionOf } from './promote.ts'
import { createRequestParsers, type PromotionRequest } from './request.ts'
import { type ActorOf, createSecrets, type SecretsOptions, writtenSecrets } from './secrets.ts'
import { permit, type PromotionState } from './permitted-state.ts'
import { readState, type StateFacts } from './state.ts'
import { createVersions, type VersionsAt } from './versions.ts'

export interface PromotionOptions
  extends
    Pick<MoveRunsOptions, 'runs' | 'leaseMs' | 'log' | 'explain' | 'clock'>,
    Omit<SecretsOptions, 'clock'>,
    Omit<PromotionDeps, 'applications' | 'audit' | 'clock'> {
  readonly audit: Pick<Audit, 'decide' | 'finish'>
  readonly runStore: MoveRunsOptions['store']
}

export type Promotion = ReturnType<typeof createPromotion>

/** The state of an application, its next promotion by pull request, and the confirmation. */
export function createPromotion(given: PromotionOptions) {
  const { pipeline } = given
  const parsers = createRequestParsers(pipeline)
  const applications = createApplications(given, pipeline)
  const deps: PromotionDeps & typeof given = { ...given, applications }

  const history = createHistory(deps)
  const versions = createVersions(deps, history)
  const flights = createNextFlight<Result<StateFacts, SubjectFailure>>()
  const secretsAs = createSecrets(given)

  const moveRuns = createMoveRuns({
    ...given,
    store: given.runStore,
    async resume(spec, run, decision) {
      const entityRequest = entityRequestOf(spec)
      if (spec.step === 'confirm') {
        const stage = pipeline.stageOf(spec.target)
        if (stage === undefined) throw new Error('the lifecycle of a run is not one of these')
        const move = confirmationOf(deps, stage)
        return resume(deps, entityRequest, move, run, decision)
      }
      const request = parsers.parsePromotion(spec.request)
      if (!request.ok) throw new Error('the request of a run is not readable')
      const secrets = writtenSecrets(run.secretVersion)
      const move = promotionOf({ ...deps, secrets }, request.value)
      return resume(deps, entityRequest, move, run, decision)
    },
  })
  const requesting = { ...deps, moveRuns }

  async function versionsAt(
    request: EntityName,
  ): Promise<Result<VersionsAt, SubjectFailure | NotPromotable>> {
    const read = await readNamed(deps, request)
    if (!read.ok) return read
    const application = await applications.read(read.value.commit, read.value)
    return application.ok ? ok({ ...read.value, application: application.value }) : application
  }

  return {
    ...parsers,
    findRun: (principal: Principal, id: RunId) => moveRuns.find(principal, id),
    start: moveRuns.start,
    drain: moveRuns.drain,
    close: moveRuns.close,
    async state(entityRequest: EntityRequest): Promise<Result<PromotionState, SubjectFailure>> {
      const { kind, name, principal } = entityRequest
      const facts = await flights(entityRef(kind, name), async () => {
        const read = await readSubject(deps, { kind, name })
        return read.ok ? readState({ ...deps, history }, read.value) : read
      })
      return facts.ok ? ok(permit(given, facts.value, principal)) : facts
    },
    history: (request: EntityName, query: HistoryQuery) => history.page(request, query),
    async versions(request: EntityName) {
      const at = await versionsAt(request)
      return at.ok ? versions.list(at.value) : at
    },
    async compare(request: EntityName, compared: Compared) {
      const at = await versionsAt(request)
      return at.ok ? compare(deps, given.secretStore, versions, at.value, compared) : at
    },
    promote: (
      entityRequest: EntityRequest,
      request: PromotionRequest,
      secretActor: ActorOf,
      isAsync = false,
    ) =>
      exclusively(
        requesting,
        entityRequest,
        promotionOf({ ...deps, secrets: secretsAs(secretActor) }, request),
        isAsync,
      ),
    preview: (entityRequest: EntityRequest, request: PromotionRequest, secretActor: ActorOf) =>
      preview({ ...deps, secrets: secretsAs(secretActor) }, entityRequest, request),
    confirm: (entityRequest: EntityRequest, target: LifecycleName | undefined, isAsync = false) =>
      confirm(requesting, entityRequest, target, isAsync),
  }
}
