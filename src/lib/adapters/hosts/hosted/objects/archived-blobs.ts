import type { ObjectId, RepositoryId } from '../../../../names.ts'
import type { GitHostMeans } from '../../means.ts'
import { readArchive } from './archive.ts'
import type { BlobMeans } from './blobs.ts'
import type { HostClient } from '../api/client.ts'
import { blobObject } from './git-objects.ts'
import { nameOf, pathOf } from '../known-repositories.ts'

const UNPACKED_MAX_BYTES = 1024 * 1024 * 1024

export interface ArchiveMeans extends Pick<BlobMeans, 'kept'> {
  readonly client: Pick<HostClient, 'open'>
  readonly log: Pick<GitHostMeans['log'], 'warn'>
}

export interface WantedBlobs {
  readonly repository: RepositoryId
  /** Path of the archive below the repository. */
  readonly archive: string
  readonly wanted: ReadonlyMap<string, ObjectId>
  readonly sizes: ReadonlyMap<ObjectId, number>
  readonly maxBytes: number
}

interface BlobBytes {
  readonly blob: ObjectId
  readonly bytes: Uint8Array
}

/**
 * Blobs out of an archive, each once and checked against its id. Fewer than wanted where the host refuses the archive, where it is cut
 * off, and where `.gitattributes` leaves files out of it or changes them.
 */
export async function* readArchivedBlobs(
  { client, kept, log }: ArchiveMeans,
  { repository, archive, wanted, sizes, maxBytes }: WantedBlobs,
): AsyncGenerator<BlobBytes, 'ended' | 'cut_off' | 'timeout', void> {
  const left = new Set(wanted.values())
  const wants = (path: string, sizeBytes: number): boolean => {
    const blob = wanted.get(path)
    if (blob === undefined || !left.has(blob) || sizeBytes > maxBytes) return false
    return sizeBytes === (sizes.get(blob) ?? sizeBytes)
  }
  const ended = new AbortController()
  try {
    const opened = await client.open(`${pathOf(repository)}${archive}`, ended.signal)
    const body = opened.ok && opened.value.status === 200 ? opened.value.body : null
    if (body === null) return 'ended'
    for await (const read of readArchive(body, { wants, unpackedMaxBytes: UNPACKED_MAX_BYTES })) {
      if (!read.ok) {
        log.warn({ repository: nameOf(repository), fault: read.error }, 'unusable archive')
        if (read.error === 'timeout') return 'timeout'
        return read.error === 'broken' ? 'cut_off' : 'ended'
      }
      const { path, bytes } = read.value
      const blob = wanted.get(path)
      if (blob === undefined || blobObject(bytes).id !== blob) continue
      left.delete(blob)
      kept.keepBlob(blob, bytes)
      yield { blob, bytes }
      if (left.size === 0) break
    }
    return 'ended'
  } finally {
    ended.abort()
  }
}
