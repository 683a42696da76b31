import type { GrantTokenRow, GrantTokenStore } from '../../ports/database/grant-tokens.ts'
import type { Engine } from './engine.ts'
import { rowOf, statementsOf, type Stored } from './statements.ts'

export function createGrantTokenStore(engine: Engine): GrantTokenStore {
  const { first, changed } = statementsOf(engine)
  return {
    find: (hash) =>
      first(
        (sql) => sql<Stored<GrantTokenRow>[]>`
        SELECT hash, grant_id AS "grantId", kind, expires_at AS "expiresAt"
        FROM grant_token WHERE hash = ${hash}`,
        rowOf<GrantTokenRow>({ expiresAt: true }),
      ),

    issue: (grantId, tokens, used) =>
      engine.transaction(`grant/${grantId}`, async (sql) => {
        const grants = await sql<unknown[]>`SELECT 1 FROM session WHERE id_hash = ${grantId}`
        if (grants.length === 0) return false
        if (used !== undefined) {
          const taken = await sql<unknown[]>`
            DELETE FROM grant_token WHERE hash = ${used.hash} AND grant_id = ${grantId}`
          if (taken.affectedRows !== 1) return false
          await sql`
            UPDATE session SET seen_at = ${used.at} WHERE id_hash = ${grantId} AND seen_at < ${used.at}`
        }
        for (const { hash, kind, expiresAt } of tokens) {
          await sql`
            INSERT INTO grant_token (hash, grant_id, kind, expires_at)
            VALUES (${hash}, ${grantId}, ${kind}, ${expiresAt})`
        }
        return true
      }),

    sweep: (now) => changed((sql) => sql`DELETE FROM grant_token WHERE expires_at <= ${now}`),
  }
}
