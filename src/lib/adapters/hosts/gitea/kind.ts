import type { GitHost } from '../../../ports/git-host.ts'
import { ok, type Result } from '../../../result.ts'
import { adapterKind } from '../../../settings/adapter-kind.ts'
import { absolutePath, optional, text } from '../../../settings/parsers.ts'
import { setting, type SettingMistake } from '../../../settings/setting.ts'
import { hostedSettings, serverAccess, serverUrl, tokenMistake } from '../hosted/settings.ts'
import type { GitHostMeans } from '../means.ts'
import { openGit } from '../signing-key.ts'

const settings = {
  GITEA_URL: setting({
    description:
      'URL of Gitea or Forgejo, without `/api/v1`. Plain http is accepted to this machine only',
    example: 'https://git.example.org',
    parse: serverUrl('/api/v1'),
  }),
  GITEA_TOKEN: setting({
    description:
      'Access token of the account that Portico works as, with the scopes `write:repository`, `write:organization`, `write:issue` and `read:user`',
    example: '0123456789abcdef0123456789abcdef01234567',
    fallback: '',
    parse: optional(text(/^[\x21-\x7e]{1,1024}$/, 'an access token')),
  }),
  GITEA_TOKEN_FILE: setting({
    description: 'File of the token, instead of `GITEA_TOKEN`. It is read again after a change',
    example: '/run/secrets/gitea-token',
    fallback: '',
    parse: optional(absolutePath),
  }),
  GITEA_CA_FILE: setting({
    description:
      'Certificates, in PEM, that Gitea’s certificate is checked with, instead of the system’s',
    example: '/etc/portico/gitea-ca.pem',
    fallback: '',
    parse: optional(absolutePath),
  }),
  ...hostedSettings,
}

/** Gitea and Forgejo. */
export const gitea = adapterKind({
  settings,
  mistakes(values) {
    const mistakes: SettingMistake[] = []
    const mistake = (variable: keyof typeof settings, reason: string) =>
      mistakes.push({ variable, reason, example: settings[variable].example })
    const token = tokenMistake('GITEA', values.GITEA_TOKEN, values.GITEA_TOKEN_FILE)
    if (token !== null) mistake('GITEA_TOKEN', token)
    if (values.REPOSITORY_VISIBILITY === 'internal') {
      mistake(
        'REPOSITORY_VISIBILITY',
        'must be private or public: Gitea has no internal repositories',
      )
    }
    return mistakes
  },
  async open(values, means: GitHostMeans): Promise<Result<GitHost, string>> {
    const signing = await openGit(values.GIT_SIGNING_KEY_FILE)
    if (!signing.ok) return signing
    const { GITEA_TOKEN: token, GITEA_TOKEN_FILE: tokenFile, GITEA_CA_FILE: authorityFile } = values
    const given = { token, tokenFile, authorityFile }
    const access = serverAccess('GITEA', given, means.clock.now())
    if (!access.ok) return access
    const { createGitea } = await import('./index.ts')
    const visibility = values.REPOSITORY_VISIBILITY === 'public' ? 'public' : 'private'
    return ok(
      createGitea({
        ...means,
        url: values.GITEA_URL,
        ...access.value,
        authorityFile,
        signing: signing.value,
        repositories: {
          visibility,
          defaultBranch: values.REPOSITORY_DEFAULT_BRANCH,
          topics: values.REPOSITORY_TOPICS,
          addsTeam: values.REPOSITORY_TEAM_PERMISSION !== null,
        },
        pullRequests: {
          labels: values.PULL_REQUEST_LABELS,
          reviewers: values.PULL_REQUEST_REVIEWERS,
        },
      }),
    )
  },
})
