import type { ObjectId } from '../names.ts'
import type { FileContent, FileToRead, GitResult } from '../ports/git-host.ts'
import { err, ok } from '../result.ts'
import { readBlobs } from './objects.ts'
import { findEntries, isFolder, toItem } from './trees.ts'

export async function* readFiles(
  directory: string,
  commit: ObjectId,
  files: readonly FileToRead[],
  maxBytes: number,
): AsyncGenerator<GitResult<FileContent>, void, void> {
  const blobs = new Map(files.map(({ path, blob }) => [path, blob]))
  const unlisted = [...blobs].flatMap(([path, blob]) => (blob === undefined ? [path] : []))
  if (unlisted.length > 0) {
    const entries = await findEntries(directory, commit, unlisted)
    if (!entries.ok) return yield entries
    for (const path of unlisted) {
      const entry = entries.value.get(path)
      if (entry === undefined || isFolder(entry)) continue
      const item = toItem(entry)
      if (!('reason' in item)) blobs.set(path, item.blob)
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
