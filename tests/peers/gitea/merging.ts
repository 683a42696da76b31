import { readCommit, writeCommit } from '#tests/peers/forge/git/commits.ts'
import type { Account, Pull, Repository } from './state.ts'

export type MergeStyle = 'merge' | 'squash' | 'rebase'

/** The tree that git merges two commits into. `null`: they are in conflict. */
async function mergedTree({ git }: Repository, ours: string, theirs: string) {
  const { code, stdout } = await git.tryGit(['merge-tree', '--write-tree', ours, theirs])
  return code === 0 ? stdout.toString().trim() : null
}

export const isClean = async (repository: Repository, base: string, head: string) =>
  (await mergedTree(repository, base, head)) !== null

/** The commit that the base branch would stand at. `null`: there are conflicts. */
export async function mergeCommit(
  repository: Repository,
  base: string,
  pull: Pull,
  style: MergeStyle,
  by: Account,
): Promise<string | null> {
  if (style === 'rebase') return await rebase(repository, base, pull, by)
  const tree = await mergedTree(repository, base, pull.headCommit)
  if (tree === null) return null
  const title = `Merge pull request '${pull.title}' (#${pull.number}) from ${pull.head} into ${pull.base}`
  return await writeCommit(repository.git, {
    tree,
    parents: style === 'merge' ? [base, pull.headCommit] : [base],
    author: signatureOf(by),
    committer: signatureOf(by),
    message: style === 'merge' ? `${title}\n` : `${pull.title} (#${pull.number})\n`,
    isSigned: false,
  })
}

/** Each commit again on top of the base. */
async function rebase(repository: Repository, base: string, pull: Pull, by: Account) {
  const { git } = repository
  const range = ['rev-list', '--reverse', '--no-merges', pull.headCommit, `^${base}`]
  const commits = (await git.git(range)).toString().split('\n').filter(Boolean)
  let tip = base
  for (const id of commits) {
    const commit = await readCommit(git, id)
    const onto = await readCommit(git, tip)
    if (commit === null || onto === null) return null
    // A commit of the new base's tree and the old parent: git then merges against that parent.
    const place = await writeCommit(git, { ...onto, parents: commit.parents })
    const tree = await mergedTree(repository, place, id)
    if (tree === null) return null
    const again = { ...commit, tree, parents: [tip], committer: signatureOf(by) }
    tip = await writeCommit(git, again)
  }
  return tip
}

const signatureOf = ({ login }: Account) => ({
  name: login,
  email: `${login}@noreply.gitea.test`,
  at: Math.floor(Date.now() / 1000),
})
