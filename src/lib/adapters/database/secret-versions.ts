import type {
  MovedFile,
  SecretVersionName,
  SecretVersionRow,
  SecretVersionStore,
} from '../../ports/database/secret-versions.ts'
import type { Engine } from './engine.ts'
import { rowOf, statementsOf, type Stored } from './statements.ts'

export function createSecretVersionStore(engine: Engine): SecretVersionStore {
  const { all, first, hasChanged, done } = statementsOf(engine)
  return {
    find: (path, version) =>
      first(
        (sql) => sql<Stored<SecretVersionRow>[]>`
        SELECT path, version, key_id AS "keyId", sealed FROM secret_version
        WHERE path = ${path} ${version === undefined ? sql`` : sql`AND version = ${version}`}
        ORDER BY version DESC LIMIT 1`,
        rowOf<SecretVersionRow>({ version: true }),
      ),

    append: ({ path, version, keyId, sealed }, kept) =>
      engine.transaction(`portico/secret/${path}`, async (sql) => {
        const [newest] = await sql<{ version: number | string | null }[]>`
          SELECT MAX(version) AS version FROM secret_version WHERE path = ${path}`
        if (Number(newest?.version ?? 0) !== version - 1) return false
        await sql`
          INSERT INTO secret_version (path, version, key_id, sealed)
          VALUES (${path}, ${version}, ${keyId}, ${sealed})`
        await sql`DELETE FROM secret_version WHERE path = ${path} AND version <= ${version - kept}`
        return true
      }),

    add: ({ path, version, keyId, sealed }) =>
      done(
        (sql) => sql`
        INSERT INTO secret_version (path, version, key_id, sealed)
        VALUES (${path}, ${version}, ${keyId}, ${sealed})
        ON CONFLICT (path, version) DO NOTHING`,
      ),

    replace: (before, { keyId, sealed }) =>
      hasChanged(
        (sql) => sql`
        UPDATE secret_version SET key_id = ${keyId}, sealed = ${sealed}
        WHERE path = ${before.path} AND version = ${before.version} AND sealed = ${before.sealed}`,
      ),

    list(after, max) {
      const { path, version } = after ?? { path: '', version: 0 }
      return all(
        (sql) => sql<Stored<SecretVersionName>[]>`
        SELECT path, version FROM secret_version WHERE (path, version) > (${path}, ${version})
        ORDER BY path, version LIMIT ${max}`,
        rowOf<SecretVersionName>({ version: true }),
      )
    },

    movedFiles: () =>
      all(
        (sql) => sql<Stored<MovedFile>[]>`SELECT path, version, digest FROM moved_secret_file`,
        rowOf<MovedFile>({ version: true }),
      ),

    noteMoved: ({ path, version, digest }) =>
      done(
        (sql) => sql`
        INSERT INTO moved_secret_file (path, version, digest)
        VALUES (${path}, ${version}, ${digest})
        ON CONFLICT (path, version) DO UPDATE SET digest = excluded.digest`,
      ),
  }
}
