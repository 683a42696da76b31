import { LRUCache } from 'lru-cache'
import type { ObjectId, RepositoryId, RepositoryPath } from '../../../../names.ts'
import type { GitFailure } from '../../../../ports/git-host.ts'
import { ok, type Result } from '../../../../result.ts'
import { MODE_TREE, treeObject, type TreeEntry } from '../../hosted/objects/git-objects.ts'
import { nameOf } from '../../hosted/known-repositories.ts'
import type { ListTree } from './trees.ts'

const KEPT_ENTRIES_MAX = 200_000

/** One directory, without the contents of its directories. */
export interface Directory {
  /** Id of its tree. Of a root it is computed: Gitea tells only the commit's id. */
  readonly tree: ObjectId
  readonly entries: readonly SizedEntry[]
  /** Writing the entries as a tree gives this tree again. Names that are not UTF-8 arrive damaged. */
  readonly exact: boolean
}

export interface SizedEntry extends TreeEntry {
  /** `null`: the host did not say. */
  readonly sizeBytes: number | null
}

export type ReadDirectory = (
  repository: RepositoryId,
  at: { readonly kind: 'root_of_commit' | 'tree'; readonly id: ObjectId },
) => Promise<Result<Directory, GitFailure>>

/** Directories, which never change and are kept in memory. */
export function createReadDirectory(listTree: ListTree): ReadDirectory {
  const kept = new LRUCache<string, Directory>({
    maxSize: KEPT_ENTRIES_MAX,
    sizeCalculation: ({ entries }) => entries.length + 1,
  })
  return async (repository, { kind, id }) => {
    const key = `${nameOf(repository)}/${id}`
    const known = kept.get(key)
    if (known !== undefined) return ok(known)
    const listed = await listTree(repository, { id, recursive: false })
    if (!listed.ok) return listed
    const entries = listed.value.entries.map(({ path: name, mode, ...entry }) => ({
      ...entry,
      name,
      mode: mode.replace(/^0/, ''),
    }))
    const written = treeObject(entries).id
    const directory =
      kind === 'tree'
        ? { tree: id, entries, exact: written === id }
        : {
            tree: written,
            entries,
            exact: !entries.some(({ name }) => name.includes('\uFFFD')),
          }
    kept.set(key, directory)
    return ok(directory)
  }
}

export type FindEntry = (
  repository: RepositoryId,
  commit: ObjectId,
  path: RepositoryPath,
) => Promise<Result<SizedEntry | null, GitFailure>>

/** Walks from the root of a commit to an entry; `null` when there is none. */
export const createFindEntry =
  (readDirectory: ReadDirectory): FindEntry =>
  async (repository, commit, path) => {
    const above = path.split('/')
    const last = above.pop()
    let directory = await readDirectory(repository, { kind: 'root_of_commit', id: commit })
    for (const folder of above) {
      if (!directory.ok) return directory
      const entry = directory.value.entries.find(({ name }) => name === folder)
      if (entry?.mode !== MODE_TREE) return ok(null)
      directory = await readDirectory(repository, { kind: 'tree', id: entry.id })
    }
    if (!directory.ok) return directory
    return ok(directory.value.entries.find(({ name }) => name === last) ?? null)
  }

export const isFile = ({ mode }: SizedEntry): boolean => mode.startsWith('100')
