import { LRUCache } from 'lru-cache'
import type { ObjectId, RepositoryId } from '../../../../names.ts'
import type { GitFailure } from '../../../../ports/git-host.ts'
import { err, ok, type Result } from '../../../../result.ts'
import { apiPath, type HostClient, hostError } from '../../hosted/api/client.ts'
import { type KnownRepositories, nameOf, pathOf } from '../../hosted/known-repositories.ts'
import type { KeptObjects } from '../../hosted/objects/kept-objects.ts'
import {
  type HostTreeEntry,
  listingOf,
  type TreeListing,
} from '../../hosted/objects/tree-listing.ts'
import { readTree } from '../api/answers.ts'

/** Folders that are known not to fit into one answer, until they are tried again. */
const OVERSIZED_MAX = 10_000
const OVERSIZED_MS = 10 * 60_000
const SIZES_MAX = 200_000

export interface Folder {
  readonly tree: ObjectId
  /** `''`: the root. */
  readonly path: string
}

/** The listing of one answer; `null`: it does not fit into one. */
type OneListing = Result<TreeListing | null, GitFailure>

/** Requests for single trees, whose answers are kept. */
export function createTreeRequests(
  client: Pick<HostClient, 'read'>,
  known: Pick<KnownRepositories, 'missing'>,
  kept: KeptObjects,
) {
  const oversized = new LRUCache<string, true>({ max: OVERSIZED_MAX, ttl: OVERSIZED_MS })
  const sizes = new LRUCache<ObjectId, number>({ max: SIZES_MAX })

  async function ask(
    repository: RepositoryId,
    { tree, path }: Folder,
    isRecursive: boolean,
  ): Promise<OneListing> {
    const answer = await client.read(
      `${pathOf(repository)}${apiPath`/git/trees/${tree}`}`,
      isRecursive ? { query: { recursive: 1 } } : {},
    )
    if (!answer.ok) return answer
    if (answer.value.status !== 200)
      return err(await known.missing(repository, answer.value, 'commit'))
    const read = readTree(answer.value)
    if (!read.ok) return read
    if (read.value.sha !== tree) return hostError('gave another tree')
    if (read.value.truncated === true) return ok(null)
    const prefix = path === '' ? '' : `${path}/`
    const entries = read.value.tree.map((entry): HostTreeEntry => ({
      path: `${prefix}${entry.path}`,
      // Git itself writes `40000`, GitHub a zero before it.
      mode: entry.mode.padStart(6, '0'),
      id: entry.sha,
      sizeBytes: entry.size ?? null,
    }))
    return ok(await listingOf(entries))
  }

  async function askOnce(
    repository: RepositoryId,
    folder: Folder,
    isRecursive: boolean,
  ): Promise<OneListing> {
    const key = isRecursive ? folder.path : `only:${folder.path}`
    const found = kept.listing(folder.tree, key)
    if (found !== undefined) return ok(found)
    const listing = await ask(repository, folder, isRecursive)
    if (!listing.ok || listing.value === null) return listing
    kept.keepListing(folder.tree, key, listing.value)
    if (key !== '') for (const [blob, sizeBytes] of listing.value.sizes) sizes.set(blob, sizeBytes)
    return listing
  }

  return {
    /** Everything below a folder. Where it did not fit into one answer, it is not asked for whole for a while. */
    async whole(repository: RepositoryId, folder: Folder): Promise<OneListing> {
      const key = `${nameOf(repository)}:${folder.path}`
      if (oversized.has(key)) return ok(null)
      const listing = await askOnce(repository, folder, true)
      if (listing.ok && listing.value === null) oversized.set(key, true)
      return listing
    },

    /** The entries of a folder alone. */
    only: (repository: RepositoryId, folder: Folder): Promise<OneListing> =>
      askOnce(repository, folder, false),

    /** The size of a blob that a listing of a part has told. */
    sizeOf: (blob: ObjectId): number | undefined => sizes.get(blob),
  }
}
