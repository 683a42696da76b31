import { LRUCache } from 'lru-cache'
import type { ObjectId, RepositoryId, RepositoryPath } from '../../../../names.ts'
import type { DirectoryAtCommit, FileListing, GitFailure } from '../../../../ports/git-host.ts'
import { ok, type Result } from '../../../../result.ts'
import type { HostClient } from '../../hosted/api/client.ts'
import { MODE_TREE } from '../../hosted/objects/git-objects.ts'
import { boundedListing, tooManyFiles } from '../../hosted/objects/bounded-listing.ts'
import type { KeptObjects } from '../../hosted/objects/kept-objects.ts'
import { nameOf } from '../../hosted/known-repositories.ts'
import {
  type HostTreeEntry,
  listingOf,
  type TreeListing,
} from '../../hosted/objects/tree-listing.ts'
import { walkWithin } from './bounded-walk.ts'
import { listArchive } from './archived-listing.ts'
import type { RequireCommit } from './commits.ts'
import type { FindEntry, ReadDirectory } from './directories.ts'
import type { ListTree } from './trees.ts'

export interface ListingMeans {
  readonly requireCommit: RequireCommit
  readonly readDirectory: ReadDirectory
  readonly findEntry: FindEntry
  readonly listTree: ListTree
  readonly client: Pick<HostClient, 'open'>
  readonly kept: KeptObjects
  /** Told of every listed file. */
  readonly noteSize: (blob: ObjectId, sizeBytes: number) => void
}

/** A longer listing is read from an archive, which brings the contents too. */
const PAGES_BEFORE_ARCHIVE = 2
/** Directories that are known to be longer. */
const LARGE_MAX = 1_000

interface Below {
  readonly entries: readonly HostTreeEntry[]
  readonly cut: readonly string[]
}

type At = Pick<DirectoryAtCommit, 'commit' | 'directory'>

/** Listings of directories, kept in memory by the id of their tree. */
export function createListFiles({
  requireCommit,
  readDirectory,
  findEntry,
  listTree,
  client,
  kept,
  noteSize,
}: ListingMeans) {
  const large = new LRUCache<string, true>({ max: LARGE_MAX })

  async function treeAt(
    repository: RepositoryId,
    { commit, directory }: At,
  ): Promise<Result<ObjectId | null, GitFailure>> {
    if (directory === undefined) {
      const root = await readDirectory(repository, { kind: 'root_of_commit', id: commit })
      return root.ok ? ok(root.value.tree) : root
    }
    const entry = await findEntry(repository, commit, directory)
    if (!entry.ok) return entry
    return ok(entry.value?.mode === MODE_TREE ? entry.value.id : null)
  }

  /** Entries by paths below the directory, and what is left out of a listing that may come in part. */
  async function entriesBelow(
    repository: RepositoryId,
    { commit, directory, filesMax }: DirectoryAtCommit,
    tree: ObjectId,
  ): Promise<Result<Below, GitFailure>> {
    // Gitea lists a root by its commit.
    const listed = { id: directory === undefined ? commit : tree, recursive: true }
    const place = `${nameOf(repository)}/${directory ?? ''}`
    if (!large.has(place)) {
      const pages = await listTree(repository, listed, PAGES_BEFORE_ARCHIVE)
      const isEndless =
        filesMax !== undefined && (pages.ok ? pages.value.total > 2 * filesMax : true)
      if (isEndless && !(pages.ok && pages.value.isWhole)) {
        const top =
          directory === undefined
            ? ({ kind: 'root_of_commit', id: commit } as const)
            : ({ kind: 'tree', id: tree } as const)
        return walkWithin(readDirectory, repository, top)
      }
      if (!pages.ok) return pages
      if (pages.value.isWhole) return ok({ entries: pages.value.entries, cut: [] })
      large.set(place, true)
    }
    const archive = { commit, directory: directory ?? null, tree }
    const archived = await listArchive({ client, kept }, repository, archive)
    if (archived !== null) return ok({ entries: archived, cut: [] })
    const pages = await listTree(repository, listed)
    return pages.ok ? ok({ entries: pages.value.entries, cut: [] }) : pages
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
    if (known !== undefined) return ok(boundedListing(withTree(tree.value, known), at))
    const below = await entriesBelow(repository, at, tree.value)
    if (!below.ok) return below
    const { entries, cut } = below.value
    const prefix = prefixOf(at.directory)
    const listing = await listingOf(
      entries.map((each) => ({ ...each, path: `${prefix}${each.path}` })),
    )
    if (cut.length === 0) kept.keepListing(tree.value, folder, listing)
    for (const [blob, sizeBytes] of listing.sizes) noteSize(blob, sizeBytes)
    const whole = boundedListing(withTree(tree.value, listing), at)
    const missing = cut.map((name) => tooManyFiles(name === '' ? folder : `${prefix}${name}`))
    return ok({ ...whole, skipped: [...whole.skipped, ...missing] })
  }
}

const withTree = (tree: ObjectId, { files, skipped }: TreeListing): FileListing => ({
  tree,
  files,
  skipped,
})

const prefixOf = (directory: RepositoryPath | undefined) =>
  directory === undefined ? '' : `${directory}/`
