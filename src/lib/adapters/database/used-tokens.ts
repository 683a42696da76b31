import type { UsedTokenStore } from '../../ports/database/used-tokens.ts'
import { ok } from '../../result.ts'
import type { Engine } from './engine.ts'

/** Clocks of replicas differ: by another one a token may be good for longer. */
const CLOCK_SKEW_MS = 5 * 60_000

export const createUsedTokenStore = (engine: Engine): UsedTokenStore => ({
  async isUsed(id) {
    const found = await engine.run(
      (sql) => sql<unknown[]>`SELECT 1 FROM used_token WHERE id = ${id}`,
    )
    return found.ok ? ok(found.value.length > 0) : found
  },

  async use(id, until) {
    const used = await engine.run(
      (sql) => sql<unknown[]>`
      INSERT INTO used_token (id, until) VALUES (${id}, ${until}) ON CONFLICT (id) DO NOTHING`,
    )
    return used.ok ? ok(used.value.affectedRows === 1) : used
  },

  async sweep(now) {
    const removed = await engine.run(
      (sql) => sql<unknown[]>`DELETE FROM used_token WHERE until <= ${now - CLOCK_SKEW_MS}`,
    )
    return removed.ok ? ok(removed.value.affectedRows) : removed
  },
})
