import { LRUCache } from 'lru-cache'
import type { ObjectId, RepositoryId, RepositoryPath } from '../../../names.ts'
import type { DirectoryAtCommit, FileListing, GitFailure } from '../../../ports/git-host.ts'
import { ok, type Result } from '../../../result.ts'
import { MODE_TREE } from '../hosted/git-objects.ts'
import type { KeptObjects } from '../hosted/kept-objects.ts'
import { type HostTreeEntry, listingOf, type TreeListing } from '../hosted/tree-listing.ts'
import type { ListArchive } from './archived-listing.ts'
import type { RequireCommit } from './commits.ts'
import type { ReadDirectory } from './directories.ts'
import type { ListTree } from './trees.ts'

export interface ListingMeans {
  readonly requireCommit: RequireCommit
  readonly readDirectory: ReadDirectory
  readonly listTree: ListTree
  readonly listArchive: ListArchive
  readonly kept: Pick<KeptObjects, 'listing' | 'keepListing'>
  /** Told of every listed file. */
  readonly noteSize: (blob: ObjectId, sizeBytes: number) => void
}

/** A longer listing is read from an archive, which brings the contents too. */
const PAGES_BEFORE_ARCHIVE = 2
/** Directories that are known to be longer. */
const LARGE_MAX = 1_000

type At = Pick<DirectoryAtCommit, 'commit' | 'directory'>

/** Listings of directories, kept in memory by the id of their tree. */
export function createListFiles({
  requireCommit,
  readDirectory,
  listTree,
  listArchive,
  kept,
  noteSize,
}: ListingMeans) {
  const large = new LRUCache<string, true>({ max: LARGE_MAX })

  async function treeAt(
    repository: RepositoryId,
    { commit, directory }: At,
  ): Promise<Result<ObjectId | null, GitFailure>> {
    const names = directory?.split('/') ?? []
    let found = await readDirectory(repository, {
      kind: 'root_of_commit',
      id: commit,
    })
    if (found.ok && names.length === 0) return ok(found.value.tree)
    const last = names.pop()
    for (const name of names) {
      if (!found.ok) return found
      const below = found.value.entries.find((each) => each.name === name)
      if (below?.mode !== MODE_TREE) return ok(null)
      found = await readDirectory(repository, { kind: 'tree', id: below.id })
    }
    if (!found.ok) return found
    const entry = found.value.entries.find(({ name }) => name === last)
    return ok(entry?.mode === MODE_TREE ? entry.id : null)
  }

  async function entriesBelow(
    repository: RepositoryId,
    { commit, directory }: At,
    tree: ObjectId,
  ): Promise<Result<readonly HostTreeEntry[], GitFailure>> {
    // Gitea lists a root by its commit.
    const listed = {
      id: directory === undefined ? commit : tree,
      recursive: true,
    }
    const place = `${repository.owner}/${repository.name}/${directory ?? ''}`
    if (!large.has(place)) {
      const pages = await listTree(repository, listed, PAGES_BEFORE_ARCHIVE)
      if (!pages.ok) return pages
      if (pages.value.isWhole) return ok(pages.value.entries)
      large.set(place, true)
    }
    const archived = await listArchive(repository, { commit, directory: directory ?? null }, tree)
    if (archived !== null) return ok(archived)
    const pages = await listTree(repository, listed)
    return pages.ok ? ok(pages.value.entries) : pages
  }

  return async function listFiles(
    repository: RepositoryId,
    at: DirectoryAtCommit,
  ): Promise<Result<FileListing, GitFailure>> {
    const found = await requireCommit(repository, at.commit)
    if (!found.ok) return found
    const tree = await treeAt(repository, at)
    if (!tree.ok) return tree
    if (tree.value === null) return ok({ tree: null, files: [], skipped: [] })
    const folder = at.directory ?? ''
    const known = kept.listing(tree.value, folder)
    if (known !== undefined) return ok(withTree(tree.value, known))
    const entries = await entriesBelow(repository, at, tree.value)
    if (!entries.ok) return entries
    const prefix = prefixOf(at.directory)
    const listing = await listingOf(
      entries.value.map((each) => ({ ...each, path: `${prefix}${each.path}` })),
    )
    kept.keepListing(tree.value, folder, listing)
    for (const [blob, sizeBytes] of listing.sizes) noteSize(blob, sizeBytes)
    return ok(withTree(tree.value, listing))
  }
}

const withTree = (tree: ObjectId, { files, skipped }: TreeListing): FileListing => ({
  tree,
  files,
  skipped,
})

const prefixOf = (directory: RepositoryPath | undefined) =>
  directory === undefined ? '' : `${directory}/`
