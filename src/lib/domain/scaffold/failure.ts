import type { GitFailure } from '../../ports/git-host.ts'
import type { SecretStoreFailure } from '../../ports/secret-store.ts'
import type { RenderFailure } from './render.ts'

/** Why a step could not do what it is for. */
export type StepFailure =
  | GitFailure
  | SecretStoreFailure
  | RenderFailure
  /** There is one already, and this run did not make it. */
  | { readonly kind: 'already_exists'; readonly what: 'repository' | 'branch' | 'application' }
  /** The template is not in the commit any more that the run was pinned to. */
  | { readonly kind: 'template_gone' }
  /** It was there after an earlier step, and is not any more. */
  | { readonly kind: 'repository_gone' }
  /** Somebody closed the pull request: that is an answer. */
  | { readonly kind: 'pr_closed' }
  /** Another process has taken the run over. */
  | { readonly kind: 'run_lost' }
  /** The process ended in the middle of this run again and again. */
  | { readonly kind: 'run_interrupted' }
  /** A bug. The log has it. */
  | { readonly kind: 'internal_error' }

export interface Explanation {
  /** Stable, for programs; the same words as in problem details. */
  readonly code: string
  readonly message: string
  /** Whether the same run can be finished by trying again. */
  readonly retryable: boolean
}

type Explanations = { readonly [Kind in StepFailure['kind']]: Explanation }

const temporary = (code: string, message: string): Explanation => ({
  code,
  message,
  retryable: true,
})
const final = (code: string, message: string): Explanation => ({ code, message, retryable: false })

const gitHostError = temporary('git_host_error', 'The git host did not do what was asked')

/** Nothing of a failure's own text goes out: it may quote an upstream. */
const explanations: Explanations = {
  git_host_unreachable: temporary('git_host_unreachable', 'The git host cannot be reached'),
  git_host_timeout: temporary('git_host_timeout', 'The git host took too long'),
  git_rate_limited: temporary('rate_limited', 'The git host asks us to wait'),
  git_host_error: gitHostError,
  git_denied: temporary('git_host_error', 'The git host does not allow this'),
  git_not_found: gitHostError,
  git_conflict: gitHostError,
  git_branch_exists: gitHostError,
  git_branch_blocked: temporary(
    'branch_blocked',
    'A branch is in the way of the one that proposes it',
  ),
  git_repository_exists: final('already_exists', 'A repository of this name is there already'),
  git_nothing_to_commit: final('already_exists', 'What was to be proposed is there already'),
  secret_store_unreachable: temporary(
    'secret_store_unreachable',
    'The secret store cannot be reached',
  ),
  secret_store_timeout: temporary('secret_store_timeout', 'The secret store took too long'),
  secret_store_sealed: temporary('secret_store_sealed', 'The secret store is sealed'),
  secret_store_error: temporary('secret_store_error', 'The secret store did not do what was asked'),
  secret_store_denied: temporary('secret_store_error', 'The secret store does not allow this'),
  secret_conflict: temporary('secret_store_error', 'Others were writing the same secret entry'),
  already_exists: final('already_exists', 'There is one of this name that another run made'),
  repository_gone: final('repository_gone', 'The new repository is not there any more'),
  pr_closed: final('pr_closed', 'The pull request was closed without a merge'),
  run_lost: temporary('run_interrupted', 'Another process has taken the run over'),
  template_gone: final('template_not_found', 'The template is not there any more'),
  template_broken: final('template_broken', 'The template cannot be rendered'),
  run_interrupted: temporary('run_interrupted', 'The service stopped in the middle too often'),
  internal_error: temporary('internal_error', 'Something unexpected went wrong'),
}

export const explain = ({ kind }: StepFailure): Explanation => explanations[kind]
