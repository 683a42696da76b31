import type { RepositoryId } from '../../names.ts'
import type { GitFailure, GitHost } from '../../ports/git-host.ts'
import { err, ok, type Result } from '../../result.ts'
import { authorise, type Forbidden } from '../access/authorise.ts'
import type { Audit } from '../audit/audit.ts'
import type { Decision } from '../audit/decision.ts'
import { ABSENT } from './application.ts'
import { requiredFor } from './decide.ts'
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
import { createTrail, type Trail } from './trail.ts'

export interface GateOptions extends SubjectSource {
  readonly gitHost: GitHost
  readonly repository: RepositoryId
  readonly platformGroup: string
  readonly audit: Pick<Audit, 'decide'>
}

export interface Admission {
  readonly subject: Subject
  readonly promotable: Promotable
  readonly trail: Trail
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
  const trail = createTrail(decision, facts)
  if (!allowed.ok) {
    await trail.denied(allowed.error.kind)
    return allowed
  }
  const found = await promotableFor(options, subject, details.target)
  if (!found.ok) return found
  if (found.value.kind === 'not_promotable') {
    const { reason } = found.value
    await trail.denied('not_promotable', { reason })
    return err({ kind: 'not_promotable', reason })
  }
  return ok({ subject, promotable: found.value, trail })
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
