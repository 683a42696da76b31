import { Refusal, notFound } from './answer.ts'
import { mayDo } from './rights.ts'
import type { OperationId } from './operations.ts'
import { fullName, type Credential, type Repository, type Right, type State } from './state.ts'

/** Right that an operation needs, as `x-accepted-github-permissions` says it; none for public knowledge. */
const NEEDED: Readonly<Record<OperationId, readonly [Right, 'read' | 'write'] | null>> = {
  'apps/create-installation-access-token': null,
  'apps/get-installation': null,
  'git/create-blob': ['contents', 'write'],
  'git/get-ref': ['contents', 'read'],
  'issues/add-labels': ['pull_requests', 'write'],
  'pulls/create': ['pull_requests', 'write'],
  'pulls/get': ['pull_requests', 'read'],
  'pulls/list': ['pull_requests', 'read'],
  'pulls/request-reviewers': ['pull_requests', 'write'],
  'repos/create-for-authenticated-user': ['administration', 'write'],
  'repos/create-in-org': ['administration', 'write'],
  'repos/get': ['metadata', 'read'],
  'repos/get-branch': ['contents', 'read'],
  'repos/get-branch-rules': ['metadata', 'read'],
  'repos/get-release-asset': ['contents', 'read'],
  'repos/list-pull-requests-associated-with-commit': ['pull_requests', 'read'],
  'repos/list-releases': ['contents', 'read'],
  'repos/replace-all-topics': ['administration', 'write'],
  'repos/update': ['administration', 'write'],
  'teams/add-or-update-repo-permissions-in-org': ['administration', 'write'],
  'users/get-authenticated': null,
  'users/get-by-username': null,
}

/** Operations that change a repository that is there. */
const isChange = (id: OperationId) => NEEDED[id]?.[1] === 'write'

export function authenticate(state: State, authorization: string | undefined): Credential {
  const token = /^(?:Bearer|token) (.+)$/i.exec(authorization ?? '')?.[1]
  if (token === undefined) throw new Refusal(401, 'Requires authentication')
  const credential = findCredential(state, token)
  if (credential === null) throw new Refusal(401, 'Bad credentials')
  return credential
}

export function findCredential(state: State, secret: string): Credential | null {
  const credential = state.credentials.get(secret)
  return credential === undefined || (credential.expiresAt ?? Infinity) <= state.now()
    ? null
    : credential
}

interface FoundRepository {
  readonly repository: Repository
  readonly isFormerName: boolean
}

/** The repository of these names, for those who may see it. */
export function findRepository(...asked: Parameters<typeof lookUpRepository>): FoundRepository {
  const found = lookUpRepository(...asked)
  if (found === null) throw notFound()
  return found
}

/** Without a credential, public repositories are seen. */
export function lookUpRepository(
  state: State,
  credential: Credential | null,
  owner: string,
  name: string,
): FoundRepository | null {
  const key = `${owner}/${name}`.toLowerCase()
  const current = state.repositories.get(key)
  const repository = current ?? state.formerNames.get(key)
  if (repository === undefined) return null
  const repositories = credential?.repositories ?? []
  const isSeen =
    repository.visibility === 'public' ||
    repositories === 'all' ||
    repositories.includes(fullName(repository))
  if (!isSeen) return null
  if (current !== undefined && repository.hiddenCalls > 0) {
    repository.hiddenCalls -= 1
    return null
  }
  return { repository, isFormerName: current === undefined }
}

/** Throws one of the reasons for which GitHub answers 403. */
export function authorize(
  credential: Credential,
  id: OperationId,
  repository: Repository | undefined,
): void {
  const { blockedBy } = credential
  if (repository !== undefined && blockedBy === 'sso')
    throw new Refusal(
      403,
      'Resource protected by organization SAML enforcement. You must grant your Personal Access token access to this organization.',
      {
        headers: {
          'x-github-sso': `required; url=https://github.com/orgs/${repository.owner.login}/sso`,
        },
      },
    )
  if (repository !== undefined && blockedBy === 'ip_allow_list')
    throw new Refusal(
      403,
      `Although you appear to have the correct authorization credentials, the \`${repository.owner.login}\` organization has an IP allow list enabled, and your IP address is not permitted to access this resource.`,
    )
  const needed = NEEDED[id]
  if (needed !== null && !mayDo(credential, ...needed)) {
    const by = credential.kind === 'installation' ? 'integration' : 'personal access token'
    throw new Refusal(403, `Resource not accessible by ${by}`, {
      headers: { 'x-accepted-github-permissions': needed.join('=') },
    })
  }
  if (repository?.archived === true && isChange(id) && id !== 'repos/update')
    throw new Refusal(403, 'Repository was archived so is read-only.')
}
