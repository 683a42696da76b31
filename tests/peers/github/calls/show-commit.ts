import type { Commit } from '#tests/peers/forge/git/commits.ts'
import { nodeId, timeOf, type Links } from '../links.ts'
import { fullName, type Repository } from '../state.ts'
import { gitUrlOf } from './git-url.ts'

const showVerification = ({ isSigned, committer }: Commit) => ({
  verified: isSigned,
  reason: isSigned ? 'valid' : 'unsigned',
  signature: isSigned ? '-----BEGIN PGP SIGNATURE-----\n\n-----END PGP SIGNATURE-----' : null,
  payload: isSigned ? 'tree' : null,
  verified_at: isSigned ? timeOf(committer.at * 1000) : null,
})

export function showCommit(links: Links, repository: Repository, commit: Commit) {
  const url = `${links.api}/repos/${fullName(repository)}/commits/${commit.id}`
  const html = `${links.web}/${fullName(repository)}/commit`
  const at = ({ name, email, at: seconds }: Commit['author']) => ({
    name,
    email,
    date: timeOf(seconds * 1000),
  })
  return {
    sha: commit.id,
    node_id: nodeId('C', commit.id),
    commit: {
      author: at(commit.author),
      committer: at(commit.committer),
      message: commit.message,
      tree: { sha: commit.tree, url: `${gitUrlOf(links, repository)}/trees/${commit.tree}` },
      url: `${gitUrlOf(links, repository)}/commits/${commit.id}`,
      comment_count: 0,
      verification: showVerification(commit),
    },
    url,
    html_url: `${html}/${commit.id}`,
    comments_url: `${url}/comments`,
    author: null,
    committer: null,
    parents: commit.parents.map((id) => ({
      sha: id,
      url: `${links.api}/repos/${fullName(repository)}/commits/${id}`,
      html_url: `${html}/${id}`,
    })),
  }
}
