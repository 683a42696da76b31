import type { Result } from '../../result.ts'
import type { DatabaseFailure } from './failure.ts'

/**
 * The audit trail: rows are added, those of effects get their outcome once, and nothing else changes until they are removed. Times in
 * milliseconds since the Unix epoch.
 */
export interface AuditStore {
  append(row: AuditRow): Promise<Result<void, DatabaseFailure>>
  /**
   * Replaces result, code, groups, revision and details of a row whose result is `started`. Answers `false`, and changes nothing, for a
   * row with an outcome.
   */
  amend(row: AmendedRow): Promise<Result<boolean, DatabaseFailure>>
  find(id: string): Promise<Result<AuditRow | null, DatabaseFailure>>
  /** Newest first, by id, which begins with the time. */
  list(filter: AuditFilter): Promise<Result<readonly AuditRow[], DatabaseFailure>>
  /** Removes older rows and answers their number. */
  removeBefore(at: number): Promise<Result<number, DatabaseFailure>>
}

/**
 * A decision without effects (`allowed`, `denied`), or the outcome of its effects. `started`: they are under way, or their process ended
 * in the middle.
 */
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
  /** A JSON object: the grant that the actor used; `null` in a browser. */
  readonly via: string | null
}

export type AmendedRow = Pick<
  AuditRow,
  'id' | 'result' | 'code' | 'groups' | 'revision' | 'details'
>

/** `null`: whatever it is. */
export interface AuditFilter {
  readonly team: string | null
  readonly target: string | null
  /** The actor. */
  readonly subject: string | null
  /** An action, or the part of it before the dot for all of its kind. */
  readonly action: string | null
  /** The same for actions that are left out. */
  readonly without: string | null
  /** Only rows with smaller ids. */
  readonly before: string | null
  readonly limit: number
}
