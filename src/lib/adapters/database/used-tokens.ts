import type { UsedTokenStore } from '../../ports/database/used-tokens.ts'
import { ok } from '../../result.ts'
import type { Engine } from './engine.ts'
import { statementsOf } from './statements.ts'

/** Clocks of replicas differ: by another one a token may be good for longer. */
const CLOCK_SKEW_MS = 5 * 60_000

export function createUsedTokenStore(engine: Engine): UsedTokenStore {
  const { changed, hasChanged } = statementsOf(engine)
  return {
    async isUsed(id) {
      const found = await engine.run(
        (sql) => sql<unknown[]>`SELECT 1 FROM used_token WHERE id = ${id}`,
      )
      return found.ok ? ok(found.value.length > 0) : found
    },

    use: (id, until) =>
      hasChanged(
        (sql) => sql`
        INSERT INTO used_token (id, until) VALUES (${id}, ${until}) ON CONFLICT (id) DO NOTHING`,
      ),

    sweep: (now) =>
      changed((sql) => sql`DELETE FROM used_token WHERE until <= ${now - CLOCK_SKEW_MS}`),
  }
}
