import type { DeployTokenRow, DeployTokenStore } from '../../ports/database/deploy-tokens.ts'
import { ok } from '../../result.ts'
import type { Engine } from './engine.ts'

/** PostgreSQL's driver gives 64-bit integers as text. */
interface Columns {
  readonly id: string
  readonly hash: string
  readonly repository: string
  readonly name: string
  readonly access: string
  readonly created_at: number | string
  readonly subject: string
  readonly person_name: string
  readonly last_used_at: number | string | null
}

const toRow = (columns: Columns): DeployTokenRow => ({
  id: columns.id,
  hash: columns.hash,
  repository: columns.repository,
  name: columns.name,
  access: columns.access === 'write' ? 'write' : 'read',
  createdAt: Number(columns.created_at),
  subject: columns.subject,
  personName: columns.person_name,
  lastUsedAt: columns.last_used_at === null ? null : Number(columns.last_used_at),
})

export const createDeployTokenStore = (engine: Engine): DeployTokenStore => ({
  async insert(row) {
    const inserted = await engine.run(
      (sql) => sql`
      INSERT INTO deploy_token (
        id, hash, repository, name, access, created_at, subject, person_name, last_used_at
      ) VALUES (
        ${row.id}, ${row.hash}, ${row.repository}, ${row.name}, ${row.access}, ${row.createdAt},
        ${row.subject}, ${row.personName}, ${row.lastUsedAt}
      )`,
    )
    return inserted.ok ? ok(undefined) : inserted
  },

  async list(repository) {
    const found = await engine.run(
      (sql) => sql<Columns[]>`
      SELECT id, hash, repository, name, access, created_at, subject, person_name, last_used_at
      FROM deploy_token WHERE repository = ${repository} ORDER BY id DESC`,
    )
    return found.ok ? ok(found.value.map(toRow)) : found
  },

  async find(hash) {
    const found = await engine.run(
      (sql) => sql<Columns[]>`
      SELECT id, hash, repository, name, access, created_at, subject, person_name, last_used_at
      FROM deploy_token WHERE hash = ${hash}`,
    )
    if (!found.ok) return found
    const [columns] = found.value
    return ok(columns === undefined ? null : toRow(columns))
  },

  async touch(id, at) {
    const touched = await engine.run(
      (sql) => sql`
      UPDATE deploy_token SET last_used_at = ${at}
      WHERE id = ${id} AND COALESCE(last_used_at, 0) < ${at}`,
    )
    return touched.ok ? ok(undefined) : touched
  },

  async remove(repository, id) {
    const removed = await engine.run(
      (sql) => sql<unknown[]>`
      DELETE FROM deploy_token WHERE repository = ${repository} AND id = ${id}`,
    )
    return removed.ok ? ok(removed.value.affectedRows === 1) : removed
  },
})
