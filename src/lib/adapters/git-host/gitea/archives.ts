import type { ObjectId, RepositoryId, RepositoryPath } from '../../../names.ts'
import { err, type Result } from '../../../result.ts'
import { type ArchivedFile, type ArchiveFault, readArchive } from '../hosted/archive.ts'
import { apiPath, type HostClient } from '../hosted/client.ts'

const UNPACKED_MAX_BYTES = 256 * 1024 * 1024
/** A file is held whole while its id is computed. */
const FILE_MAX_BYTES = 8 * 1024 * 1024

export interface ArchiveToRead {
  readonly commit: ObjectId
  /** `null`: the whole repository. */
  readonly directory: RepositoryPath | null
}

export type ReadArchiveOf = (
  repository: RepositoryId,
  archive: ArchiveToRead,
) => AsyncGenerator<Result<ArchivedFile, ArchiveFault>, void, void>

/** Files of one directory at a commit, in one request. The last item may be a fault. */
export const createReadArchiveOf = (client: Pick<HostClient, 'open'>): ReadArchiveOf =>
  async function* readArchiveOf({ owner, name }, { commit, directory }) {
    const prefix = directory === null ? '' : `${directory}/`
    // Servers older than Gitea 1.26 ignore the path and send the whole repository.
    const query = directory === null ? '' : `?path=${encodeURIComponent(directory)}`
    const path = `${apiPath`/repos/${owner}/${name}/archive/${commit}`}.tar.gz${query}`
    const ended = new AbortController()
    try {
      const opened = await client.open(path, ended.signal)
      if (!opened.ok || opened.value.status !== 200 || opened.value.body === null) {
        return yield err('broken')
      }
      yield* readArchive(opened.value.body, {
        wants: (file, sizeBytes) => file.startsWith(prefix) && sizeBytes <= FILE_MAX_BYTES,
        unpackedMaxBytes: UNPACKED_MAX_BYTES,
      })
    } finally {
      ended.abort()
    }
  }
