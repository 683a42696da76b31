import { createReadStream, existsSync } from 'node:fs'
import { open, rename, rm } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { databaseUrl, readDatabaseAuthority } from '../../config/database.ts'
import { settings } from '../../config/table.ts'
import { databaseRefusal } from '../../lib/adapters/database/check/index.ts'
import type { Engine } from '../../lib/adapters/database/engine.ts'
import { openEngine } from '../../lib/adapters/database/index.ts'
import { noteLastDone, readSchema, readTables } from '../../lib/adapters/database/rows.ts'
import { isKnownSchema } from '../../lib/adapters/database/schema.ts'
import { copyRepository, listRepositories } from '../../lib/adapters/hosts/forge/copies.ts'
import { gitHosts } from '../../lib/adapters/hosts/index.ts'
import { readAhead } from '../../lib/concurrency/read-ahead.ts'
import { sweepFolder } from '../../lib/files/abandoned.ts'
import { failureText } from '../../lib/ports/git-host/failure-text.ts'
import type { GitFailure } from '../../lib/ports/git-host.ts'
import { err, ok, type Result } from '../../lib/result.ts'
import {
  readSettings,
  type SettingMistake,
  type SettingSource,
} from '../../lib/settings/setting.ts'
import { VERSION } from '../../version.ts'
import { type ArchiveWriter, writeArchive } from './archive.ts'
import { BackupFailure, MANIFEST, type Manifest } from './manifest.ts'

const OWNER_ONLY = 0o600
/** Programs of git that make bundles, each into a file beside the backup. */
const AT_ONCE = 4
/** Longer than the pause between two writes of a living backup. */
const ABANDONED_AFTER_MS = 2 * 60 * 60_000

const { DATA_DIR, DATABASE_URL, DATABASE_CA_FILE, GIT_HOST } = settings

/**
 * Writes a backup beside a running service. `to` has a whole backup or what it had before.
 * @returns a line about the backup
 */
export async function backUp(
  to: string,
  source: SettingSource,
): Promise<Result<Result<string, string>, readonly SettingMistake[]>> {
  const read = readSettings({ DATA_DIR, DATABASE_URL, DATABASE_CA_FILE, GIT_HOST }, source)
  if (!read.ok) return read
  return ok(await settleBackup(() => writeBackup(resolve(to), read.value)))
}

/** Failures that somebody can mend become sentences. */
export async function settleBackup(work: () => Promise<string>): Promise<Result<string, string>> {
  try {
    return ok(await work())
  } catch (error) {
    const isErrno = error instanceof Error && 'syscall' in error
    if (error instanceof BackupFailure || isErrno) return err(error.message)
    throw error
  }
}

type BackupSettings = Readonly<{
  DATA_DIR: string
  DATABASE_URL: string
  DATABASE_CA_FILE: string | null
}>

/** Opens the database of the settings as it is. */
export async function openAsItIs(values: BackupSettings): Promise<Engine> {
  const authority = readDatabaseAuthority(values)
  if (!authority.ok) throw new BackupFailure(authority.error)
  const engine = await openEngine(databaseUrl(values), { ca: authority.value })
  if (engine.ok) return engine.value
  throw new BackupFailure(databaseRefusal(databaseUrl(values), engine.error))
}

async function writeBackup(
  to: string,
  values: BackupSettings & { readonly GIT_HOST: unknown },
): Promise<string> {
  const url = databaseUrl(values)
  if (values.DATABASE_URL === '' && !existsSync(url.slice('sqlite:'.length))) {
    throw new BackupFailure(`there is no database in ${values.DATA_DIR}: see DATA_DIR`)
  }
  const prefix = `.${basename(to)}.`
  await sweepFolder(dirname(to), {
    ageMs: ABANDONED_AFTER_MS,
    isTemporary: (name) => name.startsWith(prefix),
    enters: () => false,
  })
  const unfinished = join(dirname(to), `${prefix}${crypto.randomUUID()}`)
  const engine = await openAsItIs(values)
  const file = await open(unfinished, 'wx', OWNER_ONLY)
  try {
    const startedAt = Date.now()
    const archive = writeArchive(file)
    const schema = await addRows(engine, archive, startedAt, url)
    const root = join(values.DATA_DIR, 'git')
    const repositories =
      values.GIT_HOST === gitHosts.local ? await addRepositories(root, archive, unfinished) : 0
    await archive.finish()
    await file.sync()
    await rename(unfinished, to)
    if (schema.additions.includes('last_done')) {
      const noted = await engine.transaction('portico/backup', (sql) =>
        noteLastDone(sql, 'backup', startedAt),
      )
      if (!noted.ok) throw new BackupFailure(`${to} is whole, and the database did not note it`)
    }
    const { size } = await file.stat()
    return `${to}: ${size} bytes, the database and ${repositories} repositories.`
  } finally {
    await file.close()
    await rm(unfinished, { force: true })
    await engine.close()
  }
}

/** The rows of one moment, behind a manifest. */
async function addRows(
  engine: Engine,
  archive: ArchiveWriter,
  at: number,
  url: string,
): Promise<Manifest['schema']> {
  const written = await engine.transactionAtLength('read', async (sql) => {
    const schema = await readSchema(sql, engine.dialect)
    if (schema === null || !isKnownSchema(schema)) {
      throw new BackupFailure(
        schema === null
          ? 'the database has no tables of Portico'
          : 'the database is of a newer version of Portico: make the backup with that version',
      )
    }
    const { keyIds, tables } = await readTables(sql, engine.dialect)
    const createdAt = new Date(at).toISOString()
    const manifest: Manifest = { format: 1, portico: VERSION, createdAt, schema, keyIds }
    await archive.add(MANIFEST, [`${JSON.stringify(manifest, null, 2)}\n`])
    for (const { name, lines } of tables) {
      try {
        await archive.add(`rows/${name}.jsonl`, lines)
      } catch (error) {
        throw withoutCode(error)
      }
    }
    return schema
  })
  if (written.ok) return written.value
  throw new BackupFailure(databaseRefusal(url, written.error))
}

/** An error of the disk, which the database would take for its own. */
export function withoutCode(error: unknown): unknown {
  const isErrno = error instanceof Error && 'syscall' in error
  return isErrno ? new BackupFailure(error.message) : error
}

/** After the rows, so that no row refers to what is missing. Answers how many there are. */
async function addRepositories(
  root: string,
  archive: ArchiveWriter,
  unfinished: string,
): Promise<number> {
  const repositories = valueOf(await listRepositories(root))
  const bundleOf = (index: number) => `${unfinished}.${index}`
  const begun: Promise<unknown>[] = []
  const copies = readAhead(repositories.entries(), AT_ONCE, ([index, id]) => {
    const copy = copyRepository(root, id, bundleOf(index))
    begun.push(copy)
    return copy
  })
  try {
    for await (const [[index], copied] of copies) {
      const name = `git/${String(index + 1).padStart(6, '0')}`
      await archive.add(`${name}.json`, [`${JSON.stringify(valueOf(copied))}\n`])
      const bundle = bundleOf(index)
      await archive.add(`${name}.bundle`, existsSync(bundle) ? createReadStream(bundle) : [])
      await rm(bundle, { force: true })
    }
  } finally {
    // After a failure, others are still being written.
    await Promise.all(begun)
    const left = repositories.keys().map((index) => rm(bundleOf(index), { force: true }))
    await Promise.all(left)
  }
  return repositories.length
}

export function valueOf<Value>(outcome: Result<Value, GitFailure>): Value {
  if (outcome.ok) return outcome.value
  throw new BackupFailure(`git: ${failureText(outcome.error)}`)
}
