import type { GitHost } from '../../ports/git-host.ts'
import type { AdapterKind } from '../../settings/adapter-kind.ts'
import { github } from './github/kind.ts'
import { gitea } from './gitea/kind.ts'
import { gitlab } from './gitlab/kind.ts'
import { local } from './forge/kind.ts'
import type { GitHostContext } from './context.ts'

export type { GitHostContext }

/** The git hosts that `GIT_HOST` chooses from. */
export const gitHosts = { local, github, gitlab, gitea } as const satisfies Record<
  string,
  AdapterKind<GitHostContext, GitHost>
>
