import { join } from 'node:path'
import type { GitHost } from '../../../ports/git-host.ts'
import { err, ok, type Result } from '../../../result.ts'
import { adapterKind } from '../../../settings/adapter-kind.ts'
import type { GitHostMeans } from '../means.ts'

/** Bare repositories below the data directory, kept with the `git` program of this machine. */
export const local = adapterKind({
  settings: {},
  async open(_, { dataDirectory, publicOrigin }: GitHostMeans): Promise<Result<GitHost, string>> {
    const [{ createLocalGitHost }, { missingGit }] = await Promise.all([
      import('./index.ts'),
      import('../../../git/version.ts'),
    ])
    const missing = await missingGit()
    if (missing !== undefined) return err(missing)
    return ok(
      createLocalGitHost({ directory: join(dataDirectory, 'git'), publicUrl: publicOrigin }),
    )
  },
})
