import type { Commit } from '#tests/peers/forge/git/commits.ts'
import { timeOf } from '../links.ts'

const showVerification = ({ isSigned, committer }: Commit) => ({
  verified: isSigned,
  reason: isSigned ? 'valid' : 'unsigned',
  signature: isSigned ? '-----BEGIN PGP SIGNATURE-----\n\n-----END PGP SIGNATURE-----' : null,
  payload: isSigned ? 'tree' : null,
  verified_at: isSigned ? timeOf(committer.at * 1000) : null,
})

const showPerson = ({ name, email, at }: Commit['author']) => ({
  name,
  email,
  date: timeOf(at * 1000),
})

export const showCommit = (commit: Commit) => ({
  sha: commit.id,
  commit: {
    author: showPerson(commit.author),
    committer: showPerson(commit.committer),
    message: commit.message,
    tree: { sha: commit.tree },
    verification: showVerification(commit),
  },
  parents: commit.parents.map((sha) => ({ sha })),
})
