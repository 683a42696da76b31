import type { ObjectId, RepositoryId, RepositoryPath } from '../../../../names.ts'
import { readArchive } from '../../hosted/objects/archive.ts'
import { apiPath, type HostClient } from '../../hosted/api/client.ts'
import {
  blobObject,
  MODE_EXECUTABLE,
  MODE_FILE,
  treeIdOf,
} from '../../hosted/objects/git-objects.ts'
import type { KeptObjects } from '../../hosted/objects/kept-objects.ts'
import { pathOf } from '../../hosted/known-repositories.ts'
import type { ListedEntry } from './trees.ts'

const UNPACKED_MAX_BYTES = 256 * 1024 * 1024
/** A file is held whole while its id is computed. */
const FILE_MAX_BYTES = 8 * 1024 * 1024

export interface ArchivedDirectory {
  readonly commit: ObjectId
  /** `null`: the whole repository. */
  readonly directory: RepositoryPath | null
  readonly tree: ObjectId
}

/** Path of the archive of a directory. Gitea before 1.26, and Forgejo, send the whole repository. */
export function archivePath(commit: ObjectId, directory: RepositoryPath | null): string {
  const query = directory === null ? '' : `?path=${encodeURIComponent(directory)}`
  return `${apiPath`/archive/${commit}`}.tar.gz${query}`
}

/** Git's own bound, `PATH_MAX` of Linux. Ids of nested folders are computed by recursion. */
const PATH_MAX_CHARACTERS = 4_096

/**
 * Lists a directory by an archive and keeps the contents. The files must give the directory's tree, which proves that none is
 * missing, changed or too many; `null` when they do not: `.gitattributes` leaves files out and converts line ends, links
 * and submodules are no files.
 */
export async function listArchive(
  { client, kept }: { readonly client: Pick<HostClient, 'open'>; readonly kept: KeptObjects },
  repository: RepositoryId,
  { commit, directory, tree }: ArchivedDirectory,
): Promise<readonly ListedEntry[] | null> {
  const prefix = directory === null ? '' : `${directory}/`
  const ended = new AbortController()
  try {
    const path = `${pathOf(repository)}${archivePath(commit, directory)}`
    const opened = await client.open(path, ended.signal)
    const body = opened.ok && opened.value.status === 200 ? opened.value.body : null
    if (body === null) return null
    const entries: ListedEntry[] = []
    for await (const file of readArchive(body, {
      wants: (file, sizeBytes) => file.startsWith(prefix) && sizeBytes <= FILE_MAX_BYTES,
      unpackedMaxBytes: UNPACKED_MAX_BYTES,
    })) {
      if (!file.ok) return null
      const { executable, bytes } = file.value
      if (file.value.path.length > PATH_MAX_CHARACTERS) return null
      const { id } = blobObject(bytes)
      kept.keepBlob(id, bytes)
      const mode = executable ? MODE_EXECUTABLE : MODE_FILE
      const path = file.value.path.slice(prefix.length)
      entries.push({ path, mode, id, sizeBytes: bytes.length })
    }
    return treeIdOf(entries) === tree ? entries : null
  } finally {
    ended.abort()
  }
}
