import type { SQL } from 'bun'
import { existsSync } from 'node:fs'
import { mkdir, open, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { Value } from 'typebox/value'
import { databaseUrl } from '../../config/database.ts'
import { UNFINISHED_RESTORE } from '../../compose/unfinished-restore.ts'
import { settings } from '../../config/table.ts'
import { databaseRefusal } from '../../lib/adapters/database/check/index.ts'
import type { Engine } from '../../lib/adapters/database/engine.ts'
import {
  type Columns,
  insertLines,
  KEPT_TABLES,
  makeTables,
  noteLastDone,
  readLastDone,
  readSchema,
} from '../../lib/adapters/database/rows.ts'
import { RepositoryCopy, restoreRepository } from '../../lib/adapters/hosts/forge/copies.ts'
import { ifMissing } from '../../lib/files/errno.ts'
import { ok, type Result } from '../../lib/result.ts'
import {
  readSettings,
  type SettingMistake,
  type SettingSource,
} from '../../lib/settings/setting.ts'
import { parseJson } from '../../lib/text/json.ts'
import { type Member, readArchive } from './archive.ts'
import { openAsItIs, settleBackup, valueOf, withoutCode } from './backup.ts'
import { BackupFailure, MANIFEST, type Manifest, readManifest } from './manifest.ts'

const ROWS = /^rows\/([a-z_]+)\.jsonl$/
const REPOSITORY = /^git\/(\d{6,9})\.(json|bundle)$/
/** Members other than tables and bundles. */
const SMALL_BYTES_MAX = 1024 * 1024
/** Longest row of a table; Portico's own are below 2 MiB. */
const ROW_CHARACTERS_MAX = 32 * 1024 * 1024
/** Programs of git. */
const AT_ONCE = 4

const { DATA_DIR, DATABASE_URL, DATABASE_CA_FILE } = settings

interface Contents {
  rows: number
  repositories: number
}

interface Visitor {
  readonly manifest: (manifest: Manifest) => Promise<void>
  readonly lines: (table: string, lines: readonly string[]) => Promise<void>
  readonly repository: (copy: RepositoryCopy, bundle: Member['content']) => Promise<void>
}

/** Reads a whole backup. Throws `BackupFailure` for anything that a backup does not have, and for a digest that is wrong. */
async function visit(path: string, visitor: Visitor): Promise<string> {
  const contents: Contents = { rows: 0, repositories: 0 }
  let manifest: Manifest | undefined
  /** A repository whose bundle is the next member. */
  let described: { readonly number: string; readonly copy: RepositoryCopy } | undefined
  const file = await open(path)
  try {
    for await (const { name, content } of readArchive(file)) {
      const [, table] = ROWS.exec(name) ?? []
      const [, number, kind] = REPOSITORY.exec(name) ?? []
      if (described !== undefined && kind !== 'bundle') throw withoutBundle(described.copy)
      if (manifest === undefined) {
        if (name !== MANIFEST) throw new BackupFailure('it does not begin with a manifest')
        manifest = readManifest(await smallContent(content))
        await visitor.manifest(manifest)
      } else if (table !== undefined && Object.hasOwn(KEPT_TABLES, table)) {
        for await (const lines of linesOf(content)) {
          await visitor.lines(table, lines)
          contents.rows += lines.length
        }
      } else if (number !== undefined && kind === 'json') {
        const copy = parseJson((await smallContent(content)).toString())
        if (!Value.Check(RepositoryCopy, copy)) throw unknownMember(name)
        described = { number, copy }
      } else if (number !== undefined && described?.number === number) {
        await visitor.repository(described.copy, content)
        described = undefined
        contents.repositories += 1
      } else throw unknownMember(name)
    }
  } finally {
    await file.close()
  }
  if (manifest === undefined) throw new BackupFailure('it is empty')
  if (described !== undefined) throw withoutBundle(described.copy)
  const { portico, createdAt, keyIds } = manifest
  const keys = keyIds.length === 0 ? '' : ` Its secrets need the keys ${keyIds.join(', ')}.`
  return `${contents.rows} rows and ${contents.repositories} repositories of ${createdAt}, by Portico ${portico}.${keys}`
}

const unknownMember = (name: string) =>
  new BackupFailure(`it has a member that is not known: ${name}`)

const withoutBundle = ({ owner, name }: RepositoryCopy) =>
  new BackupFailure(`it has no bundle of ${owner}/${name}`)

async function smallContent(content: Member['content']): Promise<Buffer> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of content) {
    bytes += part.length
    if (bytes <= SMALL_BYTES_MAX) parts.push(part)
  }
  return Buffer.concat(parts)
}

/** Whole lines, as many as one part of the file ends. */
async function* linesOf(content: Member['content']): AsyncGenerator<readonly string[], void, void> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const part of content) {
    const lines = `${rest}${decoder.decode(part, { stream: true })}`.split('\n')
    rest = lines.pop() ?? ''
    if (rest.length > ROW_CHARACTERS_MAX) throw new BackupFailure('a row of a table is too long')
    if (lines.length > 0) yield lines
  }
  if (rest !== '') throw new BackupFailure('a table ends in the middle of a row')
}

/** Reads a backup to its end and compares every digest. Writes nothing. */
export const verifyBackup = (path: string): Promise<Result<string, string>> =>
  settleBackup(() =>
    visit(path, {
      async manifest() {},
      async lines() {},
      async repository(_, bundle) {
        for await (const _ of bundle);
      },
    }),
  )

/** Restores a backup into the empty data directory and the empty database of the settings. Broken off at any moment it can be repeated. */
export async function restoreBackup(
  path: string,
  source: SettingSource,
): Promise<Result<Result<string, string>, readonly SettingMistake[]>> {
  const read = readSettings({ DATA_DIR, DATABASE_URL, DATABASE_CA_FILE }, source)
  if (!read.ok) return read
  const { DATA_DIR: dataDirectory } = read.value
  return ok(
    await settleBackup(async () => {
      await mkdir(dataDirectory, { recursive: true, mode: 0o700 })
      const engine = await openAsItIs(read.value)
      try {
        return await restoreInto(path, resolve(dataDirectory), engine, databaseUrl(read.value))
      } finally {
        await engine.close()
      }
    }),
  )
}

async function restoreInto(
  path: string,
  dataDirectory: string,
  engine: Engine,
  url: string,
): Promise<string> {
  const git = join(dataDirectory, 'git')
  const marker = join(dataDirectory, UNFINISHED_RESTORE)
  const staging = dirname(marker)
  // The lock of this transaction also holds the data directory.
  const restored = await engine.transactionAtLength('write', async (sql) => {
    const earlier = await readFile(marker, 'utf8').catch(ifMissing(null))
    const schema = await readSchema(sql, engine.dialect)
    if (schema !== null) {
      const isNoted = earlier !== null && schema.additions.includes('last_done')
      if (isNoted && (await readLastDone(sql, 'restore')) === Number(earlier)) {
        return 'The restore that was broken off had everything in its place.'
      }
      throw new BackupFailure('the database is not empty: restore into an empty one')
    }
    // Nobody else wrote there: `serve` does not start beside an unfinished restore.
    if (earlier !== null) await rm(git, { recursive: true, force: true })
    else await requireNoRepositories(git)
    await rm(staging, { recursive: true, force: true })
    await mkdir(join(staging, 'git'), { recursive: true, mode: 0o700 })
    const id = Date.now()
    await writeFile(marker, String(id), { flush: true })

    const { unpacked, abandoned, ...visitor } = createRestore(sql, engine, staging)
    try {
      const text = await visit(path, visitor)
      await unpacked()
      await noteLastDone(sql, 'restore', id)
      if ((await readdir(join(staging, 'git'))).length > 0) await rename(join(staging, 'git'), git)
      return text
    } catch (error) {
      await abandoned()
      await rm(staging, { recursive: true, force: true })
      throw withoutCode(error)
    }
  })
  // The answer to the commit can be lost: the next restore finds its rows, or none.
  if (!restored.ok) throw new BackupFailure(databaseRefusal(url, restored.error))
  await rm(marker, { force: true })
  await rm(staging, { recursive: true, force: true })
  return restored.value
}

async function requireNoRepositories(git: string): Promise<void> {
  if (!existsSync(git)) return
  if ((await readdir(git)).length > 0) {
    throw new BackupFailure(`${git} is not empty: restore into an empty data directory`)
  }
  await rm(git, { recursive: true })
}

function createRestore(sql: SQL, { dialect }: Engine, staging: string) {
  let columns: Columns = new Map()
  const running = new Set<Promise<void>>()
  const failures: unknown[] = []
  let number = 0

  async function unpack(copy: RepositoryCopy, bundle: string, isEmpty: boolean): Promise<void> {
    valueOf(await restoreRepository(join(staging, 'git'), copy, isEmpty ? null : bundle))
    await rm(bundle)
  }

  /** Waits until fewer repositories than that are being unpacked. */
  async function whenFewer(count: number): Promise<void> {
    while (running.size >= count) await Promise.race(running)
    if (failures.length > 0) throw failures[0]
  }

  return {
    async manifest({ schema }) {
      columns = await makeTables(sql, dialect, schema)
    },
    async lines(table, lines) {
      if (!(await insertLines(sql, columns, table, lines))) {
        throw new BackupFailure(`it has a row that the table ${table} does not take`)
      }
    },
    async repository(copy, content) {
      number += 1
      const bundle = join(staging, `${number}.bundle`)
      const file = await open(bundle, 'wx', 0o600)
      let bytes = 0
      try {
        for await (const part of content) {
          await file.writeFile(part)
          bytes += part.length
        }
      } finally {
        await file.close()
      }
      await whenFewer(AT_ONCE)
      const work: Promise<void> = unpack(copy, bundle, bytes === 0)
        .catch((error: unknown) => void failures.push(error))
        .finally(() => running.delete(work))
      running.add(work)
    },
    unpacked: () => whenFewer(1),
    /** Waits for what still runs after a failure. */
    abandoned: async () => {
      await Promise.all(running)
    },
  } satisfies Visitor & Record<'unpacked' | 'abandoned', () => Promise<void>>
}
