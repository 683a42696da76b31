import type { Result } from '../../result.ts'
import type { DatabaseFailure } from './failure.ts'

/** The audit trail: rows are added and later removed, never changed. Times in milliseconds since the Unix epoch. */
export interface AuditStore {
  append(row: AuditRow): Promise<Result<void, DatabaseFailure>>
  /** Newest first, by id, which begins with the time. */
  list(filter: AuditFilter): Promise<Result<readonly AuditRow[], DatabaseFailure>>
  /** Removes older rows and answers their number. */
  removeBefore(at: number): Promise<Result<number, DatabaseFailure>>
}

/** A decision (`allowed`, `denied`), or the state of an effect. */
export type AuditResult = 'allowed' | 'denied' | 'started' | 'done' | 'failed'

export interface AuditRow {
  /** A UUID, version 7. */
  readonly id: string
  readonly at: number
  /** The actor, with their name at that time. */
  readonly issuer: string
  readonly subject: string
  readonly name: string
  /** `promotion.propose`. */
  readonly action: string
  /** `component/payments-api`. */
  readonly target: string
  readonly team: string | null
  readonly result: AuditResult
  /** Code of the refusal or failure. */
  readonly code: string | null
  /** The groups that decided, a JSON array. */
  readonly groups: string
  /** The commit that was read or made. */
  readonly revision: string | null
  readonly requestId: string
  /** A JSON object. */
  readonly details: string
  /** Client address of the actor. */
  readonly address: string | null
}

export interface AuditFilter {
  readonly team: string | null
  /** Only rows with smaller ids. */
  readonly before: string | null
  readonly limit: number
}
