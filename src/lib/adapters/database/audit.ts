import type { SQL } from 'bun'
import type { AuditRow, AuditStore } from '../../ports/database/audit.ts'
import type { Engine } from './engine.ts'
import { rowOf, statementsOf, type Stored } from './statements.ts'

/** The greatest UUID. */
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

type Columns = Stored<AuditRow>

const toRow = rowOf<AuditRow>({ at: true })

/**
 * Address and grant have tables of their own. A new column of `audit` would reach the answers of an older version, whose `SELECT *` answers
 * every column, and break the statements that it has prepared.
 */
export function createAuditStore(engine: Engine): AuditStore {
  const { all, first, changed, hasChanged, done } = statementsOf(engine)
  return {
    async append(row) {
      const { address, via } = row
      if (address === null && via === null) return done((sql) => insert(sql, row))
      return engine.transaction(`audit/${row.id}`, async (sql) => {
        await insert(sql, row)
        if (address !== null) {
          await sql`INSERT INTO audit_address (audit_id, address) VALUES (${row.id}, ${address})`
        }
        if (via !== null)
          await sql`INSERT INTO audit_via (audit_id, via) VALUES (${row.id}, ${via})`
      })
    },

    amend: ({ id, result, code, groups, revision, details }) =>
      hasChanged(
        (sql) => sql`
        UPDATE audit SET
          result = ${result}, code = ${code}, groups = ${groups}, revision = ${revision}, details = ${details}
        WHERE id = ${id} AND result = 'started'`,
      ),

    find: (id) => first((sql) => sql<Columns[]>`${select(sql)} WHERE id = ${id}`, toRow),

    list: ({ team, target, subject, action, without, before, limit }) =>
      all(
        (sql) => sql<Columns[]>`
        ${select(sql)}
        WHERE id < ${before ?? LAST_ID}
          ${team === null ? sql`` : sql`AND team = ${team}`}
          ${target === null ? sql`` : sql`AND target = ${target}`}
          ${subject === null ? sql`` : sql`AND subject = ${subject}`}
          ${action === null ? sql`` : sql`AND ${isOf(sql, action)}`}
          ${without === null ? sql`` : sql`AND NOT ${isOf(sql, without)}`}
        ORDER BY id DESC LIMIT ${limit}`,
        toRow,
      ),

    removeBefore: (at) => changed((sql) => sql`DELETE FROM audit WHERE at < ${at}`),
  }
}

const select = (sql: SQL) => sql`
  SELECT
    id, at, issuer, subject, name, action, target, team, result, code, groups, revision,
    request_id AS "requestId", details, address, via
  FROM audit
    LEFT JOIN audit_address ON audit_address.audit_id = id
    LEFT JOIN audit_via ON audit_via.audit_id = id`

/** Whether a row is of an action, or of one that begins with it and a dot. */
const isOf = (sql: SQL, action: string) => {
  const family = `${action}.`
  return sql`(action = ${action} OR substr(action, 1, ${family.length}) = ${family})`
}

const insert = (sql: SQL, row: AuditRow) => sql`
  INSERT INTO audit (
    id, at, issuer, subject, name, action, target, team, result, code, groups, revision, request_id, details
  ) VALUES (
    ${row.id}, ${row.at}, ${row.issuer}, ${row.subject}, ${row.name}, ${row.action}, ${row.target},
    ${row.team}, ${row.result}, ${row.code}, ${row.groups}, ${row.revision}, ${row.requestId},
    ${row.details}
  )`
