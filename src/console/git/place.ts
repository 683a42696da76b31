import { decodePercent } from '../../lib/text/percent.ts'
import type { Forge } from '../../lib/ports/forge.ts'
import { type BranchName, ObjectId, type RepositoryId, RepositoryPath } from '../../lib/names.ts'
import type { GitFailure } from '../../lib/ports/git-host.ts'
import { err, ok, type Result } from '../../lib/result.ts'

/** A file or folder of a repository at a commit. */
export interface Place {
  readonly id: RepositoryId
  /** The branch or the commit that the address has; the default branch for `HEAD`. */
  readonly ref: BranchName | ObjectId
  readonly commit: ObjectId
  /** `null`: the top of the repository. */
  readonly path: RepositoryPath | null
}

const SEGMENTS_BEFORE = '/git/{owner}/{repository}/tree/'.split('/').length - 1

/** The rest of a path after `/git/{owner}/{repository}/tree/`, decoded. `undefined`: it cannot be. */
export const placeIn = (path: string): string | undefined =>
  decodePercent(path.split('/').slice(SEGMENTS_BEFORE).join('/'))

/**
 * Finds the branch or the commit that `text` begins with; the rest is a path. Names of branches have slashes, and git has no
 * branch `a` beside `a/b`: at most one branch fits.
 */
export async function findPlace(
  forge: Pick<Forge, 'listBranches' | 'head'>,
  id: RepositoryId,
  text: string | undefined,
): Promise<Result<Place, GitFailure>> {
  if (text === undefined) return noSuch('file')
  const [first = ''] = text.split('/', 1)
  const commit = ObjectId.parse(first)
  if (commit !== undefined) return at({ id, ref: commit, commit }, text.slice(first.length))
  const branches = first === 'HEAD' ? ok([]) : await forge.listBranches(id, '')
  if (!branches.ok) return branches
  const branch = branches.value.find((name) => text === name || text.startsWith(`${name}/`))
  if (branch === undefined && first !== 'HEAD') return noSuch('branch')
  const head = await forge.head(id, branch)
  if (!head.ok) return head
  const place = { id, ref: head.value.branch, commit: head.value.commit }
  return at(place, text.slice((branch ?? first).length))
}

/** `rest` is empty, or a path behind a slash. */
function at(place: Omit<Place, 'path'>, rest: string): Result<Place, GitFailure> {
  if (rest === '') return ok({ ...place, path: null })
  const path = RepositoryPath.parse(rest.slice(1))
  return path === undefined ? noSuch('file') : ok({ ...place, path })
}

const noSuch = (what: 'branch' | 'file') => err({ kind: 'git_not_found', what } as const)
