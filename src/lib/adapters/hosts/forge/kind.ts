import { join } from 'node:path'
import type { GitHost } from '../../../ports/git-host.ts'
import { ok, type Result } from '../../../result.ts'
import { adapterKind } from '../../../settings/adapter-kind.ts'
import type { GitHostMeans } from '../means.ts'
import { openGit, signingSettings } from '../signing-key.ts'

/** Bare repositories below the data directory, kept with the `git` program of this machine. */
export const local = adapterKind({
  settings: signingSettings,
  async open(
    { GIT_SIGNING_KEY_FILE: keyFile },
    { dataDirectory, publicOrigin }: GitHostMeans,
  ): Promise<Result<GitHost, string>> {
    const [{ createLocalGitHost }, signing] = await Promise.all([
      import('./index.ts'),
      openGit(keyFile),
    ])
    if (!signing.ok) return signing
    const directory = join(dataDirectory, 'git')
    return ok(createLocalGitHost({ directory, publicUrl: publicOrigin, signing: signing.value }))
  },
})
