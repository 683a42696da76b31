import type { SQL } from 'bun'
import type { DeployTokenRow, DeployTokenStore } from '../../ports/database/deploy-tokens.ts'
import type { Engine } from './engine.ts'
import { rowOf, statementsOf, type Stored } from './statements.ts'

type Columns = Stored<DeployTokenRow>

const toRow = rowOf<DeployTokenRow>({ createdAt: true, lastUsedAt: true })

export function createDeployTokenStore(engine: Engine): DeployTokenStore {
  const { all, first, hasChanged, done } = statementsOf(engine)

  /** A token with an access that this version does not know reads. */
  const select = (sql: SQL) => sql`
    SELECT
      id, hash, repository, name, CASE access WHEN 'write' THEN 'write' ELSE 'read' END AS access,
      created_at AS "createdAt", subject, person_name AS "personName", last_used_at AS "lastUsedAt"
    FROM deploy_token`

  return {
    insert: (row) =>
      done(
        (sql) => sql`
        INSERT INTO deploy_token (
          id, hash, repository, name, access, created_at, subject, person_name, last_used_at
        ) VALUES (
          ${row.id}, ${row.hash}, ${row.repository}, ${row.name}, ${row.access}, ${row.createdAt},
          ${row.subject}, ${row.personName}, ${row.lastUsedAt}
        )`,
      ),

    list: (repository) =>
      all(
        (sql) => sql<Columns[]>`
        ${select(sql)} WHERE repository = ${repository} ORDER BY id DESC`,
        toRow,
      ),

    find: (hash) => first((sql) => sql<Columns[]>`${select(sql)} WHERE hash = ${hash}`, toRow),

    touch: (id, at) =>
      done(
        (sql) => sql`
        UPDATE deploy_token SET last_used_at = ${at}
        WHERE id = ${id} AND COALESCE(last_used_at, 0) < ${at}`,
      ),

    remove: (repository, id) =>
      hasChanged(
        (sql) => sql`DELETE FROM deploy_token WHERE repository = ${repository} AND id = ${id}`,
      ),
  }
}
