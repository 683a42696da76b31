import { createTimeSlice, sortInSlices, visitInSlices } from '../../../../concurrency/time-slice.ts'
import { ObjectId, RepositoryPath } from '../../../../names.ts'
import type { FileListing, ListedFile, SkippedFile } from '../../../../ports/git-host.ts'

/** An entry below a tree, as a host lists it. */
export interface HostTreeEntry {
  /** From the root of the repository. Unchecked. */
  readonly path: string
  /** Octal digits: `100644`, `040000`. */
  readonly mode: string
  readonly id: string
  /** Size of a blob; `null` where the host does not say it. */
  readonly sizeBytes: number | null
}

/** Everything below a tree. */
export interface TreeListing {
  /** In byte order of their paths, which are ASCII. */
  readonly files: readonly ListedFile[]
  readonly sizes: ReadonlyMap<ObjectId, number>
  /** Ids of the trees below, by path. */
  readonly folders: ReadonlyMap<string, ObjectId>
  readonly skipped: readonly SkippedFile[]
}

const MODE_TREE = '040000'
const MODE_EXECUTABLE = '100755'
const MODE_LINK = '120000'
const MODE_SUBMODULE = '160000'

export async function listingOf(entries: readonly HostTreeEntry[]): Promise<TreeListing> {
  const files: ListedFile[] = []
  const sizes = new Map<ObjectId, number>()
  const folders = new Map<string, ObjectId>()
  const skipped: SkippedFile[] = []
  const pause = createTimeSlice()
  let last = ''
  let isSorted = true
  await visitInSlices(entries, pause, ({ path: rawPath, mode, id, sizeBytes }) => {
    const object = ObjectId.parse(id)
    if (mode === MODE_TREE) {
      if (object !== undefined) folders.set(rawPath, object)
      return
    }
    const path = RepositoryPath.parse(rawPath)
    const reason = reasonToSkip(mode)
    if (reason !== null || path === undefined || object === undefined) {
      skipped.push({ rawPath, reason: reason ?? 'unsafe_path' })
      return
    }
    const executable = mode === MODE_EXECUTABLE
    files.push({ path, blob: object, executable, ...(sizeBytes !== null && { sizeBytes }) })
    if (sizeBytes !== null) sizes.set(object, sizeBytes)
    isSorted &&= last < path
    last = path
  })
  return {
    files: isSorted ? files : await sortInSlices(files, byPath, pause),
    sizes,
    folders,
    skipped,
  }
}

const byPath = (one: ListedFile, other: ListedFile) =>
  one.path < other.path ? -1 : Number(one.path > other.path)

function reasonToSkip(mode: string): SkippedFile['reason'] | null {
  if (mode === MODE_LINK) return 'symbolic_link'
  return mode === MODE_SUBMODULE ? 'submodule' : null
}

/** The part of a listing that is below one of its folders. */
export function listingBelow(
  { files, folders, skipped }: TreeListing,
  folder: RepositoryPath,
): FileListing {
  const tree = folders.get(folder) ?? null
  if (tree === null) return { tree, files: [], skipped: [] }
  const prefix = `${folder}/`
  return {
    tree,
    // `0` follows `/` in ASCII.
    files: files.slice(lowerBound(files, prefix), lowerBound(files, `${folder}0`)),
    skipped: skipped.filter(({ rawPath }) => rawPath.startsWith(prefix)),
  }
}

/** `other`: a symbolic link or a submodule. */
export type FoundEntry =
  | { readonly kind: 'file'; readonly file: ListedFile }
  | { readonly kind: 'folder'; readonly tree: ObjectId }
  | { readonly kind: 'other' }
  | { readonly kind: 'none' }

export function entryAt(
  { files, folders, skipped }: TreeListing,
  path: RepositoryPath,
): FoundEntry {
  const tree = folders.get(path)
  if (tree !== undefined) return { kind: 'folder', tree }
  const file = files[lowerBound(files, path)]
  if (file?.path === path) return { kind: 'file', file }
  return { kind: skipped.some(({ rawPath }) => rawPath === path) ? 'other' : 'none' }
}

/** The listing of several parts of one tree. */
export async function joinListings(listings: readonly TreeListing[]): Promise<TreeListing> {
  const files = listings.flatMap((listing) => listing.files)
  return {
    files: await sortInSlices(files, byPath),
    sizes: new Map(listings.flatMap(({ sizes }) => [...sizes])),
    folders: new Map(listings.flatMap(({ folders }) => [...folders])),
    skipped: listings.flatMap(({ skipped }) => skipped),
  }
}

/** Index of the first file whose path is not less than `path`. */
function lowerBound(files: readonly ListedFile[], path: string): number {
  let low = 0
  let high = files.length
  while (low < high) {
    const middle = (low + high) >>> 1
    const file = files[middle]
    if (file !== undefined && file.path < path) low = middle + 1
    else high = middle
  }
  return low
}
