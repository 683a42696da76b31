import type { Database } from '../../ports/database.ts'
import type { DatabaseFailure } from '../../ports/database/failure.ts'
import { ok, type Result } from '../../result.ts'
import type { Engine } from './engine.ts'
import { createRequesterStore } from './requesters.ts'
import { createAuditStore } from './audit.ts'
import { createDeployTokenStore } from './deploy-tokens.ts'
import { createGrantTokenStore, createSessionStore } from './sessions.ts'
import { openGenerations } from './generations.ts'
import { createRateLimitStore } from './rate-limits.ts'
import { migrate } from './schema.ts'
import { createRunLeases } from './run-leases.ts'
import { createRunStore } from './runs.ts'
import { createSecretVersionStore } from './secret-versions.ts'
import { createSecretWriteStore } from './secret-writes.ts'
import { statementsOf } from './statements.ts'
import { createUsedTokenStore } from './used-tokens.ts'
import { createWriteTurnStore } from './write-turns.ts'
import { createHash, randomUUID } from 'node:crypto'

/** Migrates the tables and probes a write. A failure closes the engine. */
export async function createSqlDatabase(
  engine: Engine,
): Promise<Result<Database, DatabaseFailure>> {
  const migrated = await migrate(engine)
  const ready = migrated.ok ? await ping(engine) : migrated
  const opened = ready.ok ? await openGenerations(engine) : ready
  if (!opened.ok) {
    await engine.close()
    return opened
  }
  const { generations, close: stopFollowing } = opened.value
  return ok({
    sessions: createSessionStore(engine),
    grantTokens: createGrantTokenStore(engine),
    runs: { ...createRunStore(engine), ...createRunLeases(engine) },
    audit: createAuditStore(engine),
    secretVersions: createSecretVersionStore(engine),
    secretWrites: createSecretWriteStore(engine),
    requesters: createRequesterStore(engine),
    writeTurns: createWriteTurnStore(engine),
    deployTokens: createDeployTokenStore(engine),
    usedTokens: createUsedTokenStore(engine),
    rateLimits: createRateLimitStore(engine),
    generations,
    lastBackup: () =>
      statementsOf(engine).first(
        (sql) => sql<{ at: number | string }[]>`SELECT at FROM last_done WHERE name = 'backup'`,
        ({ at }) => Number(at),
      ),

    ping: () => ping(engine),
    async close() {
      stopFollowing()
      await engine.close()
    },
  })
}

/** About the size of a session row: with the identity provider's tokens and forty groups a row has 8.9 KB. */
const SEALED_BYTES = 8192

/**
 * Writes and removes a session that nobody else sees, and looks into every other table: any of them may be gone or damaged. Only a
 * write detects a read-only file; even `BEGIN IMMEDIATE` succeeds on it.
 */
async function ping(engine: Engine): Promise<Result<void, DatabaseFailure>> {
  const inPlace = await engine.isInPlace()
  if (!inPlace.ok) return inPlace
  const nobody = `ping/${randomUUID()}`
  const idHash = createHash('sha256').update(nobody).digest('hex')
  return engine.transaction(nobody, async (sql) => {
    await sql`
      INSERT INTO session (
        id_hash, issuer, subject, created_at, seen_at, expires_at, version, key_id, sealed
      ) VALUES (${idHash}, ${nobody}, '', 0, 0, 0, 1, '', ${new Uint8Array(SEALED_BYTES)})`
    await sql`DELETE FROM session WHERE id_hash = ${idHash}`
    await sql`
      SELECT
        EXISTS (SELECT 1 FROM run), EXISTS (SELECT 1 FROM run_event), EXISTS (SELECT 1 FROM audit),
        EXISTS (SELECT 1 FROM audit_address), EXISTS (SELECT 1 FROM secret_write),
        EXISTS (SELECT 1 FROM used_token), EXISTS (SELECT 1 FROM generation),
         EXISTS (SELECT 1 FROM rate_counter),
         EXISTS (SELECT 1 FROM pull_request_asker), EXISTS (SELECT 1 FROM secret_version),
         EXISTS (SELECT 1 FROM moved_secret_file), EXISTS (SELECT 1 FROM write_turn),
         EXISTS (SELECT 1 FROM deploy_token), EXISTS (SELECT 1 FROM grant_token),
         EXISTS (SELECT 1 FROM audit_via), EXISTS (SELECT 1 FROM last_done)`
  })
}
