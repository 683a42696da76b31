import { folderBelow } from '../../../../files/folder-below.ts'
import { createSingleFlight } from '../../../../concurrency/single-flight.ts'
import type { ObjectId, RepositoryId, RepositoryPath } from '../../../../names.ts'
import type { DirectoryAtCommit, FileListing, GitFailure } from '../../../../ports/git-host.ts'
import { err, ok, type Result } from '../../../../result.ts'
import { apiPath, type HostClient, hostError } from '../../hosted/api/client.ts'
import { boundedListing, tooManyFiles } from '../../hosted/objects/bounded-listing.ts'
import type { KeptObjects } from '../../hosted/objects/kept-objects.ts'
import {
  entryAt,
  type FoundEntry,
  joinListings,
  listingBelow,
  type TreeListing,
} from '../../hosted/objects/tree-listing.ts'
import { folderTreeAt } from './folder-tree.ts'
import { createTreeRequests, type Folder } from './tree-requests.ts'
import { type CommitAnswer, readCommit } from '../api/answers.ts'
import {
  type KnownRepositories,
  nameOf,
  notFound,
  pathOf,
} from '../../hosted/known-repositories.ts'

/** Upper bound of folders that are asked for when a listing does not fit into one answer. */
const TREES_MAX = 2_000
/** The same below the folders of the first level for a listing that may come in part: somebody waits for it. */
const BOUNDED_TREES_MAX = 100
/** Folders of the first level that such a listing asks for besides: they are the teams of an organisation, and no path repeats them. */
const FIRST_LEVEL_MAX = 1_000
const ASKED_AT_ONCE = 8
/** A deeper folder is read alone: few others at the same commit are, and at an old one none. */
const SHARED_DEPTH_MAX = 2

/**
 * Trees of commits. One recursive request lists a whole repository; a listing of more than 100,000 entries or 7 MB comes
 * `truncated`, and its repository is for a while walked down folder by folder.
 */
export interface Trees {
  /** The tree of a commit, which proves that the id is one of a commit. */
  ofCommit(repository: RepositoryId, commit: ObjectId): Promise<Result<ObjectId, GitFailure>>
  list(repository: RepositoryId, at: DirectoryAtCommit): Promise<Result<FileListing, GitFailure>>
  /** The listing of everything; `null`: it does not fit into one answer. */
  listingAt(
    repository: RepositoryId,
    tree: ObjectId,
  ): Promise<Result<TreeListing | null, GitFailure>>
  entryAt(
    repository: RepositoryId,
    tree: ObjectId,
    path: RepositoryPath,
  ): Promise<Result<FoundEntry, GitFailure>>
  /** The size of a blob that a partial listing has told. */
  sizeOf(blob: ObjectId): number | undefined
  /** Everything below a folder, whatever its size. */
  below(repository: RepositoryId, folder: Folder): Promise<Result<TreeListing, GitFailure>>
}

/** A commit by its id, which may be that of another object or of none. */
export async function readCommitAt(
  {
    client,
    known,
  }: { readonly client: Pick<HostClient, 'read'>; readonly known: KnownRepositories },
  repository: RepositoryId,
  commit: ObjectId,
): Promise<Result<CommitAnswer, GitFailure>> {
  const answer = await client.read(`${pathOf(repository)}${apiPath`/git/commits/${commit}`}`)
  if (!answer.ok) return answer
  if (answer.value.status !== 200) {
    return err(await known.missing(repository, answer.value, 'commit'))
  }
  const read = readCommit(answer.value)
  if (!read.ok) return read
  return read.value.sha === commit ? read : notFound('commit')
}

export function createTrees(
  client: Pick<HostClient, 'read'>,
  known: KnownRepositories,
  kept: KeptObjects,
): Trees {
  const requests = createTreeRequests(client, known, kept)
  const flights = createSingleFlight<Result<TreeListing | null, GitFailure>>()

  async function ofCommit(
    repository: RepositoryId,
    commit: ObjectId,
  ): Promise<Result<ObjectId, GitFailure>> {
    const complete = await known.requireComplete(repository)
    if (!complete.ok) return complete
    const found = kept.treeOf(repository, commit)
    if (found !== undefined) return ok(found)
    const read = await readCommitAt({ client, known }, repository, commit)
    if (!read.ok) return read
    kept.keepTreeOf(repository, commit, read.value.tree.sha)
    return ok(read.value.tree.sha)
  }

  const listingAt = (repository: RepositoryId, tree: ObjectId) =>
    flights.join(tree, () => requests.whole(repository, { tree, path: '' }))

  /** The entries of one folder alone. */
  async function folderAt(
    repository: RepositoryId,
    folder: Folder,
  ): Promise<Result<TreeListing, GitFailure>> {
    const listing = await requests.only(repository, folder)
    if (!listing.ok) return listing
    return listing.value === null
      ? hostError(`${nameOf(repository)} has a folder with too many entries`)
      : ok(listing.value)
  }

  async function walkTo(
    repository: RepositoryId,
    root: ObjectId,
    path: RepositoryPath,
  ): Promise<Result<FoundEntry, GitFailure>> {
    let folder: Folder = { tree: root, path: '' }
    for (let end = path.indexOf('/'); ; end = path.indexOf('/', end + 1)) {
      const listing = await folderAt(repository, folder)
      if (!listing.ok) return listing
      if (end < 0) return ok(entryAt(listing.value, path))
      const above = path.slice(0, end)
      const tree = listing.value.folders.get(above)
      if (tree === undefined) return ok({ kind: 'none' })
      folder = { tree, path: above }
    }
  }

  /** Folder by folder from the top. What takes too many requests is a failure, or left out and named. */
  async function below(
    repository: RepositoryId,
    folder: Folder,
    isBounded = false,
  ): Promise<Result<TreeListing, GitFailure>> {
    const parts: TreeListing[] = []
    const cut = new Set<string>()
    const waiting = [folder]
    let left = isBounded ? BOUNDED_TREES_MAX : TREES_MAX
    while (waiting.length > 0) {
      const next = waiting.splice(0, ASKED_AT_ONCE)
      if (left < next.length && !isBounded) {
        return hostError(`${nameOf(repository)} has too many folders`)
      }
      const asked = next.splice(0, left)
      left -= asked.length
      const answers = await Promise.all(asked.map((each) => wholeOrOnly(repository, each)))
      for (const [index, { path }] of asked.entries()) {
        const entries = answers[index]
        if (entries === undefined) continue
        if (!entries.ok) return entries
        if (entries.value === null) {
          if (!isBounded)
            return hostError(`${nameOf(repository)} has a folder with too many entries`)
          cut.add(folderBelow(folder.path, `${path}/`))
          continue
        }
        const { listing, isWhole } = entries.value
        parts.push(listing)
        if (isWhole) continue
        if (path === folder.path && isBounded)
          left += Math.min(listing.folders.size, FIRST_LEVEL_MAX)
        for (const [below, tree] of listing.folders) waiting.push({ path: below, tree })
      }
      for (const { path } of next) cut.add(folderBelow(folder.path, `${path}/`))
    }
    const [only] = parts
    const joined = parts.length === 1 && only !== undefined ? only : await joinListings(parts)
    if (cut.size === 0) return ok(joined)
    return ok({ ...joined, skipped: [...joined.skipped, ...[...cut].map(tooManyFiles)] })
  }

  /** All that is below a folder; only its own entries where that is too much; `null` where even these are. */
  async function wholeOrOnly(
    repository: RepositoryId,
    folder: Folder,
  ): Promise<
    Result<{ readonly listing: TreeListing; readonly isWhole: boolean } | null, GitFailure>
  > {
    const whole =
      folder.path === ''
        ? await listingAt(repository, folder.tree)
        : await requests.whole(repository, folder)
    if (!whole.ok) return whole
    if (whole.value !== null) return ok({ listing: whole.value, isWhole: true })
    const only = await requests.only(repository, folder)
    if (!only.ok) return only
    return ok(only.value === null ? null : { listing: only.value, isWhole: false })
  }

  async function find(
    repository: RepositoryId,
    tree: ObjectId,
    path: RepositoryPath,
  ): Promise<Result<FoundEntry, GitFailure>> {
    const listing = await listingAt(repository, tree)
    if (!listing.ok) return listing
    return listing.value === null
      ? walkTo(repository, tree, path)
      : ok(entryAt(listing.value, path))
  }

  /** `null`: the listing of everything is in memory, or the folder cannot be found alone. */
  async function listAlone(
    repository: RepositoryId,
    at: DirectoryAtCommit,
    path: RepositoryPath,
  ): Promise<Result<FileListing, GitFailure> | null> {
    const { commit } = at
    const root = kept.treeOf(repository, commit)
    if (root !== undefined && kept.listing(root, '') !== undefined) return null
    const complete = await known.requireComplete(repository)
    if (!complete.ok) return complete
    const found = await folderTreeAt({ client, known }, repository, commit, path)
    if (!found.ok) return found
    if (found.value.kind === 'unknown') return null
    if (found.value.kind === 'none') {
      const proof = await ofCommit(repository, commit)
      return proof.ok ? ok({ tree: null, files: [], skipped: [] }) : proof
    }
    return await listFolder(repository, at, { tree: found.value.tree, path })
  }

  async function listFolder(
    repository: RepositoryId,
    at: DirectoryAtCommit,
    folder: Folder,
  ): Promise<Result<FileListing, GitFailure>> {
    const part = await below(repository, folder, at.filesMax !== undefined)
    if (!part.ok) return part
    const { files, skipped } = part.value
    return ok(boundedListing({ tree: folder.tree, files, skipped }, at))
  }

  return {
    ofCommit,
    listingAt,
    entryAt: find,
    sizeOf: requests.sizeOf,
    below,
    async list(repository, at) {
      const { commit, directory } = at
      if (directory !== undefined && directory.split('/').length > SHARED_DEPTH_MAX) {
        const alone = await listAlone(repository, at, directory)
        if (alone !== null) return alone
      }
      const root = await ofCommit(repository, commit)
      if (!root.ok) return root
      if (directory === undefined) {
        return await listFolder(repository, at, { tree: root.value, path: '' })
      }
      const listing = await listingAt(repository, root.value)
      if (!listing.ok) return listing
      if (listing.value !== null)
        return ok(boundedListing(listingBelow(listing.value, directory), at))
      const found = await walkTo(repository, root.value, directory)
      if (!found.ok) return found
      if (found.value.kind !== 'folder') return ok({ tree: null, files: [], skipped: [] })
      return await listFolder(repository, at, { tree: found.value.tree, path: directory })
    },
  }
}
