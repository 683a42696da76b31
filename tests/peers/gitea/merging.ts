import { writeCommit } from '#tests/peers/forge/git/commits.ts'
import { mergedTree, rebase } from '#tests/peers/forge/git/merging.ts'
import type { Account, Pull, Repository } from './state.ts'

export type MergeStyle = 'merge' | 'squash' | 'rebase'

export const isClean = async (repository: Repository, base: string, head: string) =>
  (await mergedTree(repository.git, base, head)) !== null

/** The commit that the base branch would stand at. `null`: there are conflicts. */
export async function mergeCommit(
  repository: Repository,
  base: string,
  pull: Pull,
  style: MergeStyle,
  by: Account,
): Promise<string | null> {
  const { git } = repository
  if (style === 'rebase') return await rebase(git, base, pull.headCommit, signatureOf(by))
  const tree = await mergedTree(git, base, pull.headCommit)
  if (tree === null) return null
  const title = `Merge pull request '${pull.title}' (#${pull.number}) from ${pull.head} into ${pull.base}`
  return await writeCommit(git, {
    tree,
    parents: style === 'merge' ? [base, pull.headCommit] : [base],
    author: signatureOf(by),
    committer: signatureOf(by),
    message: style === 'merge' ? `${title}\n` : `${pull.title} (#${pull.number})\n`,
    isSigned: false,
  })
}

const signatureOf = ({ login }: Account) => ({
  name: login,
  email: `${login}@noreply.gitea.test`,
  at: Math.floor(Date.now() / 1000),
})
