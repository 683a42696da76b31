import { checkGit } from './version.ts'

/** What keeps the embedded git host from working on this machine, for an operator. */
export async function missingGit(): Promise<string | undefined> {
  const git = await checkGit()
  if (git.ok) return undefined
  if (git.error.kind === 'git_program_missing') {
    return 'the embedded git host keeps its repositories with git, and there is no git program that works on PATH, in /usr/local/bin, /usr/bin or /bin'
  }
  const { found, required } = git.error
  return `the embedded git host needs git ${required} or later, and found ${found}`
}
