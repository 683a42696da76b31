import type { SecretWriteRow, SecretWriteStore } from '../../ports/database/secret-writes.ts'
import type { Engine } from './engine.ts'
import { rowOf, statementsOf, type Stored } from './statements.ts'

const toRow = rowOf<SecretWriteRow>({ expectedVersion: true, at: true })

export function createSecretWriteStore(engine: Engine): SecretWriteStore {
  const { first, hasChanged } = statementsOf(engine)
  return {
    find: (path) =>
      first(
        (sql) => sql<Stored<SecretWriteRow>[]>`
        SELECT path, expected_version AS "expectedVersion", key_id AS "keyId", sealed, at
        FROM secret_write WHERE path = ${path}`,
        toRow,
      ),

    replace: (before, { path, expectedVersion, keyId, sealed, at }) =>
      hasChanged((sql) =>
        before === null
          ? sql`
        INSERT INTO secret_write (path, expected_version, key_id, sealed, at)
        VALUES (${path}, ${expectedVersion}, ${keyId}, ${sealed}, ${at})
        ON CONFLICT (path) DO NOTHING`
          : sql`
        UPDATE secret_write SET expected_version = ${expectedVersion}, key_id = ${keyId},
          sealed = ${sealed}, at = ${at}
        WHERE path = ${path} AND expected_version = ${before.expectedVersion}
          AND sealed = ${before.sealed}`,
      ),
  }
}
