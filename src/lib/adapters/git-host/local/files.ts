import type { ObjectId, RepositoryPath } from '../../../names.ts'
import type { FileContent, FileToRead, GitFailure } from '../../../ports/git-host.ts'
import { err, ok, type Result } from '../../../result.ts'
import { createTimeSlice, visitInSlices } from '../../../concurrency/time-slice.ts'
import { readBlobs, resolveObjects } from './objects.ts'
import { listTree, MODE_TREE, toItem } from './trees.ts'

/** Paths per process when looking some up by name: an argument list has a length. */
const LOOKUP_PATHS_MAX = 500

export async function* readFiles(
  directory: string,
  commit: ObjectId,
  files: readonly FileToRead[],
  maxBytes: number,
): AsyncGenerator<Result<FileContent, GitFailure>, void, void> {
  const pause = createTimeSlice()
  const wanted = new Map<RepositoryPath, ObjectId | undefined>()
  const unknown: RepositoryPath[] = []
  await visitInSlices(files, pause, ({ path, blob }) => {
    if (wanted.has(path)) return
    if (blob === undefined) unknown.push(path)
    wanted.set(path, blob)
  })
  if (wanted.size === 0) return
  // Who knows every blob from a listing has had the commit looked up.
  if (unknown.length > 0) {
    const found = await resolveObjects(directory, [`${commit}^{commit}`])
    if (!found.ok) return yield found
    if (found.value[0] === null) return yield err({ kind: 'git_not_found', what: 'commit' })
  }
  for (let start = 0; start < unknown.length; start += LOOKUP_PATHS_MAX) {
    const some = unknown.slice(start, start + LOOKUP_PATHS_MAX)
    const listed = await listTree(directory, [commit, '--', ...some])
    if (!listed.ok) return yield listed
    for (const entry of listed.value) {
      const item = toItem(entry)
      if (!('reason' in item) && entry.mode !== MODE_TREE) wanted.set(item.path, item.blob)
    }
  }

  const paths: RepositoryPath[] = []
  const blobs: ObjectId[] = []
  await visitInSlices(wanted, pause, ([path, blob]) => {
    if (blob === undefined) return
    paths.push(path)
    blobs.push(blob)
  })
  for await (const read of readBlobs(directory, blobs, maxBytes)) {
    if (!read.ok) return yield read
    const { index, bytes } = read.value
    const [path, blob] = [paths[index], blobs[index]]
    if (path !== undefined && blob !== undefined) yield ok({ path, blob, bytes })
  }
  if (paths.length < wanted.size) yield err({ kind: 'git_not_found', what: 'file' })
}
