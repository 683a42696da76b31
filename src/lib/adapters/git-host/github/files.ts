import type { ObjectId, RepositoryId, RepositoryPath } from '../../../names.ts'
import type { FileContent, FileToRead, GitFailure } from '../../../ports/git-host.ts'
import { readAhead } from '../../../concurrency/read-ahead.ts'
import { err, ok, type Result } from '../../../result.ts'
import { readArchivedBlobs } from './archived-blobs.ts'
import { readBlobBytes } from './blobs.ts'
import type { GitHub } from './github.ts'

/** From this many on, one archive is less work for everybody than as many requests. */
const ARCHIVE_MIN_FILES = 200
/** A second archive may be whole where the first was cut off. */
const ARCHIVE_ATTEMPTS = 2
/** Requests for blobs at a time. */
const BLOBS_AHEAD = 16

type Read = Result<FileContent, GitFailure>

/**
 * Bytes of files at a commit: those in memory, then many from an archive, then the others one by one. Every blob is checked
 * against its id.
 */
export async function* readFiles(
  github: GitHub,
  repository: RepositoryId,
  commit: ObjectId,
  files: readonly FileToRead[],
  maxBytes: number,
): AsyncGenerator<Read, void, void> {
  const located = await locate(github, repository, commit, files)
  if (!located.ok) return yield located
  const { blobs, sizes, isMissing } = located.value
  const pathsOf = Map.groupBy(blobs.keys(), (path) => blobs.get(path))
  const contentsOf = (blob: ObjectId, bytes: Uint8Array | null) =>
    (pathsOf.get(blob) ?? []).map((path) => ok({ path, blob, bytes }))

  const missing = new Set<ObjectId>()
  for (const blob of new Set(blobs.values())) {
    const kept = github.kept.blob(blob)
    const sizeBytes = kept?.length ?? sizes.get(blob) ?? 0
    if (sizeBytes > maxBytes) yield* contentsOf(blob, null)
    else if (kept !== undefined) yield* contentsOf(blob, kept)
    else missing.add(blob)
  }

  for (let attempt = 1; attempt <= ARCHIVE_ATTEMPTS; attempt += 1) {
    if (missing.size < ARCHIVE_MIN_FILES) break
    const wanted = new Map([...blobs].filter(([, blob]) => missing.has(blob)))
    const archive = readArchivedBlobs(github, { repository, commit, wanted, sizes, maxBytes })
    let outcome = await archive.next()
    for (; outcome.done !== true; outcome = await archive.next()) {
      const { blob, bytes } = outcome.value
      missing.delete(blob)
      yield* contentsOf(blob, bytes)
    }
    if (outcome.value !== 'cut_off') break
  }

  const read = (blob: ObjectId) => readBlobBytes(github, repository, blob, maxBytes)
  for await (const [blob, bytes] of readAhead(missing, BLOBS_AHEAD, read)) {
    if (!bytes.ok) return yield bytes
    yield* contentsOf(blob, bytes.value)
  }
  if (isMissing) yield err({ kind: 'git_not_found', what: 'file' })
}

interface Located {
  readonly blobs: ReadonlyMap<RepositoryPath, ObjectId>
  /** As far as the host says them. */
  readonly sizes: ReadonlyMap<ObjectId, number>
  readonly isMissing: boolean
}

/** Which blobs the files have. A listing that was dropped from memory is asked for again: it alone has the sizes. */
async function locate(
  { trees, kept, known }: GitHub,
  repository: RepositoryId,
  commit: ObjectId,
  files: readonly FileToRead[],
): Promise<Result<Located, GitFailure>> {
  const complete = await known.requireComplete(repository)
  if (!complete.ok) return complete
  const blobs = new Map<RepositoryPath, ObjectId>()
  const unlisted = new Set<RepositoryPath>()
  for (const { path, blob } of files) {
    if (blob === undefined) unlisted.add(path)
    else blobs.set(path, blob)
  }
  for (const path of blobs.keys()) unlisted.delete(path)
  const isInMemory = unlisted.size === 0 && blobs.values().every((blob) => kept.blob(blob))
  if (isInMemory) return ok({ blobs, sizes: new Map(), isMissing: false })

  const tree = await trees.ofCommit(repository, commit)
  if (!tree.ok) return tree
  const listing = await trees.listingAt(repository, tree.value)
  if (!listing.ok) return listing
  let isMissing = false
  for (const path of unlisted) {
    const entry = await trees.entryAt(repository, tree.value, path)
    if (!entry.ok) return entry
    if (entry.value.kind === 'file') blobs.set(path, entry.value.file.blob)
    else isMissing = true
  }
  const sizes = new Map<ObjectId, number>()
  for (const blob of blobs.values()) {
    const sizeBytes = listing.value?.sizes.get(blob) ?? trees.sizeOf(blob)
    if (sizeBytes !== undefined) sizes.set(blob, sizeBytes)
  }
  return ok({ blobs, sizes, isMissing })
}
