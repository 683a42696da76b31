import type { SQL } from 'bun'
import type { AuditResult, AuditRow, AuditStore } from '../../ports/database/audit.ts'
import { ok } from '../../result.ts'
import type { Engine } from './engine.ts'

/** The greatest UUID. */
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** PostgreSQL's driver gives 64-bit integers as text. */
interface Columns {
  readonly id: string
  readonly at: number | string
  readonly issuer: string
  readonly subject: string
  readonly name: string
  readonly action: string
  readonly target: string
  readonly team: string | null
  readonly result: AuditResult
  readonly code: string | null
  readonly groups: string
  readonly revision: string | null
  readonly request_id: string
  readonly details: string
  readonly address: string | null
  readonly via: string | null
}

const toRow = ({ at, request_id: requestId, ...columns }: Columns): AuditRow => ({
  ...columns,
  at: Number(at),
  requestId,
})

/**
 * Address and grant have tables of their own. A new column of `audit` would reach the answers of an older version, whose `SELECT *` answers
 * every column, and break the statements that it has prepared.
 */
export const createAuditStore = (engine: Engine): AuditStore => ({
  async append(row) {
    const { address, via } = row
    if (address === null && via === null) {
      const appended = await engine.run((sql) => insert(sql, row))
      return appended.ok ? ok(undefined) : appended
    }
    return engine.transaction(`audit/${row.id}`, async (sql) => {
      await insert(sql, row)
      if (address !== null) {
        await sql`INSERT INTO audit_address (audit_id, address) VALUES (${row.id}, ${address})`
      }
      if (via !== null) await sql`INSERT INTO audit_via (audit_id, via) VALUES (${row.id}, ${via})`
    })
  },

  async amend({ id, result, code, groups, revision, details }) {
    const amended = await engine.run(
      (sql) => sql<unknown[]>`
      UPDATE audit SET
        result = ${result}, code = ${code}, groups = ${groups}, revision = ${revision}, details = ${details}
      WHERE id = ${id} AND result = 'started'`,
    )
    return amended.ok ? ok(amended.value.affectedRows === 1) : amended
  },

  async find(id) {
    const found = await engine.run((sql) => sql<Columns[]>`${select(sql)} WHERE id = ${id}`)
    if (!found.ok) return found
    const [columns] = found.value
    return ok(columns === undefined ? null : toRow(columns))
  },

  async list({ team, target, subject, action, without, before, limit }) {
    const last = before ?? LAST_ID
    const found = await engine.run(
      (sql) => sql<Columns[]>`
      ${select(sql)}
      WHERE id < ${last}
        ${team === null ? sql`` : sql`AND team = ${team}`}
        ${target === null ? sql`` : sql`AND target = ${target}`}
        ${subject === null ? sql`` : sql`AND subject = ${subject}`}
        ${action === null ? sql`` : sql`AND ${isOf(sql, action)}`}
        ${without === null ? sql`` : sql`AND NOT ${isOf(sql, without)}`}
      ORDER BY id DESC LIMIT ${limit}`,
    )
    return found.ok ? ok(found.value.map(toRow)) : found
  },

  async removeBefore(at) {
    const removed = await engine.run((sql) => sql<unknown[]>`DELETE FROM audit WHERE at < ${at}`)
    return removed.ok ? ok(removed.value.affectedRows) : removed
  },
})

const select = (sql: SQL) => sql`
  SELECT
    id, at, issuer, subject, name, action, target, team, result, code, groups, revision, request_id, details,
    address, via
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
