import type { Answer } from '#tests/peers/forge/answer.ts'
import { readCommit } from '#tests/peers/forge/git/commits.ts'
import { notFound } from '../answer.ts'
import type { RepositoryCall } from '../call.ts'

/** Leads to the archive of a commit, a branch or the default branch. */
export async function getArchive(
  { repository, parameters, behaviour }: RepositoryCall,
  linkTo: (commit: string) => string,
): Promise<Answer> {
  if (!behaviour.archives) throw notFound()
  const reference = parameters['ref'] ?? ''
  const id = (await repository.git.reference(`refs/heads/${reference}`)) ?? reference
  const commit = await readCommit(repository.git, id)
  if (commit === null) throw notFound()
  return { status: 302, headers: { location: linkTo(commit.id) } }
}
