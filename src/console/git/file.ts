import type { FolderItem, Tips } from '../../lib/ports/forge.ts'
import type { Forge } from '../../lib/ports/forge.ts'
import type { RepositoryPath } from '../../lib/names.ts'
import type { Commit, GitFailure } from '../../lib/ports/git-host.ts'
import { err, ok, type Result } from '../../lib/result.ts'
import { SHOWN_BYTES_MAX } from './file-view.ts'
import type { Place } from './place.ts'

export interface FilePlace extends Place {
  readonly path: RepositoryPath
}

/** Facts for the page of a file. */
export interface FileFacts {
  readonly place: FilePlace
  readonly item: FolderItem
  readonly tips: Tips
  readonly lastCommit: Commit | undefined
  /** `null`: too large, or no regular file. */
  readonly bytes: Uint8Array | null
}

export async function readFile(
  forge: Pick<Forge, 'browse' | 'readFiles'>,
  place: FilePlace,
): Promise<Result<FileFacts, GitFailure>> {
  const { id, commit, path } = place
  const item = await forge.browse.item(id, { commit, path })
  if (!item.ok) return item
  if (item.value === null) return err({ kind: 'git_not_found', what: 'file' })
  const [tips, commits, bytes] = await Promise.all([
    forge.browse.tips(id),
    forge.browse.history(id, { of: commit, path }),
    item.value.kind === 'file' ? readBytes(forge, place, SHOWN_BYTES_MAX) : ok(null),
  ])
  if (!tips.ok) return tips
  if (!commits.ok) return commits
  if (!bytes.ok) return bytes
  const [lastCommit] = commits.value.commits
  return ok({ place, item: item.value, tips: tips.value, lastCommit, bytes: bytes.value })
}

/** `null`: the file has more than `bytesMax`. */
export async function readBytes(
  forge: Pick<Forge, 'readFiles'>,
  { id, commit, path }: FilePlace,
  bytesMax: number,
): Promise<Result<Uint8Array | null, GitFailure>> {
  for await (const file of forge.readFiles(id, commit, [{ path }], bytesMax)) {
    return file.ok ? ok(file.value.bytes) : file
  }
  return err({ kind: 'git_not_found', what: 'file' })
}
