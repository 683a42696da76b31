import type { ObjectId } from '../names.ts'
import type { FileContent, FileToRead, GitFailure } from '../ports/git-host.ts'
import { err, ok, type Result } from '../result.ts'
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
  const blobs = new Map(files.map(({ path, blob }) => [path, blob]))
  const unlisted = [...blobs].flatMap(([path, blob]) => (blob === undefined ? [path] : []))
  if (unlisted.length > 0) {
    const found = await resolveObjects(directory, [`${commit}^{commit}`])
    if (!found.ok) return yield found
    if (found.value[0] === null) return yield err({ kind: 'git_not_found', what: 'commit' })
  }
  for (let start = 0; start < unlisted.length; start += LOOKUP_PATHS_MAX) {
    const paths = unlisted.slice(start, start + LOOKUP_PATHS_MAX)
    const entries = await listTree(directory, [commit, '--', ...paths])
    if (!entries.ok) return yield entries
    for (const entry of entries.value) {
      const item = toItem(entry)
      if (!('reason' in item) && entry.mode !== MODE_TREE) blobs.set(item.path, item.blob)
    }
  }

  const known = [...blobs].flatMap(([path, blob]) => (blob === undefined ? [] : [{ path, blob }]))
  const filesOf = Map.groupBy(known, ({ blob }) => blob)
  for await (const read of readBlobs(directory, [...filesOf.keys()], maxBytes)) {
    if (!read.ok) return yield read
    const content = read.value
    for (const { path, blob } of filesOf.get(content.id) ?? []) {
      yield content.kind === 'read'
        ? ok({ path, blob, bytes: content.bytes })
        : err({ kind: 'git_file_unreadable', path })
    }
  }
  if (known.length < blobs.size) yield err({ kind: 'git_not_found', what: 'file' })
}
