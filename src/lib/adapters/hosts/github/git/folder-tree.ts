import { Type } from 'typebox'
import { ObjectId, RepositoryPath, type RepositoryId } from '../../../../names.ts'
import type { GitFailure } from '../../../../ports/git-host.ts'
import { err, ok, type Result } from '../../../../result.ts'
import { answerReader } from '../../hosted/api/answer-reader.ts'
import { apiPath, type HostClient, hostError } from '../../hosted/api/client.ts'
import { type KnownRepositories, pathOf } from '../../hosted/known-repositories.ts'

/** GitHub lists so many entries of a folder, and does not say that there are more. */
const ENTRIES_MAX = 1_000

const readEntries = answerReader(
  'a folder',
  Type.Array(Type.Object({ type: Type.String(), path: Type.String(), sha: Type.String() })),
)

/** `none`: no such folder, or no such commit. `unknown`: the folder above it has too many entries. */
export type FolderTree =
  | { readonly kind: 'found'; readonly tree: ObjectId }
  | { readonly kind: 'none' }
  | { readonly kind: 'unknown' }

/** Finds the tree of a folder at a commit with one request, from the entries of the folder above it. */
export async function folderTreeAt(
  {
    client,
    known,
  }: { readonly client: Pick<HostClient, 'read'>; readonly known: KnownRepositories },
  repository: RepositoryId,
  commit: ObjectId,
  folder: RepositoryPath,
): Promise<Result<FolderTree, GitFailure>> {
  const above = RepositoryPath.of(folder.slice(0, folder.lastIndexOf('/')))
  const answer = await client.read(`${pathOf(repository)}${apiPath`/contents/${above}`}`, {
    query: { ref: commit },
  })
  if (!answer.ok) return answer
  const { status, json } = answer.value
  if (status === 404) return ok({ kind: 'none' })
  if (status !== 200) return err(await known.missing(repository, answer.value, 'commit'))
  // A file, a link or a submodule comes as an object.
  if (!Array.isArray(json)) return ok({ kind: 'none' })
  const entries = readEntries(answer.value)
  if (!entries.ok) return entries
  const entry = entries.value.find(({ type, path }) => type === 'dir' && path === folder)
  if (entry === undefined) {
    return ok({ kind: entries.value.length < ENTRIES_MAX ? 'none' : 'unknown' })
  }
  const tree = ObjectId.parse(entry.sha)
  return tree === undefined
    ? hostError(`gave ${entry.sha} for a tree`)
    : ok({ kind: 'found', tree })
}
