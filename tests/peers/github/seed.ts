import { commitFiles, type SeedFile } from '#tests/peers/forge/commit-files.ts'
import { addAccount } from './calls/accounts.ts'
import { addRepository } from './calls/repositories.ts'
import type { GitHub } from './github.ts'
import type { Repository } from './state.ts'

/** A repository with one commit of these files on `main`. */
export async function seedRepository(
  { state, directory }: GitHub,
  ownerLogin: string,
  name: string,
  files: readonly SeedFile[],
): Promise<Repository> {
  const owner = addAccount(state, ownerLogin, 'Organization')
  const made = { owner, name, directory, defaultBranch: 'main' }
  const repository = await addRepository(state, made)
  await commitFiles(repository, 'main', files)
  return repository
}
