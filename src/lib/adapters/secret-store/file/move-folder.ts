import { createHash } from 'node:crypto'
import { open, readdir } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { Type } from 'typebox'
import { Value } from 'typebox/value'
import { readAhead } from '../../../concurrency/read-ahead.ts'
import type { Keyring } from '../../../crypto/keyring.ts'
import { onErrno } from '../../../files/errno.ts'
import { SecretPath } from '../../../names.ts'
import type { DatabaseFailure } from '../../../ports/database/failure.ts'
import type {
  SecretVersionName,
  SecretVersionRow,
  SecretVersionStore,
} from '../../../ports/database/secret-versions.ts'
import { err, ok, type Result } from '../../../result.ts'
import { parseJson } from '../../../text/json.ts'
import { openVersion } from './sealed-version.ts'

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

export type MoveFailure =
  | DatabaseFailure
  /** The first version of each entry whose files go on otherwise than its rows. Later files of the entry were not copied. */
  | { readonly kind: 'versions_differ'; readonly versions: readonly SecretVersionName[] }

/**
 * Copies the versions that earlier releases kept as files, `<directory>/<path>/<version>.sealed`, into rows, as they are sealed. The folder
 * stays as it is; the database remembers each file that became a row, since the row may be resealed or removed later. Broken off
 * at any moment and repeated, it ends in the same state. A damaged file becomes a damaged version, so that no entry falls back to
 * an older one. Errors of the file system are thrown.
 */
export async function moveFolder(
  directory: string,
  versions: Pick<SecretVersionStore, 'find' | 'add' | 'movedFiles' | 'noteMoved'>,
  keyring: Keyring,
): Promise<Result<void, MoveFailure>> {
  const folder = await openFolder(directory, versions)
  if (!folder.ok) return folder
  const { entries, readUnmoved } = folder.value
  const moves = readAhead(entries, AT_ONCE, async (names) =>
    moveEntry(await readUnmoved(names), versions, keyring),
  )
  const differing: SecretVersionName[] = []
  for await (const [, moved] of moves) {
    if (!moved.ok) return moved
    if (moved.value !== null) differing.push(moved.value)
  }
  return differing.length > 0
    ? err({ kind: 'versions_differ', versions: differing })
    : ok(undefined)
}

/** Whether a file of the folder is not in the database. Changes nothing. */
export async function hasUnmoved(
  directory: string,
  versions: Pick<SecretVersionStore, 'movedFiles'>,
): Promise<Result<boolean, DatabaseFailure>> {
  const folder = await openFolder(directory, versions)
  if (!folder.ok) return folder
  const { entries, readUnmoved } = folder.value
  for await (const [, files] of readAhead(entries, AT_ONCE, readUnmoved))
    if (files.length > 0) return ok(true)
  return ok(false)
}

interface SealedFile {
  readonly row: SecretVersionRow
  /** SHA-256 of the file, in hexadecimal digits. */
  readonly digest: string
}

async function openFolder(directory: string, versions: Pick<SecretVersionStore, 'movedFiles'>) {
  const names = await listFiles(directory)
  const moved = names.length === 0 ? ok([]) : await versions.movedFiles()
  if (!moved.ok) return moved
  const digests = new Map(
    moved.value.map(({ path, version, digest }) => [`${path} ${version}`, digest]),
  )
  return ok({
    /** The files of each entry, from the first version. */
    entries: [...Map.groupBy(names, ({ path }) => path).values()],
    readUnmoved: async (entry: readonly SecretVersionName[]): Promise<readonly SealedFile[]> => {
      const files = await Array.fromAsync(entry, (name) => readSealed(directory, name))
      return files.filter(({ row, digest }) => digests.get(`${row.path} ${row.version}`) !== digest)
    },
  })
}

async function listFiles(directory: string): Promise<readonly SecretVersionName[]> {
  const found = await readdir(directory, { recursive: true, withFileTypes: true }).catch(
    onErrno(['ENOENT'], []),
  )
  const names = found.flatMap((each) => {
    const path = SecretPath.parse(relative(directory, each.parentPath))
    const [, version] = VERSION.exec(each.name) ?? []
    // A pipe without a writer never opens, and a symbolic link may lead anywhere.
    return path === undefined || version === undefined || !each.isFile()
      ? []
      : [{ path, version: Number(version) }]
  })
  return names.toSorted((one, other) => one.version - other.version)
}

async function readSealed(directory: string, name: SecretVersionName): Promise<SealedFile> {
  await using file = await open(join(directory, name.path, `${name.version}.sealed`))
  const { size } = await file.stat()
  const bytes = size > FILE_BYTES_MAX ? new Uint8Array() : new Uint8Array(await file.readFile())
  return {
    row: { ...name, ...sealedIn(bytes) },
    digest: createHash('sha256').update(bytes).digest('hex'),
  }
}

function sealedIn(bytes: Uint8Array): Pick<SecretVersionRow, 'keyId' | 'sealed'> {
  const stored = parseJson(new TextDecoder().decode(bytes))
  const damaged = { keyId: '', sealed: bytes }
  if (!Value.Check(Stored, stored)) return damaged
  try {
    const sealed = Uint8Array.fromBase64(stored.sealed, { lastChunkHandling: 'strict' })
    return { keyId: stored.keyId, sealed }
  } catch {
    return damaged
  }
}

/**
 * Copies the files of an entry that are newer than its rows, and compares all with the rows that are there then: another process may
 * copy or write meanwhile. Answers the first one that differs.
 */
async function moveEntry(
  files: readonly SealedFile[],
  versions: Pick<SecretVersionStore, 'find' | 'add' | 'noteMoved'>,
  keyring: Keyring,
): Promise<Result<SecretVersionName | null, DatabaseFailure>> {
  const [first] = files
  if (first === undefined) return ok(null)
  const before = await versions.find(first.row.path)
  if (!before.ok) return before
  const newest = before.value?.version ?? 0
  for (const { row, digest } of files) {
    const { path, version } = row
    const added = version > newest ? await versions.add(row) : ok(undefined)
    if (!added.ok) return added
    const found = await versions.find(path, version)
    if (!found.ok) return found
    // An older version that is missing was never copied, or had another content and is not kept any more.
    if (found.value === null || !isAlike(keyring, row, found.value)) return ok({ path, version })
    const noted = await versions.noteMoved({ path, version, digest })
    if (!noted.ok) return noted
  }
  return ok(null)
}

function isAlike(keyring: Keyring, one: SecretVersionRow, other: SecretVersionRow): boolean {
  if (one.keyId === other.keyId && Buffer.from(one.sealed).equals(other.sealed)) return true
  const [values, others] = [openVersion(keyring, one), openVersion(keyring, other)]
  return values.ok && others.ok && Bun.deepEquals(values.value, others.value)
}
