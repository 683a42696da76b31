import type { GitHost } from '../../ports/git-host.ts'
import type { AdapterKind } from '../../settings/adapter-kind.ts'
import { local } from './local/kind.ts'

export interface GitHostMeans {
  /** Folder of this instance, which need not exist. */
  readonly dataDirectory: string
  /** Origin of the portal, for links to repositories that the portal serves itself. */
  readonly publicOrigin: string
}

/** The git hosts that `GIT_HOST` chooses from. */
export const gitHosts = { local } as const satisfies Record<
  string,
  AdapterKind<GitHostMeans, GitHost>
>
