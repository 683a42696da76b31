import type { Result } from '../result.ts'
import type { RequesterStore } from './database/requesters.ts'
import type { AuditStore } from './database/audit.ts'
import type { DeployTokenStore } from './database/deploy-tokens.ts'
import type { DatabaseFailure } from './database/failure.ts'
import type { Generations } from './database/generations.ts'
import type { GrantTokenStore } from './database/grant-tokens.ts'
import type { RateLimitStore } from './database/rate-limits.ts'
import type { RunLeases } from './database/run-leases.ts'
import type { RunStore } from './database/runs.ts'
import type { SecretVersionStore } from './database/secret-versions.ts'
import type { SecretWriteStore } from './database/secret-writes.ts'
import type { SessionStore } from './database/sessions.ts'
import type { UsedTokenStore } from './database/used-tokens.ts'
import type { WriteTurnStore } from './database/write-turns.ts'

/**
 * State that git cannot hold: sessions, runs, audit, and sealed secrets where no other store has them. Losing the others loses nobody's
 * work.
 * `tests/contracts/database.ts` is the definition: SQLite and PostgreSQL pass it.
 */
export interface Database {
  readonly sessions: SessionStore
  readonly grantTokens: GrantTokenStore
  readonly runs: RunStore & RunLeases
  readonly audit: AuditStore
  readonly secretVersions: SecretVersionStore
  readonly secretWrites: SecretWriteStore
  readonly requesters: RequesterStore
  readonly deployTokens: DeployTokenStore
  readonly usedTokens: UsedTokenStore
  readonly generations: Generations
  readonly rateLimits: RateLimitStore
  readonly writeTurns: WriteTurnStore
  /** When the last backup began that is whole, in milliseconds since the Unix epoch; `null` before the first one. */
  lastBackup(): Promise<Result<number | null, DatabaseFailure>>
  /** For readiness: writes and removes a row of a session's size, and looks into every table. */
  ping(): Promise<Result<void, DatabaseFailure>>
  /** Waits for running calls, two seconds at most. Later calls are `database_unavailable`. */
  close(): Promise<void>
}
