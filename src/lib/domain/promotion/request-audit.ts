import type { DatabaseFailure } from '../../ports/database/failure.ts'
import type { Result } from '../../result.ts'
import type { AuditEntry, AuditRecord } from '../audit/audit.ts'
import type { Decision, Recorded } from '../audit/decision.ts'
import { upstreamOf } from '../audit/upstream.ts'
import type { MoveFailure } from './failure.ts'
import type { EntityName, EntityRequest } from './subject.ts'
import type { SecretsOutcome, SecretsRequest } from './secrets.ts'

type Details = AuditRecord['details']
type RequestFacts = Parameters<Decision['begin']>[0]

/** The audit row of one request. It may have names of secrets, never values. */
export type RequestAudit = ReturnType<typeof createRequestAudit>

export function createRequestAudit(decision: Decision, facts: RequestFacts) {
  const end = (
    result: AuditEntry['result'],
    code: string | null = null,
    details: Details = {},
  ): Recorded => decision.end({ ...facts, result, code, details: { ...facts.details, ...details } })

  return {
    denied: (code: string, details: Details = {}): Recorded => end('denied', code, details),

    /** A check that did not pass, or that an upstream kept from being made. */
    refused: (failure: MoveFailure): Recorded =>
      DENIALS.has(failure.kind)
        ? end('denied', failure.kind)
        : end('failed', failure.kind, upstreamOf(failure)),

    /** A granted request without an effect. */
    allowed: (details: Details = {}): Recorded => end('allowed', null, details),

    /**
     * Runs effects after a row that announces them, which then gets their outcome. Without the row nothing runs. After a failure the row
     * stays open: the caller tries again, or abandons the decision.
     */
    async effects<Value, Failure extends { readonly kind: string }>(
      details: Details,
      act: () => Promise<Result<Value, Failure>>,
      outcomeOf: (value: Value) => Details,
    ): Promise<Result<Value, Failure | DatabaseFailure>> {
      const started = await decision.begin({ ...facts, details: { ...facts.details, ...details } })
      if (!started.ok) return started
      const acted = await act()
      if (!acted.ok) return acted
      const done = await end('done', null, outcomeOf(acted.value))
      return done.ok ? acted : done
    },

    /** Recorded at once, because a later effect may fail. */
    secretsWritten: ({ version, isNew }: SecretsOutcome): Recorded =>
      decision.note({ secretVersion: version, secretsChanged: isNew }),
  }
}

/** The facts that a decision has before anything is read. */
export const askedIn = ({ requestId, address, ...entity }: EntityRequest, action: string) => ({
  action,
  target: entityTarget(entity),
  requestId,
  address,
})

/** The target of an audit row is the entity; the lifecycle, which is the target of a move, is among its details. */
export const entityTarget = ({ kind, name }: EntityName): string => `${kind}/${name}`.toLowerCase()

/** The request is refused whoever repeats it when; every other failure says that something is away. */
const DENIALS = new Set<MoveFailure['kind']>([
  'invalid_transition',
  'nothing_to_change',
  'overlay_not_editable',
  'pr_pending',
  'pr_outdated',
  'pr_closed',
  'overlay_missing',
  'entity_not_editable',
  'git_branch_blocked',
  'not_promotable',
  'validation_failed',
  'host_taken',
  'database_taken',
  'name_taken',
  'secret_exists',
  'secret_store_forbidden',
  'secret_store_unauthorized',
  'session_invalid',
])

export const namesOf = (request: SecretsRequest | null) =>
  request && { secretPath: request.path, secretKeys: Object.keys(request.values).toSorted() }
