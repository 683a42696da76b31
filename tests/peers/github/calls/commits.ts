import type { Answer } from '#tests/peers/forge/answer.ts'
import {
  readCommit,
  writeCommit,
  type Commit,
  type Signature,
} from '#tests/peers/forge/git/commits.ts'
import { notFound, unprocessable } from '../answer.ts'
import type { Call, RepositoryCall } from '../call.ts'
import { nodeId, timeOf, type Links } from '../links.ts'
import { fullName, type Repository } from '../state.ts'
import { gitUrlOf } from './git-url.ts'
import { refuseEmpty } from './refs.ts'

const showSignature = ({ name, email, at }: Signature) => ({
  name,
  email,
  date: timeOf(at * 1000),
})

export const showVerification = ({ isSigned, committer }: Commit) => ({
  verified: isSigned,
  reason: isSigned ? 'valid' : 'unsigned',
  signature: isSigned ? '-----BEGIN PGP SIGNATURE-----\n\n-----END PGP SIGNATURE-----' : null,
  payload: isSigned ? 'tree' : null,
  verified_at: isSigned ? timeOf(committer.at * 1000) : null,
})

function showGitCommit(links: Links, repository: Repository, commit: Commit) {
  const base = gitUrlOf(links, repository)
  const html = `${links.web}/${fullName(repository)}/commit`
  return {
    sha: commit.id,
    node_id: nodeId('C', commit.id),
    url: `${base}/commits/${commit.id}`,
    html_url: `${html}/${commit.id}`,
    author: showSignature(commit.author),
    committer: showSignature(commit.committer),
    tree: { sha: commit.tree, url: `${base}/trees/${commit.tree}` },
    message: commit.message,
    parents: commit.parents.map((id) => ({
      sha: id,
      url: `${base}/commits/${id}`,
      html_url: `${html}/${id}`,
    })),
    verification: showVerification(commit),
  }
}

export async function getCommit(call: RepositoryCall): Promise<Answer> {
  const { repository, links, parameters } = call
  await refuseEmpty(repository)
  const commit = await readCommit(repository.git, parameters['commit_sha'] ?? '')
  if (commit === null) throw notFound()
  return { status: 200, body: showGitCommit(links, repository, commit) }
}

interface NewSignature {
  readonly name?: string
  readonly email?: string
  readonly date?: string
}

export async function createCommit(call: RepositoryCall): Promise<Answer> {
  const { repository, links, credential } = call
  await refuseEmpty(repository)
  const { git } = repository
  const body = call.body as {
    readonly message: string
    readonly tree: string
    readonly parents?: readonly string[]
    readonly author?: NewSignature
    readonly committer?: NewSignature
  }
  if ((await git.readAs(body.tree, 'tree')) === null) throw unprocessable('Tree SHA does not exist')
  for (const parent of body.parents ?? []) {
    if ((await git.readAs(parent, 'commit')) === null)
      throw unprocessable('Parent SHA does not exist or is not a commit object')
  }
  const author = signatureOf(call, body.author ?? {})
  const id = await writeCommit(git, {
    tree: body.tree,
    parents: body.parents ?? [],
    author,
    committer: body.committer === undefined ? author : signatureOf(call, body.committer),
    message: body.message,
    // GitHub signs what an App commits in its own name.
    isSigned:
      credential.kind === 'installation' &&
      body.author === undefined &&
      body.committer === undefined,
  })
  const commit = await readCommit(git, id)
  if (commit === null) throw new Error(`${id} is not there after it was written`)
  return {
    status: 201,
    headers: { location: `${gitUrlOf(links, repository)}/commits/${id}` },
    body: showGitCommit(links, repository, commit),
  }
}

const signatureOf = ({ state, credential }: Call, { name, email, date }: NewSignature) => ({
  name: name ?? credential.account.login,
  email: email ?? `${credential.account.id}+${credential.account.login}@users.noreply.github.test`,
  at: Math.floor((date === undefined ? state.now() : Date.parse(date)) / 1000),
})
