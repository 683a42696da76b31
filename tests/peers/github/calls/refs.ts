import type { Answer } from '#tests/peers/forge/answer.ts'
import { notFound, Refusal, unprocessable } from '../answer.ts'
import type { RepositoryCall } from '../call.ts'
import { nodeId, pathOf, type Links } from '../links.ts'
import { fullName, type Protection, type Repository } from '../state.ts'

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

export async function createReference(call: RepositoryCall): Promise<Answer> {
  const { ref, sha } = call.body as { readonly ref: string; readonly sha: string }
  const { repository, links } = call
  await refuseEmpty(repository)
  if (!/^refs\/[^/]+\/./.test(ref)) throw unprocessable('Reference name is malformed.')
  return await repository.git.inTurn(async () => {
    if ((await repository.git.reference(ref)) !== null)
      throw unprocessable('Reference already exists')
    await refuseUnknown(repository, ref, sha)
    refuseProtected(repository, ref)
    // A branch `a` rules out `a/b`; GitHub says no more than that.
    const { code } = await repository.git.tryGit(['update-ref', ref, sha, ''])
    if (code !== 0) throw unprocessable('Reference update failed')
    return {
      status: 201,
      headers: { location: `${links.api}/repos/${fullName(repository)}/git/${pathOf(ref)}` },
      body: await showReference(links, repository, [ref, sha]),
    }
  })
}

async function refuseUnknown(repository: Repository, name: string, id: string): Promise<void> {
  const object = await repository.git.read(id)
  if (object === null) throw unprocessable('Object does not exist')
  if (name.startsWith('refs/heads/') && object.type !== 'commit')
    throw unprocessable('Reference update failed')
}

function refuseProtected(repository: Repository, name: string): void {
  const protection = repository.protections.get(name.replace(/^refs\/heads\//, ''))
  if (protection !== undefined) throw unprocessable(refusalOf(protection))
}

const refusalOf = ({ by, reasons }: Protection): string =>
  by === 'rules'
    ? `Repository rule violations found\n\n${reasons.map((each) => `${each}\n\n`).join('')}`
    : reasons.join(' ')
