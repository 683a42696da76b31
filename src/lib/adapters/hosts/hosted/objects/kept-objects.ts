import { LRUCache } from 'lru-cache'
import type { ObjectId, RepositoryId } from '../../../../names.ts'
import type { TreeListing } from './tree-listing.ts'

const BLOBS_MAX_BYTES = 32 * 1024 * 1024
/** A larger blob would displace many small ones. */
const BLOB_MAX_BYTES = 1024 * 1024
/** Memory of an entry besides its bytes, approximately. */
const ENTRY_BYTES = 200
/** Files, folders and skipped entries of all listings. */
const LISTED_MAX_ENTRIES = 500_000
const COMMITS_MAX = 10_000

/**
 * Facts that an object id fixes for ever, least recently used ones dropped. A blob or a tree is the same in every
 * repository; whether a repository has a commit is not, and asked once for each.
 */
export interface KeptObjects {
  blob(id: ObjectId): Uint8Array | undefined
  keepBlob(id: ObjectId, bytes: Uint8Array): void
  /** The listing of a tree whose root is at `folder` of the repository; `''`: the whole repository. */
  listing(tree: ObjectId, folder: string): TreeListing | undefined
  keepListing(tree: ObjectId, folder: string, listing: TreeListing): void
  treeOf(repository: RepositoryId, commit: ObjectId): ObjectId | undefined
  keepTreeOf(repository: RepositoryId, commit: ObjectId, tree: ObjectId): void
}

export function createKeptObjects(): KeptObjects {
  const blobs = new LRUCache<string, Uint8Array>({
    maxSize: BLOBS_MAX_BYTES,
    maxEntrySize: BLOB_MAX_BYTES,
    sizeCalculation: (bytes) => bytes.length + ENTRY_BYTES,
  })
  const listings = new LRUCache<string, TreeListing>({
    maxSize: LISTED_MAX_ENTRIES,
    sizeCalculation: ({ files, folders, skipped }) =>
      files.length + folders.size + skipped.length + 1,
  })
  const trees = new LRUCache<string, ObjectId>({ max: COMMITS_MAX })
  const keyOf = ({ owner, name }: RepositoryId, commit: ObjectId) => `${owner}/${name}@${commit}`

  return {
    blob: (id) => blobs.get(id),
    keepBlob: (id, bytes) => void blobs.set(id, bytes),
    listing: (tree, folder) => listings.get(`${tree}:${folder}`),
    keepListing: (tree, folder, listing) => void listings.set(`${tree}:${folder}`, listing),
    treeOf: (repository, commit) => trees.get(keyOf(repository, commit)),
    keepTreeOf: (repository, commit, tree) => void trees.set(keyOf(repository, commit), tree),
  }
}
