import type { DatabaseFailure } from '../../ports/database.ts'
import type { PresentEntry } from '../../ports/secret-store.ts'
import type { Result } from '../../result.ts'
import type { Audit, AuditEntry } from '../audit/audit.ts'
import type { Asking } from './gate.ts'
import type { SecretsRequest } from './secrets.ts'

/** What is the same in every row of one request. */
export interface TrailFacts {
  readonly asking: Asking
  readonly action: string
  readonly team: string | null
  readonly groups: readonly string[]
  /** The commit that everything was decided on. */
  readonly revision: string
  readonly details: Details
}

type Details = AuditEntry['details']
type Recorded = Promise<Result<void, DatabaseFailure>>

/** What happened in one request, for the audit. Names of secrets may be in it, values never. */
export type Trail = ReturnType<typeof createTrail>

export function createTrail(audit: Pick<Audit, 'record'>, facts: TrailFacts) {
  const { asking, action, team, groups, revision } = facts
  const { principal, requestId, kind, name } = asking
  const row = (
    result: AuditEntry['result'],
    code: string | null,
    details: Details,
  ): AuditEntry => ({
    action,
    target: `${kind}/${name}`.toLowerCase(),
    team,
    result,
    code,
    groups,
    revision,
    requestId,
    details: { ...facts.details, ...details },
  })
  const record = (...what: Parameters<typeof row>): Recorded =>
    audit.record(principal, row(...what))

  return {
    denied: (code: string, details: Details = {}): Recorded => record('denied', code, details),

    /** A request that is granted and has no effect. */
    allowed: (): Recorded => record('allowed', null, {}),

    /**
     * Effects, between a row that announces them and one that says what came of them. When the first cannot be written there
     * are none; the second is written whatever happens, short of the end of the process.
     */
    async effects<Value, Failure extends { readonly kind: string }>(
      details: Details,
      act: () => Promise<Result<Value, Failure>>,
      outcomeOf: (value: Value) => Details,
    ): Promise<Result<Value, Failure | DatabaseFailure>> {
      const started = await record('started', null, details)
      if (!started.ok) return started
      const acted = await act().catch(async (bug: unknown) => {
        await record('failed', 'internal_error', {})
        throw bug
      })
      if (!acted.ok) {
        await record('failed', acted.error.kind, {})
        return acted
      }
      const done = await record('done', null, outcomeOf(acted.value))
      return done.ok ? acted : done
    },

    /** An effect of its own, on record at once: what comes after it may fail. `isNew`: they were not there before. */
    secretsWritten: (
      request: SecretsRequest,
      { version }: PresentEntry,
      isNew: boolean,
    ): Recorded =>
      audit.record(principal, {
        ...row(isNew ? 'done' : 'allowed', null, { ...namesOf(request), secretVersion: version }),
        action: 'promotion.write_secrets',
      }),
  }
}

export const namesOf = (request: SecretsRequest | null) =>
  request && { secretPath: request.path, secretKeys: Object.keys(request.values).toSorted() }
