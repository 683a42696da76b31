import type { GitHost } from '../../../ports/git-host.ts'
import { ok, type Result } from '../../../result.ts'
import { adapterKind } from '../../../settings/adapter-kind.ts'
import { setting } from '../../../settings/setting.ts'
import {
  authorityFileSetting,
  hostedSettings,
  openServer,
  policiesOf,
  serverUrl,
  tokenFileSetting,
  tokenMistake,
  tokenSetting,
} from '../hosted/settings.ts'
import type { GitHostContext } from '../context.ts'

const settings = {
  GITLAB_URL: setting({
    description: 'URL of GitLab, without `/api/v4`. Plain http is accepted to this machine only',
    example: 'https://gitlab.com',
    parse: serverUrl('/api/v4'),
  }),
  GITLAB_TOKEN: tokenSetting(
    'Access token of the account that Portico works as, of a group or of a project, or a token of OAuth, with the scopes `api` and `write_repository`',
    'glpat-0123456789abcdefghij',
  ),
  GITLAB_TOKEN_FILE: tokenFileSetting('GITLAB'),
  GITLAB_CA_FILE: authorityFileSetting('GitLab'),
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
  async open(values, context: GitHostContext): Promise<Result<GitHost, string>> {
    const given = {
      token: values.GITLAB_TOKEN,
      tokenFile: values.GITLAB_TOKEN_FILE,
      authorityFile: values.GITLAB_CA_FILE,
      keyFile: values.GIT_SIGNING_KEY_FILE,
    }
    const server = await openServer('GITLAB', given, context.clock.now())
    if (!server.ok) return server
    const { createGitLab } = await import('./index.ts')
    const url = values.GITLAB_URL
    return ok(createGitLab({ ...context, ...server.value, ...policiesOf(values), url }))
  },
})
