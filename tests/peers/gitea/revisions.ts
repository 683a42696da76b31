import { readCommit } from '#tests/peers/forge/git/commits.ts'
import type { Repository } from './state.ts'

/** The commit that a text names: a branch, a tag or a whole id. */
export async function commitNamed({ git }: Repository, text: string): Promise<string | null> {
  const named =
    (await git.reference(`refs/heads/${text}`)) ?? (await git.reference(`refs/tags/${text}`))
  const commit = named ?? text
  return (await readCommit(git, commit)) === null ? null : commit
}

export const tipOf = ({ git }: Repository, branch: string): Promise<string | null> =>
  git.reference(`refs/heads/${branch}`)
