import type { GitHost } from '../../../ports/git-host.ts'
import { ok, type Result } from '../../../result.ts'
import { adapterKind } from '../../../settings/adapter-kind.ts'
import { absolutePath, optional, text } from '../../../settings/parsers.ts'
import { setting } from '../../../settings/setting.ts'
import { hostedSettings, serverAccess, serverUrl, tokenMistake } from '../hosted/settings.ts'
import type { GitHostMeans } from '../means.ts'
import { openGit } from '../signing-key.ts'

const settings = {
  GITLAB_URL: setting({
    description: 'URL of GitLab, without `/api/v4`. Plain http is accepted to this machine only',
    example: 'https://gitlab.com',
    parse: serverUrl('/api/v4'),
  }),
  GITLAB_TOKEN: setting({
    description:
      'Access token of the account that Portico works as, of a group or of a project, or a token of OAuth, with the scopes `api` and `write_repository`',
    example: 'glpat-0123456789abcdefghij',
    fallback: '',
    parse: optional(text(/^[\x21-\x7e]{1,1024}$/, 'an access token')),
  }),
  GITLAB_TOKEN_FILE: setting({
    description: 'File of the token, instead of `GITLAB_TOKEN`. It is read again after a change',
    example: '/run/secrets/gitlab-token',
    fallback: '',
    parse: optional(absolutePath),
  }),
  GITLAB_CA_FILE: setting({
    description:
      'Certificates, in PEM, that GitLab’s certificate is checked with, instead of the system’s',
    example: '/etc/portico/gitlab-ca.pem',
    fallback: '',
    parse: optional(absolutePath),
  }),
  ...hostedSettings,
}

/** GitLab, self-managed and gitlab.com. */
export const gitlab = adapterKind({
  settings,
  mistakes({ GITLAB_TOKEN: token, GITLAB_TOKEN_FILE: file }) {
    const reason = tokenMistake('GITLAB', token, file)
    const { example } = settings.GITLAB_TOKEN
    return reason === null ? [] : [{ variable: 'GITLAB_TOKEN', reason, example }]
  },
  async open(values, means: GitHostMeans): Promise<Result<GitHost, string>> {
    const signing = await openGit(values.GIT_SIGNING_KEY_FILE)
    if (!signing.ok) return signing
    const {
      GITLAB_TOKEN: token,
      GITLAB_TOKEN_FILE: tokenFile,
      GITLAB_CA_FILE: authorityFile,
    } = values
    const given = { token, tokenFile, authorityFile }
    const access = serverAccess('GITLAB', given, means.clock.now())
    if (!access.ok) return access
    const { createGitLab } = await import('./index.ts')
    return ok(
      createGitLab({
        ...means,
        url: values.GITLAB_URL,
        ...access.value,
        authorityFile,
        signing: signing.value,
        projects: {
          visibility: values.REPOSITORY_VISIBILITY,
          defaultBranch: values.REPOSITORY_DEFAULT_BRANCH,
          topics: values.REPOSITORY_TOPICS,
          teamPermission: values.REPOSITORY_TEAM_PERMISSION,
        },
        pullRequests: {
          labels: values.PULL_REQUEST_LABELS,
          reviewers: values.PULL_REQUEST_REVIEWERS,
        },
      }),
    )
  },
})
