import { readCommit, type Commit } from '#tests/peers/forge/git/commits.ts'
import { fullName, type Repository, type State } from '../state.ts'

const UNSIGNED = {
  verified: false,
  reason: 'gpg.error.not_signed_commit',
  signature: '',
  signer: null,
  payload: '',
}

const instant = (seconds: number) => new Date(seconds * 1000).toISOString().replace('.000', '')

export async function branchJson(state: State, repository: Repository, name: string, id: string) {
  const { author, committer, message } = await commitOf(repository, id)
  const isProtected = repository.protections.has(name)
  return {
    name,
    commit: {
      id,
      message,
      url: `${state.url}/${fullName(repository)}/commit/${id}`,
      author: { name: author.name, email: author.email, username: '' },
      committer: { name: committer.name, email: committer.email, username: '' },
      verification: UNSIGNED,
      timestamp: instant(committer.at),
      added: null,
      removed: null,
      modified: null,
    },
    protected: isProtected,
    required_approvals: name === repository.defaultBranch ? repository.requiredApprovals : 0,
    enable_status_check: false,
    status_check_contexts: [],
    user_can_push: !isProtected,
    user_can_merge: true,
    effective_branch_protection_name: isProtected ? name : '',
  }
}

async function commitOf({ git }: Repository, id: string): Promise<Commit> {
  const commit = await readCommit(git, id)
  if (commit === null) throw new Error(`${id} is no commit`)
  return commit
}
