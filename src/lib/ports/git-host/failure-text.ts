import type { GitFailure } from './failure.ts'

/** A failure as part of a sentence for operators. */
export function failureText(failure: GitFailure): string {
  switch (failure.kind) {
    case 'git_host_unreachable':
      return failure.reason === undefined
        ? 'the git host cannot be reached'
        : `the git host cannot be reached: ${failure.reason}`
    case 'git_host_timeout':
      return 'the git host does not answer in time'
    case 'git_host_error':
      return `the git host ${failure.reason}`
    case 'git_denied':
      return failure.what
    case 'git_rate_limited':
      return `the git host takes no request for ${failure.retryAfterSeconds} s, because of its rate limit`
    case 'git_not_found':
      return `there is no such ${failure.what}`
    case 'git_file_unreadable':
      return `the content of ${failure.path} is missing or damaged`
    case 'git_conflict':
    case 'git_branch_exists':
    case 'git_branch_blocked':
    case 'git_repository_exists':
    case 'git_nothing_to_commit':
      return `an unexpected answer (${failure.kind})`
  }
}
