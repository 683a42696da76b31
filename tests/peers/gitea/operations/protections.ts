import { created, NO_CONTENT, notFound, Refusal } from '../answer.ts'
import { type Call, parameter, repositoryOf } from '../call.ts'

export const protections = {
  repoCreateBranchProtection(call: Call) {
    const repository = repositoryOf(call, 'admin')
    const { rule_name: name = '' } = call.body as { readonly rule_name?: string }
    if (repository.protections.has(name)) {
      throw new Refusal(403, 'Branch protection already exist')
    }
    repository.protections.add(name)
    return created(protectionJson(name))
  },

  repoDeleteBranchProtection(call: Call) {
    if (!repositoryOf(call, 'admin').protections.delete(parameter(call, 'name'))) throw notFound()
    return NO_CONTENT
  },
}

/** Nobody may push. */
const protectionJson = (name: string) => ({ rule_name: name, enable_push: false })
