import type { SecretWriteRow, SecretWriteStore } from '../../ports/database/secret-writes.ts'
import { ok } from '../../result.ts'
import type { Engine } from './engine.ts'

/** PostgreSQL's driver gives 64-bit integers as text. */
interface Columns {
  readonly path: string
  readonly expected_version: number | string
  readonly key_id: string
  readonly sealed: Uint8Array
  readonly at: number | string
}

const toRow = (columns: Columns): SecretWriteRow => ({
  path: columns.path,
  expectedVersion: Number(columns.expected_version),
  keyId: columns.key_id,
  sealed: new Uint8Array(columns.sealed),
  at: Number(columns.at),
})

export const createSecretWriteStore = (engine: Engine): SecretWriteStore => ({
  async find(path) {
    const found = await engine.run(
      (sql) => sql<Columns[]>`SELECT * FROM secret_write WHERE path = ${path}`,
    )
    if (!found.ok) return found
    const [columns] = found.value
    return ok(columns === undefined ? null : toRow(columns))
  },

  async replace(before, { path, expectedVersion, keyId, sealed, at }) {
    const replaced = await engine.run((sql) =>
      before === null
        ? sql<unknown[]>`
      INSERT INTO secret_write (path, expected_version, key_id, sealed, at)
      VALUES (${path}, ${expectedVersion}, ${keyId}, ${sealed}, ${at})
      ON CONFLICT (path) DO NOTHING`
        : sql<unknown[]>`
      UPDATE secret_write SET expected_version = ${expectedVersion}, key_id = ${keyId},
        sealed = ${sealed}, at = ${at}
      WHERE path = ${path} AND expected_version = ${before.expectedVersion}
        AND sealed = ${before.sealed}`,
    )
    return replaced.ok ? ok(replaced.value.affectedRows === 1) : replaced
  },
})
