import type { Answer } from '#tests/peers/forge/answer.ts'
import { type GitAccess, type GitRequest, plain } from '#tests/peers/forge/git-http.ts'
import { afterPush } from './move-branch.ts'
import { fullName, type State, type Token } from './state.ts'

/** A large push stays a pack. */
const CONFIG = ['receive.unpackLimit=1000']
const ARCHIVED =
  'This repo is archived. You can view files and clone it, but cannot push or open issues/pull-requests.'

/** Gitea's access control for git. Without a token: no or refused credentials. */
export function admitGit(
  state: State,
  { owner, repository: name, rest, service, authorization }: GitRequest,
  token: Token | null,
): GitAccess | Answer {
  const writes = service === 'git-receive-pack'
  if (token === null) {
    return authorization === undefined
      ? plain(401, 'Unauthorized\n', { 'www-authenticate': 'Basic realm="Gitea"' })
      : plain(401, 'Failed to authenticate user\n')
  }
  const moved = state.redirects.get(`${owner}/${name}`.toLowerCase())
  if (moved !== undefined) {
    return { status: 301, headers: { location: `/${fullName(moved)}${rest}` } }
  }
  const repository = state.repository(owner, name)
  if (repository === undefined) {
    const whose = state.account(owner)?.kind === 'organization' ? 'organizations' : 'users'
    return writes
      ? plain(403, `Push to create is not enabled for ${whose}.`)
      : plain(404, 'Repository not found\n')
  }
  if (repository.isPrivate && token.rights === 'none') return plain(404, 'Not found.\n')
  if (writes && repository.isArchived) return plain(403, ARCHIVED)
  const mayWrite = token.rights === 'admin' || token.rights === 'write'
  return {
    git: repository.git,
    config: CONFIG,
    environment: {
      GITEA_PROTECTED: [...repository.protections].join(' '),
      GITEA_DENIED: mayWrite ? '' : 'User permission denied for writing.',
    },
    afterPush: () => afterPush(state, repository),
  }
}
