import { BranchName, ObjectId } from '../../../names.ts'
import type { GitFailure, Head } from '../../../ports/git-host.ts'
import { err, ok, type Result } from '../../../result.ts'
import { gitText, hostError } from './git.ts'
import { branchRef, readRefs } from './refs.ts'

/** The last commit of a branch, by default of the one that `HEAD` names. */
export async function readHead(
  directory: string,
  branch?: BranchName,
): Promise<Result<Head, GitFailure>> {
  if (branch === undefined) return readDefault(directory)
  const refs = await readRefs(directory, [branchRef(branch)])
  if (!refs.ok) return refs
  const commit = refs.value.get(branchRef(branch))
  return commit ? ok({ branch, commit }) : err({ kind: 'git_not_found', what: 'branch' })
}

const HEADS = 'refs/heads/'

/** Branches with a `BranchName`, sorted bytewise; others may have been pushed. */
export async function listBranches(
  directory: string,
  prefix = '',
): Promise<Result<readonly BranchName[], GitFailure>> {
  // Git selects by whole segments.
  const folder = prefix.slice(0, prefix.lastIndexOf('/') + 1)
  const refs = await readRefs(directory, [`${HEADS}${folder}`])
  if (!refs.ok) return refs
  const names = [...refs.value.keys()]
    .map((ref) => BranchName.parse(ref.slice(HEADS.length)))
    .filter((branch) => branch !== undefined)
  return ok(names.filter((branch) => branch.startsWith(prefix)).toSorted(bytewise))
}

/** Names of branches are ASCII. */
const bytewise = (one: string, other: string) => (one < other ? -1 : 1)

/** `rev-parse --symbolic-full-name HEAD` answers nothing where a branch or a tag is called `HEAD` as well. */
async function readDefault(directory: string): Promise<Result<Head, GitFailure>> {
  const args = ['for-each-ref', '--format=%(HEAD)%(objectname) %(refname)', 'refs/heads']
  const text = await gitText(directory, args)
  if (!text.ok) return text
  const [, id, name] = /^\*(\S+) refs\/heads\/(.+)$/m.exec(text.value) ?? []
  if (id === undefined) return err({ kind: 'git_not_found', what: 'branch' })
  const commit = ObjectId.parse(id)
  const branch = BranchName.parse(name)
  return commit && branch
    ? ok({ branch, commit })
    : err(hostError(`the default branch has the unusable name ${name}`))
}
