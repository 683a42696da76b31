import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readSync,
  lstatSync,
  readdirSync,
  type Stats,
} from 'node:fs'
import { join } from 'node:path'
import {
  BranchName,
  ObjectId,
  RepositoryPart,
  type RepositoryId,
  RepositoryPath,
} from '../../lib/names.ts'
import type {
  GitHost,
  DirectoryAtCommit,
  FileListing,
  ListedFile,
  SkippedFile,
} from '../../lib/ports/git-host.ts'
import { err, ok } from '../../lib/result.ts'

export type Checkout = Pick<GitHost, 'head' | 'listFiles' | 'readFiles'>

/** Stand for names that a folder does not know. Nothing of them is shown. */
export const COMMIT = ObjectId.of('0'.repeat(40))
const HEAD = { branch: BranchName.of('checkout'), commit: COMMIT }
export const REPOSITORY: RepositoryId = {
  owner: RepositoryPart.of('checkout'),
  name: RepositoryPart.of('checkout'),
}

/**
 * The files of a folder, as a git host has them at a commit: the readers of the catalog and of templates see no difference. Files
 * are read one after the other, because nobody else waits for this process, and a file takes a third of the time so.
 */
export const createCheckout = (root: string): Checkout => ({
  head: () => Promise.resolve(ok(HEAD)),
  listFiles: (_, folder) => {
    try {
      return Promise.resolve(ok(listFolder(root, folder)))
    } catch (cause) {
      return Promise.resolve(unreadable(cause))
    }
  },
  async *readFiles(_, __, files, maxBytes) {
    for (const { path, blob = blobAt(path) } of files) {
      try {
        yield ok({ path, blob, bytes: readAtMost(join(root, path), maxBytes) })
      } catch (cause) {
        yield unreadable(cause)
        return
      }
    }
  },
})

const unreadable = (cause: unknown) =>
  err({
    kind: 'git_host_error',
    reason: cause instanceof Error ? cause.message : String(cause),
  } as const)

/** `null`: more than `maxBytes`. A link or a pipe that has taken the file's place is not followed, and not waited for. */
function readAtMost(place: string, maxBytes: number): Uint8Array | null {
  const file = openSync(place, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  try {
    const { size } = fstatSync(file)
    if (size > maxBytes) return null
    const bytes = Buffer.allocUnsafe(size)
    let length = 0
    while (length < size) {
      const read = readSync(file, bytes, length, size - length, null)
      if (read === 0) break
      length += read
    }
    return length === size ? bytes : bytes.subarray(0, length)
  } finally {
    closeSync(file)
  }
}

type ListedFolder = Pick<DirectoryAtCommit, 'directory' | 'filesMax'>

const NO_FILES: FileListing = { tree: null, files: [], skipped: [] }
/** Stands for the id of the folder's tree, which a checkout does not have. */
const TREE = ObjectId.of('0'.repeat(40))

/**
 * The files below a folder of a checkout, by default all, as a git host would list them: no link is followed. Throws what the
 * operating system says of a folder that cannot be read.
 */
function listFolder(
  root: string,
  { directory, filesMax = Number.POSITIVE_INFINITY }: ListedFolder,
): FileListing {
  const folder: string = directory ?? ''
  for (const above of foldersDownTo(folder)) {
    const found = lstatSync(join(root, above), { throwIfNoEntry: false })
    if (found?.isSymbolicLink() === true) {
      return { ...NO_FILES, skipped: [{ rawPath: above, reason: 'symbolic_link' }] }
    }
    if (found?.isDirectory() !== true) return NO_FILES
  }

  const files: ListedFile[] = []
  const skipped: SkippedFile[] = []
  const cut = new Set<string>()
  /** `named`: the folder that is named when files are missing. */
  const folders = [{ path: folder, named: folder }]
  for (let next = folders.pop(); next !== undefined; next = folders.pop()) {
    const { path: within, named } = next
    if (files.length + skipped.length >= filesMax) {
      cut.add(named)
      continue
    }
    for (const name of readdirSync(join(root, within))) {
      if (name === '.git') continue
      const rawPath = within === '' ? name : `${within}/${name}`
      const found = lstatSync(join(root, rawPath), { throwIfNoEntry: false })
      if (found?.isDirectory() === true && !isRepository(join(root, rawPath))) {
        folders.push({ path: rawPath, named: within === folder ? rawPath : named })
      } else if (files.length + skipped.length >= filesMax) cut.add(named)
      else {
        const item = itemOf(rawPath, found)
        if ('reason' in item) skipped.push(item)
        else files.push(item)
      }
    }
  }
  for (const rawPath of cut) skipped.push({ rawPath, reason: 'too_many_files' })
  files.sort((one, other) => (one.path < other.path ? -1 : 1))
  return { tree: TREE, files, skipped }
}

/** `a`, `a/b`, `a/b/c`. */
const foldersDownTo = (folder: string): readonly string[] =>
  folder.split('/').map((_, index, names) => names.slice(0, index + 1).join('/'))

/** Git takes a folder with a repository of its own for a submodule. */
const isRepository = (place: string): boolean =>
  lstatSync(join(place, '.git'), { throwIfNoEntry: false }) !== undefined

/** `undefined`: a name that is no UTF-8 does not lead back to its file. */
function itemOf(rawPath: string, found: Stats | undefined): ListedFile | SkippedFile {
  if (found === undefined) return { rawPath, reason: 'unsafe_path' }
  if (found.isSymbolicLink()) return { rawPath, reason: 'symbolic_link' }
  if (found.isDirectory()) return { rawPath, reason: 'submodule' }
  const path = RepositoryPath.parse(rawPath)
  if (path === undefined || !found.isFile()) return { rawPath, reason: 'unsafe_path' }
  return { path, blob: blobAt(path), executable: (found.mode & 0o100) !== 0, sizeBytes: found.size }
}

/** Stands for the id of a blob, which is known only after reading: unique for each path. */
const blobAt = (path: RepositoryPath): ObjectId =>
  ObjectId.of(new Bun.CryptoHasher('sha1').update(path).digest('hex'))
