import { createLocalGitHost } from './local/index.ts'
import { missingGit } from './local/missing-git.ts'

/** The git hosts that configuration chooses from: how one is made, and what of this machine keeps it from working. */
export const gitHosts = { local: { create: createLocalGitHost, missing: missingGit } } as const
