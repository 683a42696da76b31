import { readCommit, type Commit, type Signature } from '#tests/peers/forge/git/commits.ts'
import { fullName, type Repository, type State } from '../state.ts'

const UNSIGNED = {
  verified: false,
  reason: 'gpg.error.not_signed_commit',
  signature: '',
  signer: null,
  payload: '',
}

const instant = (seconds: number) => new Date(seconds * 1000).toISOString().replace('.000', '')
const dated = ({ name, email, at }: Signature) => ({ name, email, date: instant(at) })

export interface CommitParts {
  readonly verification: boolean
  readonly files: boolean
  readonly stat: boolean
}

/** Query parameters that leave out the expensive parts. */
export const partsOf = (query: URLSearchParams): CommitParts => {
  const wants = (name: string) => !['false', '0'].includes(query.get(name) ?? 'true')
  return { verification: wants('verification'), files: wants('files'), stat: wants('stat') }
}

/** As it is in lists and in `git/commits`: the `sha` of its tree is the commit's own id. */
export async function commitJson(
  state: State,
  repository: Repository,
  id: string,
  parts: CommitParts,
) {
  const commit = await commitOf(repository, id)
  const name = fullName(repository)
  const api = `${state.url}/api/v1/repos/${name}/git`
  const at = instant(commit.committer.at)
  return {
    url: `${api}/commits/${id}`,
    sha: id,
    created: at,
    html_url: `${state.url}/${name}/commit/${id}`,
    commit: {
      url: `${api}/commits/${id}`,
      author: dated(commit.author),
      committer: dated(commit.committer),
      message: commit.message,
      tree: { url: `${api}/trees/${id}`, sha: id, created: at },
      verification: parts.verification ? UNSIGNED : null,
    },
    author: null,
    committer: null,
    parents: commit.parents.map((parent) => ({
      url: `${api}/commits/${parent}`,
      sha: parent,
      created: '0001-01-01T00:00:00Z',
    })),
    files: parts.files ? [] : null,
    stats: parts.stat ? { total: 0, additions: 0, deletions: 0 } : null,
  }
}

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
