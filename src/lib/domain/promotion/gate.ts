import type { RepositoryId } from '../../names.ts'
import type { GitHost } from '../../ports/git-host.ts'
import { err, ok, type Result } from '../../result.ts'
import { isPlatform, type Principal } from '../access/principal.ts'
import type { Audit } from '../audit/audit.ts'
import { authorise, type Refusal } from './decide.ts'
import { DEPRECATED, FIRST, parseLifecycle, type Target } from './pipeline.ts'
import {
  type Promotable,
  readSubject,
  type Subject,
  type SubjectFailure,
  type SubjectSource,
  type Unpromotable,
} from './subject.ts'

/** Who asks for what, in which request. */
export interface Asking {
  readonly principal: Principal
  readonly requestId: string
  readonly kind: string
  readonly name: string
}

export interface GateOptions extends SubjectSource {
  readonly gitHost: GitHost
  readonly repository: RepositoryId
  readonly platformGroup: string
  readonly audit: Pick<Audit, 'record'>
}

export interface Admitted {
  readonly subject: Subject
  readonly promotable: Promotable
  readonly trail: Trail
}

export type GateFailure =
  | SubjectFailure
  | Extract<Refusal, { kind: 'forbidden' }>
  | { readonly kind: 'not_promotable'; readonly reason: Unpromotable['reason'] }

/** What happened in one request, for the audit. Names of secrets may be in it, values never. */
export type Trail = ReturnType<typeof createTrail>

/** Lets in who may ask for a move: on the entity that the default branch has, whatever the request says of it. */
export async function admit(
  options: GateOptions,
  asking: Asking,
  action: string,
  target: Target,
): Promise<Result<Admitted, GateFailure>> {
  const read = await readSubject(options, asking)
  if (!read.ok) return read
  const subject = read.value
  const { standing } = subject
  const allowed = mayAct(options, asking.principal, target, standing.team)
  const groups = allowed.ok ? allowed.value : []
  const trail = createTrail(options.audit, asking, subject, action, groups)
  if (!allowed.ok) {
    await trail.denied(allowed.error.kind, { target })
    return allowed
  }
  const promotable =
    standing.kind === 'promotable' ? standing : deprecatable(subject, standing, target)
  if ('reason' in promotable) {
    const { reason } = promotable
    await trail.denied('not_promotable', { target, reason })
    return err({ kind: 'not_promotable', reason })
  }
  return ok({ subject, promotable, trail })
}

/** A deprecation touches the entity's file alone: it needs an owner and a name, no application and no known lifecycle. */
function deprecatable(
  { lifecycleText }: Subject,
  standing: Unpromotable,
  target: Target,
): Promotable | Unpromotable {
  const { team, app } = standing
  if (target !== DEPRECATED || team === null || app === null) return standing
  return {
    kind: 'promotable',
    lifecycle: parseLifecycle(lifecycleText) ?? FIRST,
    team,
    app,
    application: { exists: false, base: null, overlays: new Map() },
    pulls: [],
  }
}

/** What belongs to no team is the platform's. */
function mayAct(
  { platformGroup }: GateOptions,
  principal: Principal,
  target: Target,
  team: string | null,
): ReturnType<typeof authorise> {
  if (team !== null) return authorise(principal, target, team, platformGroup)
  const required = [platformGroup]
  return isPlatform(principal, platformGroup) ? ok(required) : err({ kind: 'forbidden', required })
}

function createTrail(
  audit: Pick<Audit, 'record'>,
  { principal, requestId, kind, name }: Asking,
  subject: Subject,
  action: string,
  groups: readonly string[],
) {
  const record = (
    result: 'allowed' | 'denied' | 'started' | 'done' | 'failed',
    code: string | null,
    details: Readonly<Record<string, unknown>>,
  ) =>
    audit.record(principal, {
      action,
      target: `${kind}/${name}`.toLowerCase(),
      team: subject.standing.team,
      result,
      code,
      groups,
      revision: subject.commit,
      requestId,
      details,
    })
  return {
    denied: (code: string, details: Readonly<Record<string, unknown>> = {}) =>
      record('denied', code, details),
    /** A request that is granted and has no effect. */
    allowed: (details: Readonly<Record<string, unknown>>) => record('allowed', null, details),
    /** Before the first effect. When it cannot be written there is none. */
    started: (details: Readonly<Record<string, unknown>>) => record('started', null, details),
    done: (details: Readonly<Record<string, unknown>>) => record('done', null, details),
    failed: (code: string) => record('failed', code, {}),
  }
}

export const actionOf = (target: Target): string =>
  target === DEPRECATED ? 'promotion.deprecate' : 'promotion.propose'
