import type { SecretWriteRow, SecretWriteStore } from '../../ports/database.ts'
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

const EMPTY = new Uint8Array(0)

const toRow = (columns: Columns): SecretWriteRow => ({
  path: columns.path,
  expectedVersion: Number(columns.expected_version),
  keyId: columns.key_id,
  sealed: new Uint8Array(columns.sealed),
  at: Number(columns.at),
})

export const createSecretWriteStore = (engine: Engine): SecretWriteStore => ({
  async remember({ path, expectedVersion, keyId, sealed, at }) {
    const remembered = await engine.run(
      (sql) => sql`
      INSERT INTO secret_write (path, expected_version, key_id, sealed, at)
      VALUES (${path}, ${expectedVersion}, ${keyId}, ${sealed}, ${at})
      ON CONFLICT (path) DO UPDATE SET
        expected_version = excluded.expected_version, key_id = excluded.key_id, at = excluded.at,
        sealed = CASE WHEN secret_write.expected_version = excluded.expected_version
          THEN ${EMPTY} ELSE excluded.sealed END
        WHERE secret_write.expected_version <= excluded.expected_version`,
    )
    return remembered.ok ? ok(undefined) : remembered
  },

  async find(path) {
    const found = await engine.run(
      (sql) => sql<Columns[]>`SELECT * FROM secret_write WHERE path = ${path}`,
    )
    if (!found.ok) return found
    const [columns] = found.value
    return ok(columns === undefined ? null : toRow(columns))
  },
})
