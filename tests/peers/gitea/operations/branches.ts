import { created, NO_CONTENT, notFound, ok, Refusal } from '../answer.ts'
import { addressOf, type Call, pageOf, parameter, repositoryOf } from '../call.ts'
import { branchJson } from '../json/commits.ts'
import { moveBranch } from '../move-branch.ts'
import { commitNamed, tipOf } from '../revisions.ts'

/** Go's panic, for a repository whose first push its queue has not seen. */
const PANIC = {
  status: 500,
  headers: { 'content-type': 'text/plain; charset=utf-8' },
  body: Buffer.from('PANIC: runtime error: invalid memory address or nil pointer dereference\n'),
}
const HEADS = 'refs/heads/'

export const branches = {
  /** `null` for an empty repository. */
  async repoListBranches(call: Call) {
    const repository = repositoryOf(call)
    if (call.state.isEmpty(repository)) return ok(null, { 'x-total-count': '0' })
    const all = await repository.git.references(HEADS)
    const { items, headers } = pageOf(all, call, addressOf(call, 'branches'))
    const branches = items.map(([name, id]) => branchJson(repository, name.slice(HEADS.length), id))
    return ok(await Promise.all(branches), headers)
  },

  async repoGetBranch(call: Call) {
    const repository = repositoryOf(call)
    const name = parameter(call, 'branch')
    const tip = await tipOf(repository, name)
    if (call.state.isEmpty(repository) && tip !== null) return PANIC
    if (tip === null) throw notFound()
    return ok(await branchJson(repository, name, tip))
  },

  async repoCreateBranch(call: Call) {
    const repository = repositoryOf(call, 'write')
    const { new_branch_name: name, old_ref_name: from } = call.body as {
      readonly new_branch_name: string
      readonly old_ref_name?: string
    }
    const commit = await commitNamed(repository, from ?? repository.defaultBranch)
    if (commit === null) throw new Refusal(500, `object does not exist [id: ${from}, rel_path: ]`)
    if ((await tipOf(repository, name)) !== null) {
      throw new Refusal(409, 'The branch already exists.')
    }
    const moved = await moveBranch(call.state, repository, { name, from: null, to: commit })
    if (!moved) throw new Refusal(409, 'The branch with the same name already exists.')
    return created(await branchJson(repository, name, commit))
  },

  async repoDeleteBranch(call: Call) {
    const repository = repositoryOf(call, 'write')
    const name = parameter(call, 'branch')
    const tip = await tipOf(repository, name)
    if (tip === null) throw notFound('not found', [`branch does not exist [name: ${name}]`])
    if (name === repository.defaultBranch)
      throw new Refusal(403, 'can not delete default or pull request target branch')
    if (repository.protections.has(name)) throw new Refusal(403, 'branch protected')
    await moveBranch(call.state, repository, { name, from: tip, to: null })
    return NO_CONTENT
  },
}
