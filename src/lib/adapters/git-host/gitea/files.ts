import { type ObjectId, type RepositoryId, RepositoryPath } from '../../../names.ts'
import type { FileContent, FileToRead, GitFailure } from '../../../ports/git-host.ts'
import { ok, type Result } from '../../../result.ts'
import { blobObject } from '../hosted/git-objects.ts'
import type { KeptObjects } from '../hosted/kept-objects.ts'
import type { ReadArchiveOf } from './archives.ts'
import type { ReadBlob } from './blobs.ts'
import type { RequireCommit } from './commits.ts'
import type { FindFile, FoundFile } from './find-file.ts'

const BLOBS_AT_ONCE = 16
/** So many missing blobs are read from an archive. */
const BLOBS_BEFORE_ARCHIVE = 200

export interface FileMeans {
  readonly requireCommit: RequireCommit
  readonly findFile: FindFile
  readonly sizeOf: (blob: ObjectId) => number | undefined
  readonly readBlob: ReadBlob
  readonly kept: Pick<KeptObjects, 'blob' | 'keepBlob'>
  readonly readArchiveOf: ReadArchiveOf
}

type Read = Result<FileContent, GitFailure>

/** Contents of files at a commit, each checked against its id. */
export function createReadFiles({
  requireCommit,
  findFile,
  sizeOf,
  readBlob,
  kept,
  readArchiveOf,
}: FileMeans) {
  return async function* readFiles(
    repository: RepositoryId,
    commit: ObjectId,
    files: readonly FileToRead[],
    maxBytes: number,
  ): AsyncGenerator<Read, void, void> {
    const wanted = [...new Map(files.map((file) => [file.path, file])).values()]
    if (wanted.length === 0) return
    const found = await requireCommit(repository, commit)
    if (!found.ok) return yield found

    async function locate({ path, blob }: FileToRead): Promise<Result<FoundFile, GitFailure>> {
      const sizeBytes = blob && sizeOf(blob)
      return blob !== undefined && sizeBytes !== undefined
        ? ok({ blob, sizeBytes })
        : findFile(repository, commit, path)
    }
    async function read(file: FileToRead): Promise<Read> {
      const located = await locate(file)
      if (!located.ok) return located
      const { blob, sizeBytes } = located.value
      if (sizeBytes > maxBytes) return ok({ path: file.path, blob, bytes: null })
      const bytes = await readBlob(repository, blob, maxBytes)
      return bytes.ok ? ok({ path: file.path, blob, bytes: bytes.value }) : bytes
    }

    const rest = yield* fromArchive(repository, commit, wanted, maxBytes)
    const underWay: Promise<Read>[] = []
    for (const file of rest) {
      underWay.push(read(file))
      if (underWay.length < BLOBS_AT_ONCE) continue
      const next = await underWay.shift()
      if (next === undefined) continue
      yield next
      if (!next.ok) return
    }
    for (const next of underWay) {
      const content = await next
      yield content
      if (!content.ok) return
    }
  }

  /** Yields what one archive has of many files that are not in memory, and returns the other files. */
  async function* fromArchive(
    repository: RepositoryId,
    commit: ObjectId,
    files: readonly FileToRead[],
    maxBytes: number,
  ): AsyncGenerator<Read, readonly FileToRead[], void> {
    const isArchived = ({ blob }: FileToRead) =>
      blob !== undefined && kept.blob(blob) === undefined && (sizeOf(blob) ?? 0) <= maxBytes
    const missing = new Map(files.filter(isArchived).map((file) => [String(file.path), file]))
    if (missing.size < BLOBS_BEFORE_ARCHIVE) return files
    const left = new Map(files.map((file) => [String(file.path), file]))
    const directory = commonDirectory([...missing.keys()])
    for await (const archived of readArchiveOf(repository, {
      commit,
      directory,
    })) {
      if (!archived.ok) break
      const { path, bytes } = archived.value
      const file = missing.get(path)
      if (file?.blob === undefined || blobObject(bytes).id !== file.blob) continue
      if (!left.delete(path)) continue
      kept.keepBlob(file.blob, bytes)
      const content = bytes.length > maxBytes ? null : bytes
      yield ok({ path: file.path, blob: file.blob, bytes: content })
    }
    return [...left.values()]
  }
}

/** The deepest directory above all of them. */
function commonDirectory(paths: readonly string[]): RepositoryPath | null {
  const [first = '', ...others] = paths
  let common = first.split('/').slice(0, -1)
  for (const path of others) {
    const names = path.split('/')
    const end = common.findIndex((name, index) => names[index] !== name)
    if (end >= 0) common = common.slice(0, end)
  }
  return RepositoryPath.parse(common.join('/')) ?? null
}
