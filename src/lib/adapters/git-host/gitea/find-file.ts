import type { ObjectId, RepositoryId, RepositoryPath } from '../../../names.ts'
import type { GitFailure } from '../../../ports/git-host.ts'
import { err, ok, type Result } from '../../../result.ts'
import { MODE_TREE } from '../hosted/git-objects.ts'
import type { Directory, ReadDirectory } from './directories.ts'

export interface FoundFile {
  readonly blob: ObjectId
  readonly sizeBytes: number
}

export type FindFile = (
  repository: RepositoryId,
  commit: ObjectId,
  path: RepositoryPath,
) => Promise<Result<FoundFile, GitFailure>>

type Walked = Result<Directory | null, GitFailure>

/** Walks from the root of a commit to a directory; `null` when there is none. */
export const createFindDirectory =
  (readDirectory: ReadDirectory) =>
  async (repository: RepositoryId, commit: ObjectId, names: readonly string[]): Promise<Walked> => {
    let directory = await readDirectory(repository, {
      kind: 'root_of_commit',
      id: commit,
    })
    for (const name of names) {
      if (!directory.ok) return directory
      const entry = directory.value.entries.find((each) => each.name === name)
      if (entry?.mode !== MODE_TREE) return ok(null)
      directory = await readDirectory(repository, {
        kind: 'tree',
        id: entry.id,
      })
    }
    return directory
  }

/** A regular file; anything else of that name is `git_not_found`. */
export const createFindFile =
  (findDirectory: ReturnType<typeof createFindDirectory>): FindFile =>
  async (repository, commit, path) => {
    const names = path.split('/')
    const last = names.pop()
    const directory = await findDirectory(repository, commit, names)
    if (!directory.ok) return directory
    const entry = directory.value?.entries.find(({ name }) => name === last)
    return entry?.mode.startsWith('100') === true
      ? ok({ blob: entry.id, sizeBytes: entry.sizeBytes ?? 0 })
      : err({ kind: 'git_not_found', what: 'file' })
  }
