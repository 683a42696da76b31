import { setTimeout as sleep } from 'node:timers/promises'
import { onBehalfOf } from '../../concurrency/on-behalf-of.ts'
import type { RepositoryId } from '../../names.ts'
import type { GitFailure, GitHost } from '../../ports/git-host.ts'
import { err, ok, type Result } from '../../result.ts'
import { authorise, type Forbidden } from '../access/authorise.ts'
import type { Audit } from '../audit/audit.ts'
import type { Decision } from '../audit/decision.ts'
import { isLostRace } from '../gitops/propose.ts'
import { ABSENT } from './application.ts'
import { requiredFor } from './decide.ts'
import type { Lock, LockFailure, Locks } from './locks.ts'
import { DEPRECATED, FIRST, type Target } from './pipeline.ts'
import { readPulls } from './pulls.ts'
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
  const required = requiredFor(
    options.pipeline.stageOf(details.target),
    team,
    options.platformGroup,
  )
  const allowed = authorise(entityRequest.principal, required)
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
  const found = await promotableFor(options, subject, details.target)
  if (!found.ok) return found
  if (found.value.kind === 'not_promotable') {
    const { reason } = found.value
    await audit.denied('not_promotable', { reason })
    return err({ kind: 'not_promotable', reason })
  }
  return ok({ subject, promotable: found.value, audit })
}

/** Lost races after which a request gives up. */
const ATTEMPTS_MAX = 9
const PAUSE_MS = 100

/** The steps of a request that changes an application. */
interface Steps<Planned, Value, Failure> {
  /** Checks, and writes nothing. */
  readonly plan: (admission: Admission) => Promise<Result<Planned, Failure>>
  readonly act: (
    admission: Admission,
    planned: Planned,
    lock: Lock,
  ) => Promise<Result<Value, Failure>>
}

/**
 * Admits a request, plans it and acts on it under the lock of its application and environment. People, git hosts and secret stores know
 * no lock: after a lost race against them everything is read and decided anew.
 */
export async function exclusively<Planned, Value, Failure extends { readonly kind: string }>(
  options: GateOptions & { readonly locks: Locks },
  entityRequest: EntityRequest,
  asked: AdmissionRequest,
  { plan, act }: Steps<Planned, Value, Failure>,
): Promise<Result<Value, Failure | GateFailure | LockFailure>> {
  const decision = options.audit.decide(entityRequest.principal)
  const first = await admit(options, entityRequest, asked, decision)
  if (!first.ok) return first
  const { team, app } = first.value.promotable
  const environment = options.pipeline.stageOf(asked.target)?.environment ?? asked.target
  async function attempt(
    admitted: Result<Admission, GateFailure>,
    lock: Lock,
    isLast: boolean,
  ): Promise<Result<Value, Failure | GateFailure>> {
    if (!admitted.ok) return admitted
    const planned = await plan(admitted.value)
    if (planned.ok) {
      return onBehalfOf(entityRequest.principal.subject, () =>
        act(admitted.value, planned.value, lock),
      )
    }
    if (isLast || !isLostRace(planned.error)) await admitted.value.audit.refused(planned.error)
    return planned
  }
  async function attempts(lock: Lock): Promise<Result<Value, Failure | GateFailure>> {
    for (let count = 1; ; count++) {
      const isFresh = count === 1 && !lock.hasWaited
      const admitted = isFresh ? first : await admit(options, entityRequest, asked, decision)
      const tried = await attempt(admitted, lock, count === ATTEMPTS_MAX)
      if (tried.ok || !isLostRace(tried.error) || count === ATTEMPTS_MAX) return tried
      await sleep(PAUSE_MS * (count - 1))
    }
  }
  const held = await options.locks.hold(`${team}/${app}/${environment}`, (lock) =>
    decision.attempt(() => attempts(lock)),
  )
  // The row is still open after effects that failed.
  if (!held.ok) await decision.abandon(held.error.kind)
  return held
}

/** A deprecation touches the entity's file alone: it needs an owner and a name, no application and no known lifecycle. */
async function promotableFor(
  options: GateOptions,
  { eligibility, lifecycleText, branch }: Subject,
  target: Target,
): Promise<Result<Promotable | Unpromotable, GitFailure>> {
  if (eligibility.kind === 'promotable' || target !== DEPRECATED) return ok(eligibility)
  const { team, app } = eligibility
  if (team === null || app === null) return ok(eligibility)
  const pulls = await readPulls(options, branch, { team, app })
  if (!pulls.ok) return pulls
  return ok({
    kind: 'promotable',
    lifecycle: options.pipeline.parseLifecycle(lifecycleText) ?? FIRST,
    team,
    app,
    application: ABSENT,
    pulls: pulls.value,
  })
}

export const actionOf = (target: Target): string =>
  target === DEPRECATED ? 'promotion.deprecate' : 'promotion.propose'
