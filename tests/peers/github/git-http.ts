import type { Answer } from '#tests/peers/forge/answer.ts'
import { type GitAccess, type GitRequest, plain } from '#tests/peers/forge/git-http.ts'
import { findCredential, lookUpRepository } from './access.ts'
import { publishHeads } from './pull-requests.ts'
import { mayDo } from './rights.ts'
import { fullName, type Credential, type Repository, type State } from './state.ts'

/** Everything goes through the hook, and the heads of pull requests are GitHub's alone. */
const CONFIG = ['receive.procReceiveRefs=refs', 'receive.hideRefs=refs/pull']
const CHALLENGE = { 'www-authenticate': 'Basic realm="GitHub"' }

interface Service {
  readonly state: State
  /** Where git reaches it. */
  readonly origin: string
  /** Where its pages are. */
  readonly webUrl: string
}

/** GitHub's access control for git. */
export async function admitGit(
  { state, origin, webUrl }: Service,
  { owner, repository: name, rest, service, authorization }: GitRequest,
): Promise<GitAccess | Answer> {
  const writes = service === 'git-receive-pack'
  const credential = findCredential(state, secretOf(authorization))
  if (credential === null && authorization !== undefined) {
    const wrong =
      'Invalid username or token. Password authentication is not supported for Git operations.'
    return plain(401, wrong, CHALLENGE)
  }
  const found = lookUpRepository(state, credential, owner, name)
  if (found === null) {
    const text = 'Repository not found.'
    return credential === null ? plain(401, text, CHALLENGE) : plain(404, text)
  }
  const { repository, isFormerName } = found
  if (credential === null && writes) return plain(401, 'No anonymous write access.', CHALLENGE)
  if (isFormerName) {
    return { status: 301, headers: { location: `${origin}/${fullName(repository)}.git${rest}` } }
  }
  const refusal = credential === null ? null : refusalOf(credential, repository, writes)
  if (refusal !== null) return plain(403, refusal)
  if (!writes) await publishHeads(state, repository)
  return {
    git: repository.git,
    config: CONFIG,
    environment: {
      GITHUB_PROTECTED: protectedReferences(repository, webUrl),
      GITHUB_WORKFLOWS: credential === null ? '' : workflowRefusal(credential),
    },
    afterPush: () => publishHeads(state, repository),
  }
}

/** `Bearer …`, `token …`, or Basic with the credential as the password of any user. */
function secretOf(authorization = ''): string {
  const [, scheme = '', value = ''] = /^(\S+) (.+)$/.exec(authorization) ?? []
  if (/^(?:bearer|token)$/i.test(scheme)) return value
  if (!/^basic$/i.test(scheme)) return ''
  return Buffer.from(value, 'base64')
    .toString()
    .replace(/^[^:]*:/, '')
}

function refusalOf(credential: Credential, repository: Repository, writes: boolean): string | null {
  const { login } = repository.owner
  if (credential.blockedBy === 'sso') {
    return `The \`${login}' organization has enabled or enforced SAML SSO. To access\nthis repository, visit https://github.com/orgs/${login}/sso\nand try your request again.`
  }
  if (credential.blockedBy === 'ip_allow_list') {
    return `Although you appear to have the correct authorization credentials, the \`${login}\` organization has an IP allow list enabled, and your IP address is not permitted to access this resource.`
  }
  const isPublic = repository.visibility === 'public'
  if (!writes) {
    const mayRead = isPublic || mayDo(credential, 'contents', 'read')
    return mayRead ? null : 'Write access to repository not granted.'
  }
  if (repository.archived) return 'This repository was archived so it is read-only.'
  if (mayDo(credential, 'contents', 'write')) return null
  return `Permission to ${fullName(repository)}.git denied to ${credential.account.login}.`
}

/** Protected branches for the hook. */
function protectedReferences(repository: Repository, webUrl: string): string {
  const lines = [...repository.protections].map(([branch, { by, reasons }]) => {
    const reference = `refs/heads/${branch}`
    const rules = `${webUrl}/${fullName(repository)}/rules?ref=${encodeURIComponent(reference)}`
    const [words, ...text] =
      by === 'rules'
        ? [
            'push declined due to repository rule violations',
            `error: GH013: Repository rule violations found for ${reference}.`,
            `Review all repository rules at ${rules}`,
          ]
        : [
            'protected branch hook declined',
            `error: GH006: Protected branch update failed for ${reference}.`,
          ]
    const lines = [...text, ...reasons.flatMap((reason) => ['', `- ${reason}`])]
    return `${reference}|${words}|${lines.join('\n').replaceAll('\\', '\\\\').replaceAll('\n', '\\n')}`
  })
  return lines.join('\n')
}

function workflowRefusal(credential: Credential): string {
  if (mayDo(credential, 'workflows', 'write')) return ''
  return credential.kind === 'installation'
    ? 'refusing to allow a GitHub App to create or update workflow `%s` without `workflows` permission'
    : 'refusing to allow a Personal Access Token to create or update workflow `%s` without `workflow` scope'
}
