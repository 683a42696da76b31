import type { SQL } from 'bun'
import type { DatabaseFailure } from '#src/lib/ports/database.ts'
import { ok, type Result } from '#src/lib/result.ts'
import { type Engine, unavailable, type Words } from './engine.ts'

/** Forward only. A line that was released is never edited: a change is a new line. */
const migrations: readonly ((words: Words) => readonly string[])[] = [
  ({ bytes, int64, tableOptions }) => [
    `CREATE TABLE session (
      id_hash TEXT NOT NULL PRIMARY KEY,
      issuer TEXT NOT NULL,
      subject TEXT NOT NULL,
      sid TEXT,
      created_at ${int64} NOT NULL,
      seen_at ${int64} NOT NULL,
      expires_at ${int64} NOT NULL,
      version ${int64} NOT NULL,
      key_id TEXT NOT NULL,
      sealed ${bytes} NOT NULL
    ) ${tableOptions}`,
    'CREATE INDEX session_person ON session (issuer, subject, created_at)',
    'CREATE INDEX session_sid ON session (issuer, sid)',
    'CREATE INDEX session_expires ON session (expires_at)',
    'CREATE INDEX session_seen ON session (seen_at)',
    `CREATE TABLE ping (id TEXT NOT NULL PRIMARY KEY, content ${bytes} NOT NULL) ${tableOptions}`,
  ],
]

/** Brings the tables to this version's form. One transaction, so processes that start together do it once. */
export async function migrate(engine: Engine): Promise<Result<void, DatabaseFailure>> {
  const found = await engine.transaction('portico/schema', (sql) => apply(sql, engine.words))
  if (!found.ok) return found
  return found.value > migrations.length
    ? unavailable(`schema ${found.value} is newer than this version's ${migrations.length}`)
    : ok(undefined)
}

/** Answers the version that it found. */
async function apply(sql: SQL, words: Words): Promise<number> {
  await sql.unsafe(
    `CREATE TABLE IF NOT EXISTS schema_version (version ${words.int64} NOT NULL PRIMARY KEY) ${words.tableOptions}`,
  )
  const [newest] = await sql<{ version: number | string | null }[]>`
    SELECT MAX(version) AS version FROM schema_version`
  const found = Number(newest?.version ?? 0)

  for (const [index, statements] of migrations.entries()) {
    if (index < found) continue
    for (const statement of statements(words)) await sql.unsafe(statement)
    await sql`INSERT INTO schema_version (version) VALUES (${index + 1})`
  }
  return found
}
