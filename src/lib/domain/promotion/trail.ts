import type { DatabaseFailure } from '../../ports/database/failure.ts'
import type { Result } from '../../result.ts'
import type { Audit, AuditEntry, AuditRecord } from '../audit/audit.ts'
import type { EntityRequest } from './subject.ts'
import type { SecretsOutcome, SecretsRequest } from './secrets.ts'

/** Members that all audit rows of one request share. */
export interface TrailFacts {
  readonly entityRequest: EntityRequest
  readonly action: string
  readonly team: string | null
  readonly groups: readonly string[]
  /** The commit that the decision was made on. */
  readonly revision: string
  readonly details: Details
}

type Details = AuditRecord['details']
type RecordResult = Promise<Result<void, DatabaseFailure>>

/** The audit rows of one request. They may have names of secrets, never values. */
export type Trail = ReturnType<typeof createTrail>

export function createTrail(audit: Pick<Audit, 'record'>, facts: TrailFacts) {
  const { entityRequest, action, team, groups, revision } = facts
  const { principal, requestId, address, kind, name } = entityRequest
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
    address,
    details: { ...facts.details, ...details },
  })
  const record = (...args: Parameters<typeof row>): RecordResult =>
    audit.record(principal, row(...args))

  return {
    denied: (code: string, details: Details = {}): RecordResult => record('denied', code, details),

    /** A granted request without an effect. */
    allowed: (): RecordResult => record('allowed', null, {}),

    /**
     * Runs effects between a row that announces them and a row with their outcome. Without the first row nothing runs; the
     * second is written unless the process ends.
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

    /** Recorded at once, because a later effect may fail. */
    secretsWritten: (request: SecretsRequest, { version, isNew }: SecretsOutcome): RecordResult =>
      audit.record(principal, {
        ...row(isNew ? 'done' : 'allowed', null, { ...namesOf(request), secretVersion: version }),
        action: 'promotion.write_secrets',
      }),
  }
}

export const namesOf = (request: SecretsRequest | null) =>
  request && { secretPath: request.path, secretKeys: Object.keys(request.values).toSorted() }
