import type { SQL } from 'bun'
import type {
  GrantClientKind,
  ListedSession,
  SessionRow,
  SessionSelector,
  SessionStore,
  SessionTimes,
} from '../../ports/database/sessions.ts'
import { ok } from '../../result.ts'
import type { Engine } from './engine.ts'
import { rowOf, statementsOf, type Stored } from './statements.ts'
import type { GrantTokenRow, GrantTokenStore } from '../../ports/database/grant-tokens.ts'

/** Upper bound of the ids in one statement. Both databases take more parameters. */
const IDS_PER_STATEMENT = 10_000

const LISTED = { createdAt: true, seenAt: true, expiresAt: true } as const
const toListed = rowOf<ListedSession>(LISTED)
const toRow = rowOf<SessionRow>({ ...LISTED, version: true })
const toTimes = rowOf<LivingSession>({ seenAt: true, expiresAt: true })

type LivingSession = SessionTimes & Pick<SessionRow, 'idHash'>

/** `kind` is `NULL` in rows of browsers. */
const listed = (sql: SQL) => sql`
  id_hash AS "idHash", COALESCE(kind, 'browser') AS kind, issuer, subject, sid, created_at AS "createdAt",
  seen_at AS "seenAt", expires_at AS "expiresAt", address, user_agent AS "userAgent"`

export function createSessionStore(engine: Engine): SessionStore {
  const { all, first, changed, hasChanged, done } = statementsOf(engine)
  return {
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

    find: (idHash) =>
      first(
        (sql) => sql<Stored<SessionRow>[]>`
        SELECT ${listed(sql)}, version, key_id AS "keyId", sealed FROM session WHERE id_hash = ${idHash}`,
        toRow,
      ),

    list: ({ issuer, subject }) =>
      all(
        (sql) => sql<Stored<ListedSession>[]>`
        SELECT ${listed(sql)} FROM session WHERE issuer = ${issuer} AND subject = ${subject}
        ORDER BY created_at DESC, id_hash`,
        toListed,
      ),

    async living(idHashes) {
      const living = new Map<string, SessionTimes>()
      for (let start = 0; start < idHashes.length; start += IDS_PER_STATEMENT) {
        const ids = idHashes.slice(start, start + IDS_PER_STATEMENT)
        const found = await all(
          (sql) => sql<Stored<LivingSession>[]>`
          SELECT
            id_hash AS "idHash", COALESCE(kind, 'browser') AS kind, seen_at AS "seenAt", expires_at AS "expiresAt"
          FROM session WHERE id_hash IN ${sql(ids)}`,
          toTimes,
        )
        if (!found.ok) return found
        for (const { idHash, ...times } of found.value) living.set(idHash, times)
      }
      return ok(living)
    },

    touch: (idHash, seenAt) =>
      done(
        (sql) => sql`
        UPDATE session SET seen_at = ${seenAt} WHERE id_hash = ${idHash} AND seen_at < ${seenAt}`,
      ),

    reseal: (idHash, version, { keyId, sealed }) =>
      hasChanged(
        (sql) => sql`
        UPDATE session SET sealed = ${sealed}, key_id = ${keyId}, version = version + 1
        WHERE id_hash = ${idHash} AND version = ${version}`,
      ),

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

    remove: (selector) => changed((sql) => removal(sql, selector)),
  }
}

function removal(sql: SQL, selector: SessionSelector) {
  switch (selector.kind) {
    case 'session':
      return sql`DELETE FROM session WHERE id_hash = ${selector.idHash}`
    case 'own':
      return sql`
        DELETE FROM session
        WHERE issuer = ${selector.issuer} AND subject = ${selector.subject} AND id_hash = ${selector.idHash}`
    case 'others':
      return sql`
        DELETE FROM session
        WHERE issuer = ${selector.issuer} AND subject = ${selector.subject} AND id_hash <> ${selector.idHash}`
    case 'person':
      return sql`
        DELETE FROM session
        WHERE issuer = ${selector.issuer} AND subject = ${selector.subject}
          AND COALESCE(kind, 'browser') = COALESCE(${selector.only ?? null}, kind, 'browser')`
    case 'sign_in':
      return sql`
        DELETE FROM session
        WHERE issuer = ${selector.issuer} AND sid = ${selector.sid}
          AND subject = COALESCE(${selector.subject}, subject)
          AND COALESCE(kind, 'browser') = COALESCE(${selector.only ?? null}, kind, 'browser')`
    case 'over':
      return sql`
        DELETE FROM session
        WHERE expires_at <= ${selector.expiredAt}
          OR (seen_at <= ${selector.seenBefore.browser} AND kind IS NULL)
          OR (seen_at <= ${selector.seenBefore.grant} AND kind = 'grant')`
  }
}

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
