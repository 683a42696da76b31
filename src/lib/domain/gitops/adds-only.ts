import { createHash } from 'node:crypto'
import { folderBelow } from '../../files/folder-below.ts'
import { type ObjectId, type RepositoryId, RepositoryPath } from '../../names.ts'
import type { FileListing, GitFailure, GitHost } from '../../ports/git-host.ts'
import { ok, type Result } from '../../result.ts'
import { defaultLimits } from '../catalog/admission.ts'

interface AddedFile {
  readonly path: RepositoryPath
  readonly bytes: Uint8Array
}

/** Files of one listing, the catalog's and those of the applications. A folder beyond it is compared by the id of its tree. */
const FILES_MAX = 2 * defaultLimits.filesMax
/** Folders whose listings are compared, the root among them. */
const FOLDERS_MAX = 20

/**
 * Whether a commit adds exactly these files to another one, to the byte. A folder of a hundred million paths that both have costs only
 * a look at its tree. Where that does not decide it, the answer is no.
 */
export async function addsOnly(
  gitHost: Pick<GitHost, 'listFiles'>,
  repository: RepositoryId,
  { base, head }: { readonly base: ObjectId; readonly head: ObjectId },
  files: readonly AddedFile[],
  filesMax = FILES_MAX,
): Promise<Result<boolean, GitFailure>> {
  const added = files.map(({ path, bytes }) => [path, blobIdOf(bytes)] as const)
  const folders: (RepositoryPath | undefined)[] = [undefined]
  // Folders that are found too large are appended on the way.
  for (const directory of folders) {
    if (folders.length > FOLDERS_MAX) return ok(false)
    const at = { ...(directory !== undefined && { directory }), filesMax }
    const [before, after] = await Promise.all([
      gitHost.listFiles(repository, { ...at, commit: base }),
      gitHost.listFiles(repository, { ...at, commit: head }),
    ])
    if (!before.ok) return before
    if (!after.ok) return after
    const isBelow = (path: string) => directory === undefined || path.startsWith(`${directory}/`)
    const addedBelow = added.filter(([path]) => isBelow(path))
    if (addedBelow.length === 0 && before.value.tree === after.value.tree) continue

    const cut = new Set([...cutOf(before.value), ...cutOf(after.value)])
    const isWhole = ([path]: Content) => !cut.has(folderBelow(directory ?? '', path))
    const expected = new Map([...contentsOf(before.value), ...addedBelow].filter(isWhole))
    const actual = contentsOf(after.value).filter(isWhole)
    const isSame =
      actual.length === expected.size && actual.every(([path, id]) => expected.get(path) === id)
    if (!isSame) return ok(false)
    for (const rawPath of cut) {
      const folder = RepositoryPath.parse(rawPath)
      // A folder of too many files of its own cannot be divided.
      if (folder === undefined || folder === directory || !isBelow(folder)) return ok(false)
      folders.push(folder)
    }
  }
  return ok(true)
}

type Content = readonly [path: string, id: string]

/** Links and submodules count by their paths. */
const contentsOf = ({ files, skipped }: FileListing): readonly Content[] => [
  ...files.map(({ path, blob }) => [path, blob] as const),
  ...skipped
    .filter(({ reason }) => reason !== 'too_many_files')
    .map(({ rawPath, reason }) => [rawPath, reason] as const),
]

const cutOf = ({ skipped }: FileListing): readonly string[] =>
  skipped.flatMap(({ rawPath, reason }) => (reason === 'too_many_files' ? [rawPath] : []))

/** Git's object id of a file's content: SHA-1 of a header and the bytes. */
const blobIdOf = (bytes: Uint8Array): string =>
  createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex')
