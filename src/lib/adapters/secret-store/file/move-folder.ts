import { open, readdir, writeFile } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { Type } from 'typebox'
import { Value } from 'typebox/value'
import { readAhead } from '../../../concurrency/read-ahead.ts'
import { onErrno } from '../../../files/errno.ts'
import { SecretPath } from '../../../names.ts'
import type { DatabaseFailure } from '../../../ports/database/failure.ts'
import type {
  SecretVersionName,
  SecretVersionRow,
  SecretVersionStore,
} from '../../../ports/database/secret-versions.ts'
import { ok, type Result } from '../../../result.ts'
import { parseJson } from '../../../text/json.ts'

/** Written into the folder when all its versions are rows. */
const MARK = 'moved-to-the-database'
/** 15 digits are exact as a number. */
const VERSION = /^([1-9][0-9]{0,14})\.sealed$/
/** Earlier releases wrote no larger file. */
const FILE_BYTES_MAX = 1024 * 1024
const AT_ONCE = 8

const Stored = Type.Object({
  format: Type.Literal(1),
  keyId: Type.String({ minLength: 1 }),
  sealed: Type.String(),
})

/**
 * Copies the versions that earlier releases kept as files, `<directory>/<path>/<version>.sealed`, into rows, as they are sealed. The files
 * stay. Broken off at any moment and repeated, it ends in the same state. A damaged file becomes a damaged version, so that no entry
 * falls back to an older one. Errors of the file system are thrown.
 */
export async function moveFolder(
  directory: string,
  versions: Pick<SecretVersionStore, 'add'>,
): Promise<Result<void, DatabaseFailure>> {
  const names = await readdir(directory).catch(onErrno(['ENOENT'], null))
  if (names === null || names.includes(MARK)) return ok(undefined)
  const files = await listFiles(directory)
  const moves = readAhead(files, AT_ONCE, async (file) =>
    versions.add(await readRow(directory, file)),
  )
  for await (const [, added] of moves) if (!added.ok) return added
  await writeFile(join(directory, MARK), '', { mode: 0o600 })
  return ok(undefined)
}

async function listFiles(directory: string): Promise<readonly SecretVersionName[]> {
  const found = await readdir(directory, { recursive: true, withFileTypes: true })
  return found.flatMap((each) => {
    const path = SecretPath.parse(relative(directory, each.parentPath))
    const [, version] = VERSION.exec(each.name) ?? []
    // A pipe without a writer never opens, and a symbolic link may lead anywhere.
    return path === undefined || version === undefined || !each.isFile()
      ? []
      : [{ path, version: Number(version) }]
  })
}

async function readRow(directory: string, name: SecretVersionName): Promise<SecretVersionRow> {
  await using file = await open(join(directory, name.path, `${name.version}.sealed`))
  const { size } = await file.stat()
  const bytes = size > FILE_BYTES_MAX ? new Uint8Array() : new Uint8Array(await file.readFile())
  const stored = parseJson(new TextDecoder().decode(bytes))
  const damaged = { ...name, keyId: '', sealed: bytes }
  if (!Value.Check(Stored, stored)) return damaged
  try {
    const sealed = Uint8Array.fromBase64(stored.sealed, { lastChunkHandling: 'strict' })
    return { ...name, keyId: stored.keyId, sealed }
  } catch {
    return damaged
  }
}
