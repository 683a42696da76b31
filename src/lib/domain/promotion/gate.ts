import { setTimeout as sleep } from 'node:timers/promises'
import { onBehalfOf } from '../../concurrency/on-behalf-of.ts'
import type { RepositoryId } from '../../names.ts'
import type { GitHost } from '../../ports/git-host.ts'
import { err, ok, type Result } from '../../result.ts'
import type { Forbidden } from '../access/authorise.ts'
import type { Audit } from '../audit/audit.ts'
import type { Decision } from '../audit/decision.ts'
import { isLostRace } from '../gitops/propose.ts'
import { ABSENT } from './application.ts'
import { authoriseMove, requiredFor } from './decide.ts'
import type { MoveOutcome, MoveSpec } from './move-run.ts'
import type { LockFailure, MoveRun, MoveRuns, Waiting } from './move-runs.ts'
import { DEPRECATED, FIRST, type Pipeline, type Target } from './pipeline.ts'
import {
  type EntityRequest,
  type Promotable,
  readSubject,
  type Subject,
  type SubjectFailure,
  type SubjectSource,
  type Unpromotable,
} from './subject.ts'
import { createRequestAudit, type RequestAudit } from './request-audit.ts'

export interface GateOptions extends SubjectSource {
  readonly gitHost: GitHost
  readonly repository: RepositoryId
  readonly platformGroup: string
  readonly audit: Pick<Audit, 'decide'>
}

export interface Admission {
  readonly subject: Subject
  readonly promotable: Promotable
  readonly audit: RequestAudit
}

export type GateFailure =
  | SubjectFailure
  | Forbidden
  | { readonly kind: 'not_promotable'; readonly reason: Unpromotable['reason'] }

export interface AdmissionRequest {
  readonly action: string
  readonly target: Target
  readonly dryRun?: boolean
}

/**
 * Checks role and eligibility against the entity on the default branch, whatever the request says about it. The tries of one request
 * share its `decision`.
 */
export async function admit(
  options: GateOptions,
  entityRequest: EntityRequest,
  { action, ...details }: AdmissionRequest,
  decision: Decision = options.audit.decide(entityRequest.principal),
): Promise<Result<Admission, GateFailure>> {
  const read = await readSubject(options, entityRequest)
  if (!read.ok) return read
  const subject = read.value
  const { team } = subject.eligibility
  const stage = options.pipeline.stageOf(details.target)
  const required = requiredFor(stage, team, options.platformGroup)
  const allowed = authoriseMove(entityRequest.principal, stage, required)
  const groups = allowed.ok ? allowed.value : []
  const facts = {
    entityRequest,
    action,
    team,
    groups,
    revision: subject.commit,
    details: { ...details },
  }
  const audit = createRequestAudit(decision, facts)
  if (!allowed.ok) {
    await audit.denied(allowed.error.kind)
    return allowed
  }
  const promotable = promotableFor(options.pipeline, subject, details.target)
  if (promotable.kind === 'not_promotable') {
    const { reason } = promotable
    await audit.denied('not_promotable', { reason })
    return err({ kind: 'not_promotable', reason })
  }
  return ok({ subject, promotable, audit })
}

/** Lost races after which a request gives up. */
const ATTEMPTS_MAX = 9
const PAUSE_MS = 100

/** The steps of a request that changes an application. */
export interface Steps<Planned, Value, Failure> {
  /** Checks, and writes nothing. */
  readonly plan: (admission: Admission, run: MoveRun) => Promise<Result<Planned, Failure>>
  readonly act: (
    admission: Admission,
    planned: Planned,
    run: MoveRun,
  ) => Promise<Result<Value, Failure>>
}

/**
 * Admits a request, plans it and acts on it under the lock of its application and environment. Answers with the run of the move if that
 * has to wait.
 */
export async function exclusively<Planned, Value, Failure extends { readonly kind: string }>(
  options: GateOptions & { readonly moveRuns: Pick<MoveRuns, 'request'> },
  entityRequest: EntityRequest,
  asked: AdmissionRequest,
  steps: Steps<Planned, Value, Failure>,
  {
    act,
    request,
    hasSecrets,
    isAsync,
    outcomeOf,
  }: Pick<MoveSpec, 'act' | 'request' | 'hasSecrets'> & {
    readonly isAsync: boolean
    readonly outcomeOf: (value: Value) => MoveOutcome
  },
): Promise<Result<Value, Failure | GateFailure | LockFailure | Waiting>> {
  const decision = options.audit.decide(entityRequest.principal)
  const first = await admit(options, entityRequest, asked, decision)
  if (!first.ok) return first
  const { team, app } = first.value.promotable
  const { kind, name, principal, requestId, address } = entityRequest
  const { issuer, subject, email, groups } = principal
  const spec = {
    act,
    kind,
    name,
    team,
    app,
    target: asked.target,
    environment: options.pipeline.stageOf(asked.target)?.environment ?? '',
    request,
    hasSecrets,
    by: {
      issuer,
      subject,
      name: principal.name,
      email,
      groups: groups.kind === 'known' ? [...groups.names] : null,
    },
    requestId,
    address,
  }
  const work = (run: MoveRun) =>
    untilWon(options, entityRequest, asked, steps, run, decision, first.value)
  const requested = await options.moveRuns.request(spec, decision, isAsync, work, outcomeOf)
  if (!requested.ok && isWaiting(requested.error) && requested.error.isJoined) {
    await first.value.audit.allowed({ runId: requested.error.runId })
  }
  return requested
}

const isWaiting = (failure: { readonly kind: string }): failure is Waiting =>
  failure.kind === 'waiting'

/** People, git hosts and secret stores know no lock: after a lost race against them everything is read and decided anew. */
export async function untilWon<Planned, Value, Failure extends { readonly kind: string }>(
  options: GateOptions,
  entityRequest: EntityRequest,
  asked: AdmissionRequest,
  { plan, act }: Steps<Planned, Value, Failure>,
  run: MoveRun,
  decision: Decision,
  first?: Admission,
): Promise<Result<Value, Failure | GateFailure>> {
  for (let count = 1; ; count++) {
    const isLast = count === ATTEMPTS_MAX
    const isFirst = count === 1 && first !== undefined && !run.hasWaited
    const admitted = isFirst ? ok(first) : await admit(options, entityRequest, asked, decision)
    if (!admitted.ok) return admitted
    const planned = await plan(admitted.value, run)
    const tried = planned.ok
      ? await onBehalfOf(entityRequest.principal.subject, () =>
          act(admitted.value, planned.value, run),
        )
      : planned
    if (tried.ok) return tried
    const isOver = isLast || !isLostRace(tried.error)
    if (isOver && !planned.ok && !run.goesOnAfter(planned.error)) {
      await admitted.value.audit.refused(planned.error)
    }
    if (isOver) return tried
    await sleep(PAUSE_MS * (count - 1))
  }
}

/** A deprecation touches the entity's file alone: it needs an owner and a name, no application and no known lifecycle. */
function promotableFor(
  pipeline: Pipeline,
  { eligibility, lifecycleText }: Subject,
  target: Target,
): Promotable | Unpromotable {
  if (eligibility.kind === 'promotable' || target !== DEPRECATED) return eligibility
  const { team, app, pulls } = eligibility
  if (team === null || app === null) return eligibility
  const lifecycle = pipeline.parseLifecycle(lifecycleText) ?? FIRST
  return { kind: 'promotable', lifecycle, team, app, application: ABSENT, pulls }
}

export const actionOf = (target: Target): string =>
  target === DEPRECATED ? 'promotion.deprecate' : 'promotion.propose'
