import { notFound, ok } from '../answer.ts'
import { addressOf, type Call, parameter, repositoryOf } from '../call.ts'

export const objects = {
  /** References whose names begin with the text: a branch `main` brings `mainly` with it. */
  async repoListGitRefs(call: Call) {
    const repository = repositoryOf(call)
    const found = await repository.git.references(`refs/${parameter(call, 'ref')}`)
    if (found.length === 0) throw notFound()
    const api = addressOf(call, 'git')
    return ok(
      found.map(([ref, sha]) => ({
        ref,
        url: `${api}/${ref}`,
        object: { type: 'commit', sha, url: `${api}/commits/${sha}` },
      })),
    )
  },
}
