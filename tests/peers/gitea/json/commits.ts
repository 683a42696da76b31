import { readCommit, type Commit } from '#tests/peers/forge/git/commits.ts'
import type { Repository } from '../state.ts'

export async function branchJson(repository: Repository, name: string, id: string) {
  const { author, committer, message } = await commitOf(repository, id)
  const isProtected = repository.protections.has(name)
  return {
    name,
    commit: {
      id,
      message,
      author: { name: author.name, email: author.email },
      committer: { name: committer.name, email: committer.email },
    },
    protected: isProtected,
    required_approvals: name === repository.defaultBranch ? repository.requiredApprovals : 0,
    user_can_push: !isProtected,
  }
}

async function commitOf({ git }: Repository, id: string): Promise<Commit> {
  const commit = await readCommit(git, id)
  if (commit === null) throw new Error(`${id} is no commit`)
  return commit
}
