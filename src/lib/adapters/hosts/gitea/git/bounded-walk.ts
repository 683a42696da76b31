import { folderBelow } from '../../../../files/folder-below.ts'
import type { ObjectId, RepositoryId } from '../../../../names.ts'
import type { GitFailure } from '../../../../ports/git-host.ts'
import { ok, type Result } from '../../../../result.ts'
import { MODE_TREE } from '../../hosted/objects/git-objects.ts'
import type { ReadDirectory } from './directories.ts'
import type { ListedEntry } from './trees.ts'

/** Upper bound of directories that are asked for: somebody waits for the listing. */
const DIRECTORIES_MAX = 100

export interface BoundedWalk {
  /** Their paths are below the directory. */
  readonly entries: readonly ListedEntry[]
  /** Folders with missing entries, of the first level below the directory, or the directory itself as `''`. */
  readonly cut: readonly string[]
}

/** Directory by directory from the top, for a listing that is too long for one answer. */
export async function walkWithin(
  readDirectory: ReadDirectory,
  repository: RepositoryId,
  top: { readonly kind: 'root_of_commit' | 'tree'; readonly id: ObjectId },
): Promise<Result<BoundedWalk, GitFailure>> {
  const entries: ListedEntry[] = []
  const cut = new Set<string>()
  const waiting = [{ path: '', at: top }]
  for (let asked = 0, next = waiting.shift(); next !== undefined; next = waiting.shift()) {
    const { path, at } = next
    asked += 1
    if (asked > DIRECTORIES_MAX) {
      cut.add(folderBelow('', `${path}/`))
      continue
    }
    const directory = await readDirectory(repository, at)
    if (!directory.ok) return directory
    for (const { name, mode, id, sizeBytes } of directory.value.entries) {
      const below = path === '' ? name : `${path}/${name}`
      if (mode === MODE_TREE) waiting.push({ path: below, at: { kind: 'tree', id } })
      else entries.push({ path: below, mode, id, sizeBytes })
    }
  }
  return ok({ entries, cut: [...cut] })
}
