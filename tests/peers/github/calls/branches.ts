import type { Answer } from '#tests/peers/forge/answer.ts'
import { readCommit } from '#tests/peers/forge/git/commits.ts'
import { notFound } from '../answer.ts'
import type { RepositoryCall } from '../call.ts'
import { fullName } from '../state.ts'
import { showCommit } from './show-commit.ts'

export async function getBranch({ repository, parameters }: RepositoryCall): Promise<Answer> {
  const name = parameters['branch'] ?? ''
  const id = await repository.git.reference(`refs/heads/${name}`)
  const commit = id === null ? null : await readCommit(repository.git, id)
  if (commit === null) throw notFound()
  const isProtected = repository.protections.has(name)
  return {
    status: 200,
    body: {
      name,
      commit: showCommit(commit),
      protected: isProtected,
    },
  }
}

/** The active rules of rulesets for a branch, which may not exist. */
export function getBranchRules({ repository, parameters }: RepositoryCall): Answer {
  const protection = repository.protections.get(parameters['branch'] ?? '')
  if (protection?.by !== 'rules') return { status: 200, body: [] }
  const rule = {
    type: 'pull_request',
    ruleset_source_type: 'Repository',
    ruleset_source: fullName(repository),
    ruleset_id: repository.id,
    parameters: {
      required_approving_review_count: 1,
      dismiss_stale_reviews_on_push: false,
      require_code_owner_review: false,
      require_last_push_approval: false,
      required_review_thread_resolution: false,
    },
  }
  return { status: 200, body: [rule] }
}
