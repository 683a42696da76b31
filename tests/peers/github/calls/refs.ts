import type { Answer } from '#tests/peers/forge/answer.ts'
import { notFound, Refusal } from '../answer.ts'
import type { RepositoryCall } from '../call.ts'
import { nodeId, pathOf, type Links } from '../links.ts'
import { fullName, type Repository } from '../state.ts'

/** Every call below `git/` is refused while a repository has no branch. */
export async function refuseEmpty(repository: Repository): Promise<void> {
  const empty = () => new Refusal(409, 'Git Repository is empty.')
  if (repository.emptyCalls > 0) {
    repository.emptyCalls -= 1
    throw empty()
  }
  const { git, defaultBranch } = repository
  if ((await git.reference(`refs/heads/${defaultBranch}`)) !== null) return
  if ((await git.references('refs/heads/')).length === 0) throw empty()
}

async function showReference(
  links: Links,
  repository: Repository,
  [name, id]: readonly [string, string],
) {
  const base = `${links.api}/repos/${fullName(repository)}/git`
  const type = (await repository.git.read(id))?.type ?? 'commit'
  return {
    ref: name,
    node_id: nodeId('REF', name),
    url: `${base}/${pathOf(name)}`,
    object: { sha: id, type, url: `${base}/${type}s/${id}` },
  }
}

export async function getReference({
  repository,
  links,
  parameters,
}: RepositoryCall): Promise<Answer> {
  await refuseEmpty(repository)
  const name = `refs/${parameters['ref']}`
  const id = await repository.git.reference(name)
  if (id === null) throw notFound()
  return { status: 200, body: await showReference(links, repository, [name, id]) }
}
