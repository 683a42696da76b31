import type { GitFailure } from '../../ports/git-host.ts'
import type { SecretStoreFailure } from '../../ports/secret-store.ts'
import type { Explanation } from '../runs/waiting.ts'
import type { RenderFailure } from './render.ts'

/** Why a step failed. */
export type StepFailure =
  | GitFailure
  | SecretStoreFailure
  | RenderFailure
  /** Another run or a person made it. */
  | { readonly kind: 'already_exists'; readonly what: 'repository' | 'branch' | 'application' }
  /** The commit that the run is pinned to, or the template in it, is gone. */
  | { readonly kind: 'template_gone' }
  /** Deleted after an earlier step. */
  | { readonly kind: 'repository_gone' }
  /** A person closed the pull request, which is final. */
  | { readonly kind: 'pr_closed' }
  /** The lease was lost to another process. */
  | { readonly kind: 'run_lost' }
  /** Attempts at the step ended with their processes. */
  | { readonly kind: 'run_interrupted' }
  /** A bug; the log has the error. */
  | { readonly kind: 'internal_error' }

type Explained = Omit<Explanation, 'limitMs'>
type Explanations = { readonly [Kind in StepFailure['kind']]: Explained }

const passing = (code: string, message: string): Explained => ({
  code,
  message,
  retry: 'by_itself',
})
const mendable = (code: string, message: string): Explained => ({
  code,
  message,
  retry: 'by_person',
})
const final = (code: string, message: string): Explained => ({ code, message, retry: 'never' })

const gitHostError = passing('git_host_error', 'The git host could not complete the request')

/** Fixed texts only: the text of a failure may quote an upstream. */
const explanations: Explanations = {
  git_host_unreachable: passing('git_host_unreachable', 'The git host cannot be reached'),
  git_host_timeout: passing('git_host_timeout', 'The git host took too long'),
  git_rate_limited: passing('rate_limited', 'The git host asks us to wait'),
  git_host_error: gitHostError,
  git_denied: mendable(
    'git_host_error',
    'The git host does not allow this to the portal; its operators find the reason in the log',
  ),
  git_not_found: gitHostError,
  git_file_unreadable: gitHostError,
  git_conflict: gitHostError,
  git_branch_exists: gitHostError,
  git_branch_blocked: mendable(
    'branch_blocked',
    'A branch is in the way of the one that proposes it',
  ),
  git_repository_exists: final('already_exists', 'A repository of this name is there already'),
  git_nothing_to_commit: final(
    'already_exists',
    'The default branch already has the proposed files',
  ),
  secret_store_unreachable: passing(
    'secret_store_unreachable',
    'The secret store cannot be reached',
  ),
  secret_store_timeout: passing('secret_store_timeout', 'The secret store took too long'),
  secret_store_sealed: passing('secret_store_sealed', 'The secret store is sealed'),
  secret_store_error: passing(
    'secret_store_error',
    'The secret store could not complete the request',
  ),
  secret_store_rate_limited: passing('rate_limited', 'The secret store asks us to wait'),
  secret_store_denied: mendable(
    'secret_store_error',
    'The secret store does not allow this to the portal; its operators find the reason in the log',
  ),
  secret_store_forbidden: mendable(
    'secret_store_forbidden',
    'The secret store does not allow this to the person who began the run',
  ),
  secret_store_unauthorized: mendable(
    'secret_store_unauthorized',
    'The secret store does not accept the sign-in of the person who began the run',
  ),
  secret_conflict: passing('secret_conflict', 'Others were changing the same secret entry'),
  already_exists: final('already_exists', 'Another run or a person has already used this name'),
  repository_gone: final('repository_gone', 'The new repository is not there any more'),
  pr_closed: final('pr_closed', 'The pull request was closed without a merge'),
  run_lost: mendable('run_interrupted', 'Another process has taken the run over'),
  template_gone: final('template_not_found', 'The template is not there any more'),
  template_broken: final('template_broken', 'The template cannot be rendered'),
  values_unfit: final('template_broken', 'The template cannot be rendered with these values'),
  run_interrupted: passing('run_interrupted', 'The service stopped in the middle'),
  internal_error: passing('internal_error', 'Something unexpected went wrong'),
}

export const explain = (failure: StepFailure): Explanation => ({
  ...explanations[failure.kind],
  limitMs: 'retryAfterSeconds' in failure ? failure.retryAfterSeconds * 1_000 : 0,
})
