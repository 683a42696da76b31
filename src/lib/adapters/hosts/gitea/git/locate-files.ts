import { readAhead } from '../../../../concurrency/read-ahead.ts'
import { type ObjectId, type RepositoryId, RepositoryPath } from '../../../../names.ts'
import type { FileToRead, GitFailure } from '../../../../ports/git-host.ts'
import { ok, type Result } from '../../../../result.ts'
import type { LocatedFiles } from '../../hosted/files.ts'
import type { KeptObjects } from '../../hosted/objects/kept-objects.ts'
import type { RequireCommit } from './commits.ts'
import { type FindEntry, isFile } from './directories.ts'

const FILES_AHEAD = 16

export interface LocateMeans {
  readonly requireCommit: RequireCommit
  readonly findEntry: FindEntry
  readonly kept: KeptObjects
  /** Known from listings. */
  readonly sizeOf: (blob: ObjectId) => number | undefined
}

/** The blobs that files have, from directories of the commit where no listing has told. */
export async function locateFiles(
  { requireCommit, findEntry, kept, sizeOf }: LocateMeans,
  repository: RepositoryId,
  commit: ObjectId,
  files: readonly FileToRead[],
): Promise<Result<LocatedFiles, GitFailure>> {
  const blobs = new Map<RepositoryPath, ObjectId>()
  const sizes = new Map<ObjectId, number>()
  const unknown = new Set<RepositoryPath>()
  let isIncomplete = false
  if (files.length > 0) {
    const found = await requireCommit(repository, commit)
    if (!found.ok) return found
  }
  for (const { path, blob } of files) {
    const sizeBytes = blob && (kept.blob(blob)?.length ?? sizeOf(blob))
    if (blob === undefined || sizeBytes === undefined) unknown.add(path)
    else {
      blobs.set(path, blob)
      sizes.set(blob, sizeBytes)
    }
  }
  for (const path of blobs.keys()) unknown.delete(path)
  const find = (path: RepositoryPath) => findEntry(repository, commit, path)
  for await (const [path, found] of readAhead(unknown, FILES_AHEAD, find)) {
    if (!found.ok) return found
    if (found.value === null || !isFile(found.value)) isIncomplete = true
    else {
      const { id, sizeBytes } = found.value
      blobs.set(path, id)
      if (sizeBytes !== null) sizes.set(id, sizeBytes)
    }
  }
  return ok({ blobs, sizes, isIncomplete })
}

/** The deepest directory above all of these files; `null`: the root. */
export function commonDirectory(paths: Iterable<string>): RepositoryPath | null {
  const [first = '', ...others] = paths
  let common = first.split('/').slice(0, -1)
  for (const path of others) {
    const names = path.split('/')
    const end = common.findIndex((name, index) => names[index] !== name)
    if (end >= 0) common = common.slice(0, end)
  }
  return RepositoryPath.parse(common.join('/')) ?? null
}
