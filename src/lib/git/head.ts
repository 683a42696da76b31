import { BranchName, ObjectId } from '../names.ts'
import type { GitFailure, Head } from '../ports/git-host.ts'
import { err, ok, type Result } from '../result.ts'
import { complaintOf, gitOutput, hostError } from './git.ts'
import { branchRef, readRefs } from './refs.ts'

/** The last commit of a branch, by default of the one that `HEAD` names. */
export async function readHead(
  directory: string,
  branch?: BranchName,
): Promise<Result<Head, GitFailure>> {
  // `rev-parse --symbolic-full-name HEAD` answers nothing where a branch or a tag is called `HEAD` as well.
  const ref = branch === undefined ? HEADS : branchRef(branch)
  const args = ['for-each-ref', '--format=%(HEAD)%(objectname) %(refname)', ref]
  const output = await gitOutput(directory, args)
  if (!output.ok) return output
  const { stdout, stderr } = output.value
  const lines = stdout.toString().split('\n')
  const line = lines.find((each) => (branch ? each.endsWith(` ${ref}`) : each.startsWith('*')))
  if (line === undefined) {
    // Git leaves out a ref that it cannot read, and only warns.
    const isBroken = stderr.includes(BROKEN_REF)
    return err(
      isBroken ? complaintOf(args, output.value) : { kind: 'git_not_found', what: 'branch' },
    )
  }
  const [, id, name] = /^.(\S+) refs\/heads\/(.+)$/.exec(line) ?? []
  const head = { branch: BranchName.parse(name), commit: ObjectId.parse(id) }
  if (head.branch && head.commit) return ok({ branch: head.branch, commit: head.commit })
  return err(hostError(`the default branch has the unusable name ${name}`))
}

const BROKEN_REF = 'broken ref'
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
