import { join } from 'node:path'
import type { GitHost } from '../../../ports/git-host.ts'
import { ok, type Result } from '../../../result.ts'
import { adapterKind } from '../../../settings/adapter-kind.ts'
import type { GitHostContext } from '../context.ts'
import { integer, oneOf } from '../../../settings/parsers.ts'
import { setting } from '../../../settings/setting.ts'
import { openGit, signingSettings } from '../signing-key.ts'

/** Bare repositories below the data directory, kept with the `git` program of this machine. */
export const local = adapterKind({
  settings: {
    LOCAL_MERGE_ROLE: setting({
      description:
        'Who, beside the platform team, merges into the default branch of a repository of a team, and closes pull requests there: `manager` of the team, every `member`, or nobody (`platform`)',
      example: 'manager',
      fallback: 'platform',
      parse: oneOf('platform', 'manager', 'member'),
    }),
    LOCAL_GITOPS_MERGE_ROLE: setting({
      description:
        'Who, beside the platform team, merges a pull request of the gitops repository that changes folders of one team alone (`apps/{team}/`, and `{team}/` in CATALOG_DIRECTORY): `manager` of the team, or nobody (`platform`)',
      example: 'manager',
      fallback: 'platform',
      parse: oneOf('platform', 'manager'),
    }),
    LOCAL_REQUIRED_APPROVALS: setting({
      description:
        'Approvals of its last commit that a pull request needs to be merged. Those who may merge may approve, and nobody their own',
      example: '1',
      fallback: '0',
      parse: integer(0, 10),
    }),
    ...signingSettings,
  },
  async open(
    {
      GIT_SIGNING_KEY_FILE: keyFile,
      LOCAL_MERGE_ROLE: role,
      LOCAL_GITOPS_MERGE_ROLE: gitopsRole,
      LOCAL_REQUIRED_APPROVALS: approvals,
    },
    { dataDirectory, publicOrigin }: GitHostContext,
  ): Promise<Result<GitHost, string>> {
    const [{ createLocalGitHost }, signing] = await Promise.all([
      import('./index.ts'),
      openGit(keyFile),
    ])
    if (!signing.ok) return signing
    const directory = join(dataDirectory, 'git')
    const policy = { role, gitopsRole, approvals }
    const publicUrl = publicOrigin
    return ok(createLocalGitHost({ directory, publicUrl, signing: signing.value, policy }))
  },
})
