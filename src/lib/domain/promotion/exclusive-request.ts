import { setTimeout as sleep } from 'node:timers/promises'
import type { PullRequest } from '../../ports/git-host.ts'
import { err, ok, type Result } from '../../result.ts'
import type { Principal } from '../access/principal.ts'
import type { Decision } from '../audit/decision.ts'
import { upstreamOf } from '../audit/upstream.ts'
import { ABSENT } from './application.ts'
import { authoriseMove, requiredFor } from './decide.ts'
import type { PromotionDeps } from './dependencies.ts'
import type { MoveFailure } from './failure.ts'
import type { FinishedMove, MoveSpec } from './move-run.ts'
import type { MoveRun, MoveRuns, Waiting } from './move-runs.ts'
import { moveTo } from './move.ts'
import { DEPRECATED, FIRST, type Pipeline, type Target } from './pipeline.ts'
import { findEnded, isLostRace, noteOpened } from './proposal.ts'
import { askedIn, createRequestAudit, type RequestAudit } from './request-audit.ts'
import {
  type EntityRequest,
  type Promotable,
  readSubject,
  type Subject,
  type Unpromotable,
} from './subject.ts'

export interface Admission {
  readonly principal: Principal
  readonly subject: Subject
  readonly promotable: Promotable
  readonly audit: RequestAudit
}

export interface AdmissionRequest {
  readonly action: string
  readonly target: Target
  readonly dryRun?: boolean
}

/**
 * Checks role and eligibility against the entity on the default branch, whatever the request says about it. The tries of one request
 * share its `decision`. `known`: the entity, read for this request.
 */
export async function admit(
  deps: PromotionDeps,
  entityRequest: EntityRequest,
  { action, target, dryRun }: AdmissionRequest,
  decision: Decision = deps.audit.decide(entityRequest.principal),
  known?: Subject,
): Promise<Result<Admission, MoveFailure>> {
  const read = known === undefined ? await readSubject(deps, entityRequest) : ok(known)
  if (!read.ok) return read
  const subject = read.value
  const { principal } = entityRequest
  const { team } = subject.eligibility
  const stage = deps.pipeline.stageOf(target)
  const required = requiredFor(stage, team, deps.platformGroup)
  const allowed = authoriseMove(principal, stage, required)
  const groups = allowed.ok ? allowed.value : []
  const audit = createRequestAudit(decision, {
    ...askedIn(entityRequest, action),
    team,
    groups,
    revision: subject.commit,
    details: { target, ...(dryRun !== undefined && { dryRun }) },
  })
  if (!allowed.ok) {
    await audit.denied(allowed.error.kind)
    return allowed
  }
  const promotable = promotableFor(deps.pipeline, subject, target)
  if (promotable.kind === 'not_promotable') {
    const { reason } = promotable
    await audit.denied('not_promotable', { reason })
    return err({ kind: 'not_promotable', reason })
  }
  return ok({ principal, subject, promotable, audit })
}

/** Lost races after which a request gives up. */
const ATTEMPTS_MAX = 9
const PAUSE_MS = 100

/** Effects that a request has decided and not begun. */
export type Change<Value> = () => Promise<Result<Value, MoveFailure>>

/** A request that changes an application. */
export interface MoveRequest<Value> extends Pick<AdmissionRequest, 'action' | 'target'> {
  /** Members of the request that its run stores, since another process may go on with it. */
  readonly stored: Pick<MoveSpec, 'step' | 'request' | 'hasSecrets'>
  /** Checks, and writes nothing. */
  readonly plan: (admission: Admission, run: MoveRun) => Promise<Result<Change<Value>, MoveFailure>>
  /** Outcome, and facts for the audit row, when the pull request was merged or closed before its opening was answered. */
  readonly endedBy: (
    pullRequest: PullRequest,
    promotable: Promotable,
  ) => FinishedMove & { readonly facts: Readonly<Record<string, string | number | boolean>> }
}

/**
 * Admits a request, plans it and carries it out under the lock of its application and environment. Answers with the run of the move if
 * that has to wait.
 */
export async function exclusively<Value extends FinishedMove>(
  deps: PromotionDeps & { readonly moveRuns: Pick<MoveRuns, 'request'> },
  entityRequest: EntityRequest,
  move: MoveRequest<Value>,
  isAsync: boolean,
  known?: Subject,
): Promise<Result<Value, MoveFailure | Waiting>> {
  const decision = deps.audit.decide(entityRequest.principal)
  const { target } = move
  const first = await admit(deps, entityRequest, move, decision, known)
  if (!first.ok) {
    const upstream = upstreamOf(first.error)
    if ('upstream' in upstream) {
      // Nothing was decided, and an operator is asked why.
      const end = { result: 'failed', code: first.error.kind } as const
      const asked = askedIn(entityRequest, move.action)
      await decision.end({ ...asked, ...end, details: { target, ...upstream } })
    }
    return first
  }
  const { team, app } = first.value.promotable
  const { kind, name, principal, requestId, address } = entityRequest
  const { issuer, subject, email, groups } = principal
  const spec = {
    ...move.stored,
    kind,
    name,
    team,
    app,
    target,
    environment: deps.pipeline.stageOf(target)?.environment ?? '',
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
  const admitAnew = () => admit(deps, entityRequest, move, decision)
  const work = (run: MoveRun) => untilWon(admitAnew, move.plan, run, first.value)
  const requested = await deps.moveRuns.request(spec, decision, isAsync, work)
  if (!requested.ok && requested.error.kind === 'waiting' && requested.error.isJoined) {
    await first.value.audit.allowed({ runId: requested.error.runId })
  }
  return requested
}

/** Goes on with the run of a request. The pull request of an attempt before this one may have been merged or closed since. */
export const resume = (
  deps: PromotionDeps,
  entityRequest: EntityRequest,
  move: MoveRequest<FinishedMove>,
  run: MoveRun,
  decision: Decision,
): Promise<Result<FinishedMove, MoveFailure>> =>
  untilWon(
    () => admit(deps, entityRequest, move, decision),
    async (admission) => {
      const { promotable, principal, audit } = admission
      const stage = deps.pipeline.stageOf(move.target) ?? null
      // The pull request of a confirmation, if it needs one, changes the lifecycle.
      const act = move.stored.step === 'confirm' ? 'lifecycle' : 'promote'
      const found = await findEnded(deps, moveTo(promotable, stage, act), run)
      if (!found.ok) return found
      const ended = found.value
      if (ended === null) return move.plan(admission, run)
      const { outcome, facts } = move.endedBy(ended, promotable)
      return ok(async () => {
        const noted = await audit.effects(
          {},
          () => noteOpened(deps, ended, principal),
          () => facts,
        )
        return noted.ok ? ok({ outcome }) : noted
      })
    },
    run,
  )

/** People, git hosts and secret stores know no lock: after a lost race against them everything is read and decided anew. */
async function untilWon<Value>(
  admitAnew: () => Promise<Result<Admission, MoveFailure>>,
  plan: MoveRequest<Value>['plan'],
  run: MoveRun,
  first?: Admission,
): Promise<Result<Value, MoveFailure>> {
  for (let count = 1; ; count++) {
    const isFirst = count === 1 && first !== undefined && !run.hasWaited
    const admitted = isFirst ? ok(first) : await admitAnew()
    if (!admitted.ok) return admitted
    const planned = await plan(admitted.value, run)
    const tried = planned.ok ? await planned.value() : planned
    if (tried.ok) return tried
    if (count === ATTEMPTS_MAX || !isLostRace(tried.error)) {
      if (!planned.ok && !run.goesOnAfter(planned.error))
        await admitted.value.audit.refused(planned.error)
      return tried
    }
    await sleep(PAUSE_MS * (count - 1))
  }
}

/** A deprecation touches the entity's file alone: it needs an owner and a name, no application and no known lifecycle. */
function promotableFor(
  pipeline: Pipeline,
  { eligibility, entity }: Subject,
  target: Target,
): Promotable | Unpromotable {
  if (eligibility.kind === 'promotable' || target !== DEPRECATED) return eligibility
  const { team, app, pulls } = eligibility
  if (team === null || app === null) return eligibility
  const lifecycle = pipeline.parseLifecycle(entity.card.lifecycle) ?? FIRST
  return { kind: 'promotable', lifecycle, team, app, application: ABSENT, pulls }
}
