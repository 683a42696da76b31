import type { GrantTokenRow, GrantTokenStore } from '../../ports/database/grant-tokens.ts'
import { ok } from '../../result.ts'
import type { Engine } from './engine.ts'

interface Columns {
  readonly hash: string
  readonly grant_id: string
  readonly kind: GrantTokenRow['kind']
  readonly expires_at: number | string
}

export const createGrantTokenStore = (engine: Engine): GrantTokenStore => ({
  async find(hash) {
    const found = await engine.run(
      (sql) => sql<Columns[]>`
      SELECT hash, grant_id, kind, expires_at FROM grant_token WHERE hash = ${hash}`,
    )
    if (!found.ok) return found
    const [columns] = found.value
    if (columns === undefined) return ok(null)
    const { grant_id: grantId, kind, expires_at: expiresAt } = columns
    return ok({ hash, grantId, kind, expiresAt: Number(expiresAt) })
  },

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

  async sweep(now) {
    const removed = await engine.run(
      (sql) => sql<unknown[]>`DELETE FROM grant_token WHERE expires_at <= ${now}`,
    )
    return removed.ok ? ok(removed.value.affectedRows) : removed
  },
})
