import type { GitHost } from '../../../ports/git-host.ts'
import { ok, type Result } from '../../../result.ts'
import { adapterKind } from '../../../settings/adapter-kind.ts'
import { readAuthorityFile } from '../../../settings/authority-file.ts'
import { readText } from '../../../settings/watched-files.ts'
import { hostedSettings } from '../hosted/settings.ts'
import type { GitHostMeans } from '../means.ts'
import { openGit } from '../signing-key.ts'
import { gitHubAccess, gitHubMistakes, gitHubSettings, webUrlOf } from './settings.ts'

/** GitHub, of GitHub itself or in a company. */
export const github = adapterKind({
  settings: { ...gitHubSettings, ...hostedSettings },
  mistakes: gitHubMistakes,
  async open(values, means: GitHostMeans): Promise<Result<GitHost, string>> {
    const signing = await openGit(values.GIT_SIGNING_KEY_FILE)
    if (!signing.ok) return signing
    const access = gitHubAccess(values, readText)
    if (!access.ok) return access
    const { clock, log, onRateLimit, writeTurns, publicOrigin, dataDirectory } = means
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
    return ok(
      createGitHubGitHost({
        client,
        webUrl: webUrlOf(values.GITHUB_API_URL),
        gitUrl: webUrlOf(values.GITHUB_API_URL),
        authorityFile: values.GITHUB_CA_FILE,
        dataDirectory,
        signing: signing.value,
        commitAuthor: values.GITHUB_COMMIT_AUTHOR,
        clock,
        log,
        repositories: {
          publicOrigin,
          visibility: values.REPOSITORY_VISIBILITY,
          topics: values.REPOSITORY_TOPICS,
          defaultBranch: values.REPOSITORY_DEFAULT_BRANCH,
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
