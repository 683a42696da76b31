import { row, type SomeProblems, waitFor } from '../problem-table.ts'

export const gitHostError = {
  status: 502,
  code: 'git_host_error',
  title: 'The git host gave an answer that cannot be used',
}

export const gitHostTimeout = {
  status: 504,
  code: 'git_host_timeout',
  title: 'The git host took too long',
}

export const gitHostProblems = {
  git_host_unreachable: row(503, 'The git host cannot be reached'),
  git_host_timeout: gitHostTimeout,
  git_host_error: gitHostError,
  git_denied: {
    status: 502,
    code: 'git_host_error',
    title: 'The git host does not allow this to the portal',
    // The missing right and the rules of a repository are for operators; the log has them.
    members: () => ({ detail: 'the operators of the portal find the reason in its log' }),
  },
  git_not_found: gitHostError,
  git_file_unreadable: gitHostError,
  git_conflict: gitHostError,
  git_branch_exists: gitHostError,
  git_branch_blocked: {
    status: 409,
    code: 'branch_blocked',
    title: 'An existing branch blocks the branch of this change',
    members: ({ by }) => ({
      detail: `git cannot create it beside the branch ${by}: rename or delete ${by}`,
    }),
  },
  git_repository_exists: gitHostError,
  git_nothing_to_commit: gitHostError,
  repository_not_found: row(404, 'There is no such repository'),
  deploy_token_not_found: row(404, 'This repository has no such deploy token'),
  too_many_deploy_tokens: {
    status: 409,
    title: 'This repository has as many deploy tokens as it may have',
    members: ({ max }) => ({ detail: `at most ${max}: end one that is not used any more` }),
  },
  git_rate_limited: {
    status: 429,
    code: 'rate_limited',
    title: 'The git host asks us to wait',
    headers: waitFor,
  },
} satisfies SomeProblems
