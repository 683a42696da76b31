import type { BareRepository } from './bare-repository.ts'
import { type Commit, readCommit, writeCommit } from './commits.ts'

/** The tree that git merges two commits into. `null`: they are in conflict. */
export async function mergedTree(
  git: BareRepository,
  ours: string,
  theirs: string,
): Promise<string | null> {
  const { code, stdout } = await git.tryGit(['merge-tree', '--write-tree', ours, theirs])
  return code === 0 ? (stdout.toString().split('\n')[0] ?? null) : null
}

/** The last of the commits of `head`, each made again on top of `base`. `null`: there are conflicts. */
export async function rebase(
  git: BareRepository,
  base: string,
  head: string,
  committer: Commit['committer'],
): Promise<string | null> {
  const range = ['rev-list', '--reverse', '--no-merges', head, `^${base}`]
  let tip = base
  for (const id of (await git.git(range)).toString().split('\n').filter(Boolean)) {
    const [commit, onto] = [await readCommit(git, id), await readCommit(git, tip)]
    if (commit === null || onto === null) return null
    // A commit of the new base's tree and the old parent: git then merges against that parent.
    const place = await writeCommit(git, { ...onto, parents: commit.parents })
    const tree = await mergedTree(git, place, id)
    if (tree === null) return null
    tip = await writeCommit(git, { ...commit, tree, parents: [tip], committer, isSigned: false })
  }
  return tip
}
