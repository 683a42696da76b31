import type { SQL } from 'bun'
import type { SessionRow, SessionSelector, SessionStore } from '../../ports/database.ts'
import { ok } from '../../result.ts'
import type { Engine } from './engine.ts'

/** PostgreSQL's driver gives 64-bit integers as text. */
interface Columns {
  readonly id_hash: string
  readonly issuer: string
  readonly subject: string
  readonly sid: string | null
  readonly created_at: number | string
  readonly seen_at: number | string
  readonly expires_at: number | string
  readonly version: number | string
  readonly key_id: string
  readonly sealed: Uint8Array
}

const toRow = (columns: Columns): SessionRow => ({
  idHash: columns.id_hash,
  issuer: columns.issuer,
  subject: columns.subject,
  sid: columns.sid,
  createdAt: Number(columns.created_at),
  seenAt: Number(columns.seen_at),
  expiresAt: Number(columns.expires_at),
  version: Number(columns.version),
  keyId: columns.key_id,
  sealed: new Uint8Array(columns.sealed),
})

export const createSessionStore = (engine: Engine): SessionStore => ({
  insert: (row, keep) =>
    engine.transaction(`session/${row.issuer}/${row.subject}`, async (sql) => {
      await sql`
        INSERT INTO session (
          id_hash, issuer, subject, sid, created_at, seen_at, expires_at, version, key_id, sealed
        ) VALUES (
          ${row.idHash}, ${row.issuer}, ${row.subject}, ${row.sid}, ${row.createdAt}, ${row.seenAt},
          ${row.expiresAt}, ${row.version}, ${row.keyId}, ${row.sealed}
        )`
      await sql`
        DELETE FROM session
        WHERE issuer = ${row.issuer} AND subject = ${row.subject} AND id_hash NOT IN (
          SELECT id_hash FROM session
          WHERE issuer = ${row.issuer} AND subject = ${row.subject}
          ORDER BY created_at DESC, CASE WHEN id_hash = ${row.idHash} THEN 0 ELSE 1 END, id_hash
          LIMIT ${keep}
        )`
    }),

  async find(idHash) {
    const found = await engine.run(
      (sql) => sql<Columns[]>`
      SELECT id_hash, issuer, subject, sid, created_at, seen_at, expires_at, version, key_id, sealed
      FROM session WHERE id_hash = ${idHash}`,
    )
    if (!found.ok) return found
    const [columns] = found.value
    return ok(columns === undefined ? null : toRow(columns))
  },

  async touch(idHash, seenAt) {
    const touched = await engine.run(
      (sql) => sql`
      UPDATE session SET seen_at = ${seenAt} WHERE id_hash = ${idHash} AND seen_at < ${seenAt}`,
    )
    return touched.ok ? ok(undefined) : touched
  },

  async reseal(idHash, version, { keyId, sealed }) {
    const written = await engine.run(
      (sql) => sql<unknown[]>`
      UPDATE session SET sealed = ${sealed}, key_id = ${keyId}, version = version + 1
      WHERE id_hash = ${idHash} AND version = ${version}`,
    )
    return written.ok ? ok(written.value.affectedRows === 1) : written
  },

  async remove(selector) {
    const removed = await engine.run((sql) => removal(sql, selector))
    return removed.ok ? ok(removed.value.affectedRows) : removed
  },
})

function removal(sql: SQL, selector: SessionSelector) {
  switch (selector.kind) {
    case 'session':
      return sql<unknown[]>`DELETE FROM session WHERE id_hash = ${selector.idHash}`
    case 'person':
      return sql<unknown[]>`
        DELETE FROM session WHERE issuer = ${selector.issuer} AND subject = ${selector.subject}`
    case 'sign_in':
      return sql<unknown[]>`
        DELETE FROM session WHERE issuer = ${selector.issuer} AND sid = ${selector.sid}`
    case 'over':
      return sql<unknown[]>`
        DELETE FROM session
        WHERE expires_at <= ${selector.expiredAt} OR seen_at <= ${selector.seenBefore}`
  }
}
