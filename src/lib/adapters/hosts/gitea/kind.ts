import type { GitHost } from '../../../ports/git-host.ts'
import { ok, type Result } from '../../../result.ts'
import { adapterKind } from '../../../settings/adapter-kind.ts'
import { setting, type SettingMistake } from '../../../settings/setting.ts'
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
  GITEA_URL: setting({
    description:
      'URL of Gitea or Forgejo, without `/api/v1`. Plain http is accepted to this machine only',
    example: 'https://git.example.org',
    parse: serverUrl('/api/v1'),
  }),
  GITEA_TOKEN: tokenSetting(
    'Access token of the account that Portico works as, with the scopes `write:repository`, `write:organization`, `write:issue` and `read:user`',
    '0123456789abcdef0123456789abcdef01234567',
  ),
  GITEA_TOKEN_FILE: tokenFileSetting('GITEA'),
  GITEA_CA_FILE: authorityFileSetting('Gitea'),
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
  async open(values, context: GitHostContext): Promise<Result<GitHost, string>> {
    const given = {
      token: values.GITEA_TOKEN,
      tokenFile: values.GITEA_TOKEN_FILE,
      authorityFile: values.GITEA_CA_FILE,
      keyFile: values.GIT_SIGNING_KEY_FILE,
    }
    const server = await openServer('GITEA', given, context.clock.now())
    if (!server.ok) return server
    const { createGitea } = await import('./index.ts')
    const url = values.GITEA_URL
    return ok(createGitea({ ...context, ...server.value, ...policiesOf(values), url }))
  },
})
