import type { SecretVersionStore } from '../../ports/database/secret-versions.ts'
import { ok } from '../../result.ts'
import type { Engine } from './engine.ts'

/** PostgreSQL's driver gives 64-bit integers as text. */
interface Columns {
  readonly path: string
  readonly version: number | string
  readonly key_id: string
  readonly sealed: Uint8Array
}

export const createSecretVersionStore = (engine: Engine): SecretVersionStore => ({
  async find(path, version) {
    const found = await engine.run((sql) =>
      version === undefined
        ? sql<Columns[]>`
      SELECT * FROM secret_version WHERE path = ${path} ORDER BY version DESC LIMIT 1`
        : sql<
            Columns[]
          >`SELECT * FROM secret_version WHERE path = ${path} AND version = ${version}`,
    )
    if (!found.ok) return found
    const [row] = found.value
    return ok(
      row === undefined
        ? null
        : {
            path: row.path,
            version: Number(row.version),
            keyId: row.key_id,
            sealed: new Uint8Array(row.sealed),
          },
    )
  },

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

  async add({ path, version, keyId, sealed }) {
    const added = await engine.run(
      (sql) => sql<unknown[]>`
      INSERT INTO secret_version (path, version, key_id, sealed)
      VALUES (${path}, ${version}, ${keyId}, ${sealed})
      ON CONFLICT (path, version) DO NOTHING`,
    )
    return added.ok ? ok(undefined) : added
  },

  async replace(before, { keyId, sealed }) {
    const replaced = await engine.run(
      (sql) => sql<unknown[]>`
      UPDATE secret_version SET key_id = ${keyId}, sealed = ${sealed}
      WHERE path = ${before.path} AND version = ${before.version} AND sealed = ${before.sealed}`,
    )
    return replaced.ok ? ok(replaced.value.affectedRows === 1) : replaced
  },

  async list(after, max) {
    const { path, version } = after ?? { path: '', version: 0 }
    const listed = await engine.run(
      (sql) => sql<Pick<Columns, 'path' | 'version'>[]>`
      SELECT path, version FROM secret_version WHERE (path, version) > (${path}, ${version})
      ORDER BY path, version LIMIT ${max}`,
    )
    return listed.ok
      ? ok(listed.value.map((row) => ({ path: row.path, version: Number(row.version) })))
      : listed
  },

  async movedFiles() {
    const found = await engine.run(
      (sql) => sql<(Pick<Columns, 'path' | 'version'> & { readonly digest: string })[]>`
      SELECT path, version, digest FROM moved_secret_file`,
    )
    return found.ok
      ? ok(
          found.value.map(({ path, version, digest }) => ({
            path,
            version: Number(version),
            digest,
          })),
        )
      : found
  },

  async noteMoved({ path, version, digest }) {
    const noted = await engine.run(
      (sql) => sql<unknown[]>`
      INSERT INTO moved_secret_file (path, version, digest)
      VALUES (${path}, ${version}, ${digest})
      ON CONFLICT (path, version) DO UPDATE SET digest = excluded.digest`,
    )
    return noted.ok ? ok(undefined) : noted
  },
})
