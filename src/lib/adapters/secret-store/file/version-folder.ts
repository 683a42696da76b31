import { link, mkdir, open, readdir, rename, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { SecretVersion } from '../../../ports/secret-store.ts'
import { sweepFolder } from '../../../files/abandoned.ts'
import { leaveBehind, onErrno } from '../../../files/errno.ts'

/** 15 digits are exact as a number. */
const PUBLISHED = /^([1-9][0-9]{0,14})\.sealed$/
const STAGED = /^([1-9][0-9]{0,14})\.[-0-9a-f]{36}\.staged$/

/** Far longer than any writer may take; a slow one finds its file gone, and is told that the version has moved. */
const STAGED_ABANDONED_MS = 60 * 60_000

const FILE_MODE = 0o600
const FOLDER_MODE = 0o700

/** Unlike elsewhere a file in the place of a folder is an error: the entry must not count as absent. */
const ifMissing = <Value>(instead: Value) => onErrno(['ENOENT'], instead)

const numbered = (names: readonly string[], pattern: RegExp) =>
  names.flatMap((name) => {
    const [, version] = pattern.exec(name) ?? []
    return version === undefined ? [] : [{ name, version: Number(version) }]
  })

/** 0 without a version. */
export async function newestVersion(folder: string): Promise<SecretVersion> {
  return Math.max(0, ...(await listVersions(folder)))
}

/** The versions of an entry, oldest first. */
export async function listVersions(folder: string): Promise<readonly SecretVersion[]> {
  const names = await readdir(folder).catch(ifMissing([]))
  return numbered(names, PUBLISHED)
    .map(({ version }) => version)
    .toSorted((a, b) => a - b)
}

/** `gone` when a writer has removed the version since its listing. */
export async function readVersion(
  folder: string,
  version: SecretVersion,
  maxBytes: number,
): Promise<Uint8Array | 'gone' | 'too_large'> {
  const file = await open(join(folder, `${version}.sealed`)).catch(ifMissing(undefined))
  if (file === undefined) return 'gone'
  try {
    const { size } = await file.stat()
    return size > maxBytes ? 'too_large' : await file.readFile()
  } finally {
    await file.close()
  }
}

/**
 * Puts other bytes of the same content in the place of a version, at once or not at all. Answers `false` when a writer has removed the
 * version or the staged file in the meantime. A writer that removes the version just before the rename leaves it behind below newer
 * ones, where nobody reads it, until the next write.
 */
export async function replaceVersion(
  folder: string,
  version: SecretVersion,
  bytes: Uint8Array,
): Promise<boolean> {
  const file = join(folder, `${version}.${crypto.randomUUID()}.staged`)
  try {
    await writeThrough(file, bytes)
    if (!(await listVersions(folder)).includes(version)) return false
    const replaced = await rename(file, join(folder, `${version}.sealed`)).then(
      () => true,
      onErrno(['ENOENT'], false),
    )
    if (replaced) await syncFolder(folder)
    return replaced
  } finally {
    await unlink(file).catch(leaveBehind)
  }
}

/** A version on disk that is not yet part of the entry. */
export interface StagedVersion extends AsyncDisposable {
  /** Publishes the version by a hard link. Answers `false` when another writer was first. */
  publish(): Promise<boolean>
}

/** `undefined` when the entry is not at the version before. */
export async function stageVersion(
  folder: string,
  version: SecretVersion,
  bytes: Uint8Array,
): Promise<StagedVersion | undefined> {
  const file = join(folder, `${version}.${crypto.randomUUID()}.staged`)
  const discard = () => unlink(file).catch(leaveBehind)
  let staged = false
  try {
    await writeThrough(file, bytes)
    // Checked after the write, so that `removeOldVersions` of another writer has this file in its listing.
    staged = (await newestVersion(folder)) === version - 1
  } finally {
    if (!staged) await discard()
  }
  if (!staged) return undefined

  return {
    async publish() {
      const published = await link(file, join(folder, `${version}.sealed`)).then(
        () => true,
        onErrno(['EEXIST', 'ENOENT'], false),
      )
      if (published) await syncFolder(folder)
      return published
    },
    [Symbol.asyncDispose]: discard,
  }
}

/**
 * Removes what `newest`, which the caller has published, makes superfluous: first files staged for existing versions, then the
 * versions before the last `kept`. In this order a writer that slept after staging a version, which others then published and
 * removed, finds its staged file gone; its link would otherwise succeed below newer versions, and lose its write. Files of dead
 * writers are removed the same way.
 */
export async function removeOldVersions(
  folder: string,
  newest: SecretVersion,
  kept: number,
): Promise<void> {
  const names = await readdir(folder)
  const staged = numbered(names, STAGED).filter(({ version }) => version <= newest)
  const old = numbered(names, PUBLISHED)
    .filter(({ version }) => version <= newest - kept)
    .toSorted((a, b) => a.version - b.version)
  for (const { name } of [...staged, ...old])
    await unlink(join(folder, name)).catch(ifMissing(undefined))
}

/** Removes the staged files of dead writers from all entries. Those of an entry that is never written again would stay. */
export const sweepStaged = (root: string): Promise<void> =>
  sweepFolder(root, {
    ageMs: STAGED_ABANDONED_MS,
    isTemporary: (name) => STAGED.test(name),
    enters: () => true,
  }).catch(leaveBehind)

/** Creates the folder of an entry durably: a power cut after its first version must not remove the folder. */
export async function makeFolder(root: string, folder: string): Promise<void> {
  const first = await mkdir(folder, { recursive: true, mode: FOLDER_MODE })
  const top = first === undefined || first.startsWith(`${root}/`) ? root : dirname(first)
  // Existing folders too: the process that created them may have died before the sync.
  for (let each = folder; each !== top && each !== dirname(each); each = dirname(each))
    await syncFolder(dirname(each))
}

async function writeThrough(path: string, bytes: Uint8Array): Promise<void> {
  const file = await open(path, 'wx', FILE_MODE)
  try {
    await file.writeFile(bytes)
    await file.sync()
  } finally {
    await file.close()
  }
}

async function syncFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r')
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}
