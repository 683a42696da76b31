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
const protectionJson = (name: string) => ({
  branch_name: name,
  rule_name: name,
  priority: 1,
  enable_push: false,
  enable_push_whitelist: false,
  push_whitelist_usernames: [],
  push_whitelist_teams: [],
  push_whitelist_deploy_keys: false,
  enable_force_push: false,
  enable_force_push_allowlist: false,
  force_push_allowlist_usernames: [],
  force_push_allowlist_teams: [],
  force_push_allowlist_deploy_keys: false,
  enable_merge_whitelist: false,
  merge_whitelist_usernames: [],
  merge_whitelist_teams: [],
  enable_status_check: false,
  status_check_contexts: null,
  required_approvals: 0,
  enable_approvals_whitelist: false,
  approvals_whitelist_username: [],
  approvals_whitelist_teams: [],
  block_on_rejected_reviews: false,
  block_on_official_review_requests: false,
  block_on_outdated_branch: false,
  dismiss_stale_approvals: false,
  ignore_stale_approvals: false,
  require_signed_commits: false,
  protected_file_patterns: '',
  unprotected_file_patterns: '',
  block_admin_merge_override: false,
  created_at: '2026-01-01T00:00:00Z',
  updated_at: '2026-01-01T00:00:00Z',
})
