import type { ObjectId, RepositoryId } from '../../../names.ts'
import { blobObject, MODE_EXECUTABLE, MODE_FILE, treeIdOf } from '../hosted/git-objects.ts'
import type { KeptObjects } from '../hosted/kept-objects.ts'
import type { ArchiveToRead, ReadArchiveOf } from './archives.ts'
import type { ListedEntry } from './trees.ts'

export type ListArchive = (
  repository: RepositoryId,
  archive: ArchiveToRead,
  tree: ObjectId,
) => Promise<readonly ListedEntry[] | null>

/** Git's own bound, `PATH_MAX` of Linux. Ids of nested folders are computed by recursion. */
const PATH_MAX_CHARACTERS = 4_096

/**
 * Lists a directory by an archive and keeps the contents. The files must give the directory's tree, which proves that none is
 * missing, changed or too many; `null` when they do not: `.gitattributes` leaves files out and converts line ends, links
 * and submodules are no files.
 */
export const createListArchive =
  (readArchiveOf: ReadArchiveOf, kept: Pick<KeptObjects, 'keepBlob'>): ListArchive =>
  async (repository, archive, tree) => {
    const start = archive.directory === null ? 0 : archive.directory.length + 1
    const entries: ListedEntry[] = []
    for await (const file of readArchiveOf(repository, archive)) {
      if (!file.ok) return null
      const { path, executable, bytes } = file.value
      if (path.length > PATH_MAX_CHARACTERS) return null
      const { id } = blobObject(bytes)
      kept.keepBlob(id, bytes)
      const mode = executable ? MODE_EXECUTABLE : MODE_FILE
      entries.push({
        path: path.slice(start),
        mode,
        id,
        sizeBytes: bytes.length,
      })
    }
    return treeIdOf(entries) === tree ? entries : null
  }
