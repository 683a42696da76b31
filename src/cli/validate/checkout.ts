import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs'
import { join } from 'node:path'
import { BranchName, ObjectId, RepositoryPart, type RepositoryId } from '../../lib/names.ts'
import type { GitHost } from '../../lib/ports/git-host.ts'
import { err, ok } from '../../lib/result.ts'
import { blobAt, listFolder } from './list-folder.ts'

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
