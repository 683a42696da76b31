import type { Database } from '../../ports/database.ts'
import type { DatabaseFailure } from '../../ports/database/failure.ts'
import { ok, type Result } from '../../result.ts'
import type { Engine } from './engine.ts'
import { createRequesterStore } from './requesters.ts'
import { createAuditStore } from './audit.ts'
import { createDeployTokenStore } from './deploy-tokens.ts'
import { createGrantTokenStore } from './grant-tokens.ts'
import { openGenerations } from './generations.ts'
import { createRateLimitStore } from './rate-limits.ts'
import { ping } from './ping.ts'
import { migrate } from './schema.ts'
import { createRunLeases } from './run-leases.ts'
import { createRunStore } from './runs.ts'
import { createSecretVersionStore } from './secret-versions.ts'
import { createSecretWriteStore } from './secret-writes.ts'
import { createSessionStore } from './sessions.ts'
import { statementsOf } from './statements.ts'
import { createUsedTokenStore } from './used-tokens.ts'
import { createWriteTurnStore } from './write-turns.ts'

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
