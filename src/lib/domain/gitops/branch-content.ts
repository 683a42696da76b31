import { createHash } from 'node:crypto'
import type { ObjectId, RepositoryId } from '../../names.ts'
import type { FileChange, GitFailure, GitHost } from '../../ports/git-host.ts'
import { ok, type Result } from '../../result.ts'

type Written = Extract<FileChange, { kind: 'write' }>

/** Whether what a branch has added to its base is these files, to the byte, and nothing else. */
export async function hasOnly(
  gitHost: Pick<GitHost, 'listFiles'>,
  repository: RepositoryId,
  { base, tip }: { readonly base: ObjectId; readonly tip: ObjectId },
  files: readonly Written[],
): Promise<Result<boolean, GitFailure>> {
  const [before, after] = await Promise.all([
    gitHost.listFiles(repository, { commit: base }),
    gitHost.listFiles(repository, { commit: tip }),
  ])
  if (!before.ok) return before
  if (!after.ok) return after
  const expected = new Map<string, ObjectId | string>(
    before.value.files.map(({ path, blob }) => [path, blob]),
  )
  for (const { path, bytes } of files) expected.set(path, blobIdOf(bytes))
  const there = after.value.files
  return ok(
    there.length === expected.size && there.every(({ path, blob }) => expected.get(path) === blob),
  )
}

/** As git names a file's content: SHA-1 of a header and the bytes. */
const blobIdOf = (bytes: Uint8Array): string =>
  createHash('sha1').update(`blob ${bytes.length}\0`).update(bytes).digest('hex')
