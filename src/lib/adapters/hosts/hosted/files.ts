import type { ObjectId, RepositoryId, RepositoryPath } from '../../../names.ts'
import type { FileContent, FileToRead, GitFailure } from '../../../ports/git-host.ts'
import { readAhead } from '../../../concurrency/read-ahead.ts'
import { err, ok, type Result } from '../../../result.ts'
import { type ArchiveMeans, readArchivedBlobs } from './objects/archived-blobs.ts'
import { type BlobMeans, readBlob } from './objects/blobs.ts'
import type { HostClient } from './api/client.ts'

/** From this many on, one archive is less work for everybody than as many requests. */
const ARCHIVE_MIN_FILES = 200
/** A second archive may be whole where the first was cut off. */
const ARCHIVE_ATTEMPTS = 2
/** Requests for blobs at a time. */
const BLOBS_AHEAD = 16

/** The blobs that files have at a commit. */
export interface LocatedFiles {
  readonly blobs: ReadonlyMap<RepositoryPath, ObjectId>
  /** Sizes of blobs, as far as the host says them. */
  readonly sizes: ReadonlyMap<ObjectId, number>
  /** Some path has no regular file. */
  readonly isIncomplete: boolean
}

export interface FileMeans extends BlobMeans, ArchiveMeans {
  readonly client: Pick<HostClient, 'read' | 'open'>
  /** Finds the blobs, and the sizes of those that are not in memory. */
  readonly locate: (
    repository: RepositoryId,
    commit: ObjectId,
    files: readonly FileToRead[],
  ) => Promise<Result<LocatedFiles, GitFailure>>
  /** Path of an archive, below the repository, that has these files. */
  readonly archiveOf: (commit: ObjectId, paths: Iterable<string>) => string
}

type Read = Result<FileContent, GitFailure>

/**
 * Bytes of files at a commit: those in memory, then many from an archive, then the others one by one. Every blob is checked
 * against its id.
 */
export async function* readFiles(
  means: FileMeans,
  repository: RepositoryId,
  commit: ObjectId,
  files: readonly FileToRead[],
  maxBytes: number,
): AsyncGenerator<Read, void, void> {
  const located = await means.locate(repository, commit, files)
  if (!located.ok) return yield located
  const { blobs, sizes, isIncomplete } = located.value
  const pathsOf = Map.groupBy(blobs.keys(), (path) => blobs.get(path))
  const contentsOf = (blob: ObjectId, bytes: Uint8Array | null) =>
    (pathsOf.get(blob) ?? []).map((path) => ok({ path, blob, bytes }))

  const missing = new Set<ObjectId>()
  for (const blob of new Set(blobs.values())) {
    const kept = means.kept.blob(blob)
    const sizeBytes = kept?.length ?? sizes.get(blob) ?? 0
    if (sizeBytes > maxBytes) yield* contentsOf(blob, null)
    else if (kept !== undefined) yield* contentsOf(blob, kept)
    else missing.add(blob)
  }

  for (let attempt = 1; attempt <= ARCHIVE_ATTEMPTS; attempt += 1) {
    if (missing.size < ARCHIVE_MIN_FILES) break
    const wanted = new Map([...blobs].filter(([, blob]) => missing.has(blob)))
    const archive = means.archiveOf(commit, wanted.keys())
    const archived = readArchivedBlobs(means, { repository, archive, wanted, sizes, maxBytes })
    let outcome = await archived.next()
    for (; outcome.done !== true; outcome = await archived.next()) {
      const { blob, bytes } = outcome.value
      missing.delete(blob)
      yield* contentsOf(blob, bytes)
    }
    if (outcome.value === 'timeout') return yield err({ kind: 'git_host_timeout' })
    if (outcome.value !== 'cut_off') break
  }

  const read = (blob: ObjectId) => readBlob(means, repository, blob, maxBytes)
  for await (const [blob, bytes] of readAhead(missing, BLOBS_AHEAD, read)) {
    if (!bytes.ok) {
      if (!isGone(bytes.error)) return yield bytes
      for (const path of pathsOf.get(blob) ?? []) yield err({ kind: 'git_file_unreadable', path })
      continue
    }
    yield* contentsOf(blob, bytes.value)
  }
  if (isIncomplete) yield err({ kind: 'git_not_found', what: 'file' })
}

/** The host has a file of the tree no more. */
const isGone = (failure: GitFailure): boolean =>
  failure.kind === 'git_not_found' && failure.what === 'file'
