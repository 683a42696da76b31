import type { SQL } from 'bun'
import type {
  GrantClientKind,
  ListedSession,
  SessionKind,
  SessionRow,
  SessionSelector,
  SessionStore,
  SessionTimes,
} from '../../ports/database/sessions.ts'
import { ok } from '../../result.ts'
import type { Engine } from './engine.ts'

/** PostgreSQL's driver gives 64-bit integers as text. */
interface TimeColumns {
  readonly id_hash: string
  /** `NULL` in rows of browsers. */
  readonly kind: SessionKind | null
  readonly seen_at: number | string
  readonly expires_at: number | string
}

interface ListedColumns extends TimeColumns {
  readonly issuer: string
  readonly subject: string
  readonly sid: string | null
  readonly created_at: number | string
  readonly address: string | null
  readonly user_agent: string | null
}

interface Columns extends ListedColumns {
  readonly version: number | string
  readonly key_id: string
  readonly sealed: Uint8Array
}

/** Upper bound of the ids in one statement. Both databases take more parameters. */
const IDS_PER_STATEMENT = 10_000

const toListed = (columns: ListedColumns): ListedSession => ({
  idHash: columns.id_hash,
  kind: columns.kind ?? 'browser',
  issuer: columns.issuer,
  subject: columns.subject,
  sid: columns.sid,
  createdAt: Number(columns.created_at),
  seenAt: Number(columns.seen_at),
  expiresAt: Number(columns.expires_at),
  address: columns.address,
  userAgent: columns.user_agent,
})

const toRow = (columns: Columns): SessionRow => ({
  ...toListed(columns),
  version: Number(columns.version),
  keyId: columns.key_id,
  sealed: new Uint8Array(columns.sealed),
})

export const createSessionStore = (engine: Engine): SessionStore => ({
  insert: (row, keep) =>
    engine.transaction(`session/${row.issuer}/${row.subject}`, async (sql) => {
      await sql`
        INSERT INTO session (
          id_hash, issuer, subject, sid, created_at, seen_at, expires_at, version, key_id, sealed,
          address, user_agent, kind, client_kind
        ) VALUES (
          ${row.idHash}, ${row.issuer}, ${row.subject}, ${row.sid}, ${row.createdAt}, ${row.seenAt},
          ${row.expiresAt}, ${row.version}, ${row.keyId}, ${row.sealed}, ${row.address}, ${row.userAgent},
          ${row.kind === 'browser' ? null : row.kind}, ${row.clientKind ?? null}
        )`
      await sql`
        DELETE FROM session
        WHERE issuer = ${row.issuer} AND subject = ${row.subject}
          AND COALESCE(kind, 'browser') = ${row.kind} AND id_hash NOT IN (
          SELECT id_hash FROM session
          WHERE issuer = ${row.issuer} AND subject = ${row.subject}
            AND COALESCE(kind, 'browser') = ${row.kind}
          ORDER BY created_at DESC, CASE WHEN id_hash = ${row.idHash} THEN 0 ELSE 1 END, id_hash
          LIMIT ${keep}
        )`
    }),

  async find(idHash) {
    const found = await engine.run(
      (sql) => sql<Columns[]>`
      SELECT
        id_hash, issuer, subject, sid, created_at, seen_at, expires_at, version, key_id, sealed, address, user_agent, kind
      FROM session WHERE id_hash = ${idHash}`,
    )
    if (!found.ok) return found
    const [columns] = found.value
    return ok(columns === undefined ? null : toRow(columns))
  },

  async list({ issuer, subject }) {
    const found = await engine.run(
      (sql) => sql<ListedColumns[]>`
      SELECT id_hash, issuer, subject, sid, created_at, seen_at, expires_at, address, user_agent, kind
      FROM session WHERE issuer = ${issuer} AND subject = ${subject}
      ORDER BY created_at DESC, id_hash`,
    )
    return found.ok ? ok(found.value.map(toListed)) : found
  },

  async living(idHashes) {
    const living = new Map<string, SessionTimes>()
    for (let start = 0; start < idHashes.length; start += IDS_PER_STATEMENT) {
      const ids = idHashes.slice(start, start + IDS_PER_STATEMENT)
      const found = await engine.run(
        (sql) => sql<TimeColumns[]>`
        SELECT id_hash, kind, seen_at, expires_at FROM session WHERE id_hash IN ${sql(ids)}`,
      )
      if (!found.ok) return found
      for (const { id_hash: idHash, kind, seen_at, expires_at } of found.value) {
        const times = { seenAt: Number(seen_at), expiresAt: Number(expires_at) }
        living.set(idHash, { kind: kind ?? 'browser', ...times })
      }
    }
    return ok(living)
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

  async countGrants(now, seenAfter) {
    const found = await engine.run(
      (sql) => sql<{ client_kind: GrantClientKind | null; grants: number | string }[]>`
      SELECT client_kind, COUNT(*) AS grants FROM session
      WHERE kind = 'grant' AND expires_at > ${now} AND seen_at > ${seenAfter}
      GROUP BY client_kind`,
    )
    if (!found.ok) return found
    const counts = { cli: 0, agent: 0, workload: 0 }
    for (const { client_kind: kind, grants } of found.value) {
      if (kind !== null) counts[kind] = Number(grants)
    }
    return ok(counts)
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
    case 'own':
      return sql<unknown[]>`
        DELETE FROM session
        WHERE issuer = ${selector.issuer} AND subject = ${selector.subject} AND id_hash = ${selector.idHash}`
    case 'others':
      return sql<unknown[]>`
        DELETE FROM session
        WHERE issuer = ${selector.issuer} AND subject = ${selector.subject} AND id_hash <> ${selector.idHash}`
    case 'person':
      return sql<unknown[]>`
        DELETE FROM session
        WHERE issuer = ${selector.issuer} AND subject = ${selector.subject}
          AND COALESCE(kind, 'browser') = COALESCE(${selector.only ?? null}, kind, 'browser')`
    case 'sign_in':
      return sql<unknown[]>`
        DELETE FROM session
        WHERE issuer = ${selector.issuer} AND sid = ${selector.sid}
          AND subject = COALESCE(${selector.subject}, subject)
          AND COALESCE(kind, 'browser') = COALESCE(${selector.only ?? null}, kind, 'browser')`
    case 'over':
      return sql<unknown[]>`
        DELETE FROM session
        WHERE expires_at <= ${selector.expiredAt}
          OR (seen_at <= ${selector.seenBefore.browser} AND kind IS NULL)
          OR (seen_at <= ${selector.seenBefore.grant} AND kind = 'grant')`
  }
}
