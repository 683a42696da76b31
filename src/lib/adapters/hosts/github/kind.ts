import type { GitHost } from '../../../ports/git-host.ts'
import { ok, type Result } from '../../../result.ts'
import { adapterKind } from '../../../settings/adapter-kind.ts'
import { readAuthorityFile } from '../../../settings/authority-file.ts'
import { readText } from '../../../settings/watched-files.ts'
import { hostedSettings, policiesOf } from '../hosted/settings.ts'
import type { GitHostContext } from '../context.ts'
import { openGit } from '../signing-key.ts'
import { gitHubAccess, gitHubMistakes, gitHubSettings, webUrlOf } from './settings.ts'

/** GitHub, of GitHub itself or in a company. */
export const github = adapterKind({
  settings: { ...gitHubSettings, ...hostedSettings },
  mistakes: gitHubMistakes,
  async open(values, context: GitHostContext): Promise<Result<GitHost, string>> {
    const signing = await openGit(values.GIT_SIGNING_KEY_FILE)
    if (!signing.ok) return signing
    const access = gitHubAccess(values, readText)
    if (!access.ok) return access
    const { clock, log, onRateLimit, writeTurns } = context
    const path = values.GITHUB_CA_FILE
    const authority =
      path === null ? ok(null) : readAuthorityFile('GITHUB_CA_FILE', path, readText, clock.now())
    if (!authority.ok) return authority
    const [{ createGitHubGitHost }, { createGitHubClient }] = await Promise.all([
      import('./index.ts'),
      import('./api/client.ts'),
    ])
    const client = createGitHubClient({
      apiUrl: values.GITHUB_API_URL,
      access: access.value,
      authority: authority.value,
      clock,
      log,
      onRateLimit,
      writeTurns,
    })
    const webUrl = webUrlOf(values.GITHUB_API_URL)
    return ok(
      createGitHubGitHost({
        ...context,
        ...policiesOf(values),
        client,
        pagesUrl: webUrl,
        webUrl,
        authorityFile: path,
        signing: signing.value,
        commitAuthor: values.GITHUB_COMMIT_AUTHOR,
      }),
    )
  },
})
