import type { SQL } from 'bun'
import type { DatabaseFailure } from '../../ports/database/failure.ts'
import { ok, type Result } from '../../result.ts'
import { type Dialect, type Engine, SCHEMA_LOCK, unavailable } from './engine.ts'

/**
 * Forward only. A released migration is never edited: a change is a new one. An older version refuses a database with a migration
 * that it does not know, so a migration is for changes that an older version cannot run with.
 */
const migrations: readonly ((dialect: Dialect) => readonly string[])[] = [
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
  ({ int64, tableOptions }) => [
    `CREATE TABLE run (
      id TEXT NOT NULL PRIMARY KEY,
      status TEXT NOT NULL,
      issuer TEXT NOT NULL,
      subject TEXT NOT NULL,
      team TEXT NOT NULL,
      about TEXT NOT NULL,
      request TEXT NOT NULL,
      state TEXT NOT NULL,
      request_hash TEXT NOT NULL,
      idempotency_key TEXT,
      created_at ${int64} NOT NULL,
      finished_at ${int64},
      attempts ${int64} NOT NULL,
      holder TEXT,
      held_until ${int64} NOT NULL
    ) ${tableOptions}`,
    "CREATE UNIQUE INDEX run_about ON run (about) WHERE status = 'running'",
    'CREATE INDEX run_status ON run (status, created_at)',
    'CREATE INDEX run_person ON run (issuer, subject, created_at)',
    'CREATE INDEX run_team ON run (team, created_at)',
    'CREATE INDEX run_finished ON run (finished_at)',
    `CREATE TABLE run_event (
      run_id TEXT NOT NULL REFERENCES run (id) ON DELETE CASCADE,
      seq ${int64} NOT NULL,
      event TEXT NOT NULL,
      data TEXT NOT NULL,
      at ${int64} NOT NULL,
      PRIMARY KEY (run_id, seq)
    ) ${tableOptions}`,
  ],
  ({ bytes, int64, tableOptions }) => [
    `CREATE TABLE audit (
      id TEXT NOT NULL PRIMARY KEY,
      at ${int64} NOT NULL,
      issuer TEXT NOT NULL,
      subject TEXT NOT NULL,
      name TEXT NOT NULL,
      action TEXT NOT NULL,
      target TEXT NOT NULL,
      team TEXT,
      result TEXT NOT NULL,
      code TEXT,
      groups TEXT NOT NULL,
      revision TEXT,
      request_id TEXT NOT NULL,
      details TEXT NOT NULL
    ) ${tableOptions}`,
    'CREATE INDEX audit_team ON audit (team, id)',
    'CREATE INDEX audit_at ON audit (at)',
    `CREATE TABLE secret_write (
      path TEXT NOT NULL PRIMARY KEY,
      expected_version ${int64} NOT NULL,
      key_id TEXT NOT NULL,
      sealed ${bytes} NOT NULL,
      at ${int64} NOT NULL
    ) ${tableOptions}`,
  ],
]

/**
 * Changes that an older version runs with, so that replicas of two versions share a database: new tables and indexes, and nullable
 * columns of tables that are read and written by column names. Recorded by name, apart from the versions of the migrations.
 */
const additions: Readonly<Record<string, (dialect: Dialect) => readonly string[]>> = {
  session_client: () => [
    'ALTER TABLE session ADD COLUMN address TEXT',
    'ALTER TABLE session ADD COLUMN user_agent TEXT',
  ],
  audit_address: ({ tableOptions }) => [
    `CREATE TABLE audit_address (
      audit_id TEXT NOT NULL PRIMARY KEY REFERENCES audit (id) ON DELETE CASCADE,
      address TEXT NOT NULL
    ) ${tableOptions}`,
  ],
  used_token: ({ int64, tableOptions }) => [
    `CREATE TABLE used_token (id TEXT NOT NULL PRIMARY KEY, until ${int64} NOT NULL) ${tableOptions}`,
    'CREATE INDEX used_token_until ON used_token (until)',
  ],
  generation: ({ int64, tableOptions }) => [
    `CREATE TABLE generation (name TEXT NOT NULL PRIMARY KEY, value ${int64} NOT NULL) ${tableOptions}`,
  ],
  rate_counter: ({ int64, tableOptions }) => [
    `CREATE TABLE rate_counter (
      name TEXT NOT NULL,
      subject TEXT NOT NULL,
      ends_at ${int64} NOT NULL,
      count ${int64} NOT NULL,
      PRIMARY KEY (name, subject, ends_at)
    ) ${tableOptions}`,
    'CREATE INDEX rate_counter_ends ON rate_counter (ends_at)',
  ],
  // Table of versions before moves were runs, which may still run beside this one.
  proposal: ({ tableOptions }) => [
    `CREATE TABLE proposal (id TEXT NOT NULL PRIMARY KEY, content TEXT NOT NULL) ${tableOptions}`,
  ],
  // Read by versions before moves were runs alone, for which a row without it is not known to be written.
  secret_write_done: ({ int64 }) => [
    `ALTER TABLE secret_write ADD COLUMN written_version ${int64}`,
  ],
  audit_filters: () => [
    'CREATE INDEX audit_target ON audit (target, id)',
    'CREATE INDEX audit_subject ON audit (subject, id)',
  ],
  pull_request_asker: ({ int64, tableOptions }) => [
    `CREATE TABLE pull_request_asker (
      repository TEXT NOT NULL,
      number ${int64} NOT NULL,
      opened_at ${int64} NOT NULL,
      subject TEXT NOT NULL,
      name TEXT NOT NULL,
      PRIMARY KEY (repository, number, opened_at)
    ) ${tableOptions}`,
    'CREATE INDEX pull_request_asker_opened ON pull_request_asker (opened_at)',
  ],
  secret_version: ({ bytes, int64, tableOptions }) => [
    `CREATE TABLE secret_version (
      path TEXT NOT NULL,
      version ${int64} NOT NULL,
      key_id TEXT NOT NULL,
      sealed ${bytes} NOT NULL,
      PRIMARY KEY (path, version)
    ) ${tableOptions}`,
  ],
  moved_secret_file: ({ int64, tableOptions }) => [
    `CREATE TABLE moved_secret_file (
      path TEXT NOT NULL,
      version ${int64} NOT NULL,
      digest TEXT NOT NULL,
      PRIMARY KEY (path, version)
    ) ${tableOptions}`,
  ],
  write_turn: ({ int64, tableOptions }) => [
    `CREATE TABLE write_turn (
      host TEXT NOT NULL PRIMARY KEY,
      at ${int64} NOT NULL,
      used_until ${int64} NOT NULL
    ) ${tableOptions}`,
  ],
  deploy_token: ({ int64, tableOptions }) => [
    `CREATE TABLE deploy_token (
      id TEXT NOT NULL PRIMARY KEY,
      hash TEXT NOT NULL,
      repository TEXT NOT NULL,
      name TEXT NOT NULL,
      access TEXT NOT NULL,
      created_at ${int64} NOT NULL,
      subject TEXT NOT NULL,
      person_name TEXT NOT NULL,
      last_used_at ${int64}
    ) ${tableOptions}`,
    'CREATE UNIQUE INDEX deploy_token_hash ON deploy_token (hash)',
    'CREATE INDEX deploy_token_repository ON deploy_token (repository, id)',
  ],
  // A version before it takes a grant for a session that no cookie opens, and ends it after an idle hour.
  session_kind: () => ['ALTER TABLE session ADD COLUMN kind TEXT'],
  grant_token: ({ int64, tableOptions }) => [
    `CREATE TABLE grant_token (
      hash TEXT NOT NULL PRIMARY KEY,
      grant_id TEXT NOT NULL REFERENCES session (id_hash) ON DELETE CASCADE,
      kind TEXT NOT NULL,
      expires_at ${int64} NOT NULL
    ) ${tableOptions}`,
    'CREATE INDEX grant_token_grant ON grant_token (grant_id)',
    'CREATE INDEX grant_token_expires ON grant_token (expires_at)',
  ],
  audit_via: ({ tableOptions }) => [
    `CREATE TABLE audit_via (
      audit_id TEXT NOT NULL PRIMARY KEY REFERENCES audit (id) ON DELETE CASCADE,
      via TEXT NOT NULL
    ) ${tableOptions}`,
  ],
  session_client_kind: () => ['ALTER TABLE session ADD COLUMN client_kind TEXT'],
  last_done: ({ int64, tableOptions }) => [
    `CREATE TABLE last_done (name TEXT NOT NULL PRIMARY KEY, at ${int64} NOT NULL) ${tableOptions}`,
  ],
}

/** Version of the tables of a database, and additions that it has beyond it. */
export interface SchemaState {
  readonly version: number
  readonly additions: readonly string[]
}

const NEWEST: SchemaState = { version: migrations.length, additions: Object.keys(additions) }

/** Whether this version of Portico knows all of it. */
export const isKnownSchema = ({ version, additions: names }: SchemaState): boolean =>
  version <= NEWEST.version && names.every((name) => Object.hasOwn(additions, name))

/** Migrates the tables. One transaction, so processes that start together migrate once. */
export async function migrate(engine: Engine): Promise<Result<void, DatabaseFailure>> {
  const versionBefore = await engine.transaction(SCHEMA_LOCK, (sql) =>
    createTables(sql, engine.dialect),
  )
  if (!versionBefore.ok) return versionBefore
  return versionBefore.value > migrations.length
    ? unavailable(`schema ${versionBefore.value} is newer than this version's ${migrations.length}`)
    : ok(undefined)
}

/** Answers the version before. A database of a newer version is left as it is. */
export async function createTables(
  sql: SQL,
  dialect: Dialect,
  wanted: SchemaState = NEWEST,
): Promise<number> {
  await sql.unsafe(
    `CREATE TABLE IF NOT EXISTS schema_version (version ${dialect.int64} NOT NULL PRIMARY KEY) ${dialect.tableOptions}`,
  )
  const [newest] = await sql<{ version: number | string | null }[]>`
    SELECT MAX(version) AS version FROM schema_version`
  const current = Number(newest?.version ?? 0)
  if (current > migrations.length) return current

  for (const [index, statements] of migrations.entries()) {
    if (index < current || index >= wanted.version) continue
    for (const statement of statements(dialect)) await sql.unsafe(statement)
    await sql`INSERT INTO schema_version (version) VALUES (${index + 1})`
  }
  await add(sql, dialect, wanted.additions)
  return current
}

async function add(sql: SQL, dialect: Dialect, wanted: readonly string[]): Promise<void> {
  await sql.unsafe(
    `CREATE TABLE IF NOT EXISTS schema_addition (name TEXT NOT NULL PRIMARY KEY) ${dialect.tableOptions}`,
  )
  const rows = await sql<{ name: string }[]>`SELECT name FROM schema_addition`
  const known = new Set(rows.map(({ name }) => name))
  for (const [name, statements] of Object.entries(additions)) {
    if (known.has(name) || !wanted.includes(name)) continue
    for (const statement of statements(dialect)) await sql.unsafe(statement)
    await sql`INSERT INTO schema_addition (name) VALUES (${name})`
  }
}

/** The version that `migrate` reaches. */
export const SCHEMA_VERSION = migrations.length
