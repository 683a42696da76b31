import { createLocalGitHost } from './local/index.ts'

/** The git hosts that configuration chooses from. */
export const gitHosts = { local: createLocalGitHost } as const
