import { clearedSessionCookie } from '../domain/access/sessions/session-cookie.ts'
import { unknownGroupsAdvice } from '../domain/access/unknown-groups.ts'
import type { CliFailure } from '../domain/cli/cli.ts'
import { platformName } from '../domain/cli/platform.ts'
import type { ClusterProblem } from '../domain/clusters/clusters.ts'
import type { FieldError } from '../schema/field-error.ts'
import type { RateLimited } from '../domain/limits/rate-limits.ts'
import type { RenewalFailure } from '../domain/access/sessions/session-renewal.ts'
import type { SessionNotFound } from '../domain/access/sessions/person-sessions.ts'
import type { LoadFailure } from '../domain/catalog/load.ts'
import type { Readiness } from '../domain/readiness.ts'
import type { ConfirmFailure } from '../domain/promotion/confirm.ts'
import type { PromoteFailure } from '../domain/promotion/promote.ts'
import type { RetryFailure } from '../domain/scaffold/history.ts'
import type { RenderFailure } from '../domain/scaffold/render.ts'
import type { SubmitFailure } from '../domain/scaffold/submit.ts'
import type { DatabaseFailure } from '../ports/database/failure.ts'
import type { LogoutTokenFailure, SignInFailure } from '../ports/identity.ts'
import type { GitFailure } from '../ports/git-host.ts'
import { contextOf, type RequestContext } from './request-context.ts'

/** Failures of the HTTP layer itself. */
export type HttpFailure =
  | { readonly kind: 'session_required' }
  /** Unknown, expired, malformed, or two different ones at once. */
  | { readonly kind: 'session_invalid' }
  | { readonly kind: 'webhook_unauthorized' }
  | { readonly kind: 'forbidden'; readonly required: readonly string[] }
  | { readonly kind: 'cross_site_request' }
  /** The sessions of a logout token could not be ended. */
  | { readonly kind: 'logout_failed' }
  | { readonly kind: 'misdirected_request' }
  | { readonly kind: 'not_found'; readonly hint?: string }
  | { readonly kind: 'method_not_allowed'; readonly allow: readonly string[] }
  | { readonly kind: 'malformed_json' }
  /** The client has gone away, so that only the log shows it. */
  | { readonly kind: 'body_incomplete' }
  | { readonly kind: 'validation_failed'; readonly errors: readonly FieldError[] }
  | { readonly kind: 'unsupported_media_type'; readonly accepted: readonly string[] }
  | { readonly kind: 'payload_too_large'; readonly limitBytes: number }
  | { readonly kind: 'precondition_failed'; readonly etag: string }
  | { readonly kind: 'range_not_satisfiable'; readonly sizeBytes: number }
  | { readonly kind: 'unsupported_platform'; readonly supported: readonly string[] }
  /** `details` only for a request with a session. */
  | {
      readonly kind: 'not_ready'
      readonly details?: { readonly state: NotReady; readonly checks: object }
    }
  | { readonly kind: 'internal_error' }

export type NotReady = Exclude<ReturnType<Readiness['state']>, 'ready'>

export type Failure =
  | HttpFailure
  | GitFailure
  | LoadFailure
  | DatabaseFailure
  | RateLimited
  | SignInFailure
  | LogoutTokenFailure
  | SubmitFailure
  | RenderFailure
  | RetryFailure
  | PromoteFailure
  | ConfirmFailure
  | ClusterProblem
  | CliFailure
  | SessionNotFound
  | Exclude<RenewalFailure, { kind: 'identity_rejected' }>

interface ProblemRow<Cause> {
  readonly status: number
  /** Part of the contract. By default the kind of the failure; several kinds may share a code. */
  readonly code?: string
  readonly title: string
  /** The facts of the failure that a client may see. */
  readonly members?: (failure: Cause, context?: RequestContext) => Readonly<Record<string, unknown>>
  readonly headers?: (failure: Cause, context: RequestContext) => Readonly<Record<string, string>>
}

export type ProblemTable<Causes extends { readonly kind: string }> = {
  readonly [Kind in Causes['kind']]: ProblemRow<Extract<Causes, { kind: Kind }>>
}

const RETRY_SOON = { 'retry-after': '5' }

const LOGIN_URL = '/api/v1/auth/login'
const signInAt = () => ({ loginUrl: LOGIN_URL })

const gitHostError = {
  status: 502,
  code: 'git_host_error',
  title: 'The git host gave an answer that cannot be used',
}

const secretStoreError = {
  status: 502,
  code: 'secret_store_error',
  title: 'The secret store could not complete the request',
}

const clusterError = {
  status: 502,
  code: 'cluster_error',
  title: 'The cluster gave an answer that cannot be used',
}

const waitFor = ({ retryAfterSeconds }: { readonly retryAfterSeconds: number }) => ({
  'retry-after': String(retryAfterSeconds),
})

const ownMessage = ({ message }: { readonly message: string }) => ({ detail: message })

const gitHostTimeout = {
  status: 504,
  code: 'git_host_timeout',
  title: 'The git host took too long',
}

const assetCorrupt = {
  status: 502,
  code: 'asset_corrupt',
  title: 'The file of the release does not match its digest',
}

/** Groups that the provider did not tell grant nothing; the person cannot know why. */
function groupsAdvice(context: RequestContext | undefined) {
  const session = context?.session
  const advice =
    session?.kind === 'active' ? unknownGroupsAdvice(session.session.principal.groups) : null
  return advice === null ? {} : { detail: advice }
}

const FILENAMES_MAX = 20
const namesOf = (filenames: readonly string[]) => filenames.slice(0, FILENAMES_MAX).join(', ')

const unpromotable = {
  owner_missing: 'it has no spec.owner',
  owner_invalid: 'its spec.owner is not group:<org>/<team>',
  owner_foreign: 'its spec.owner belongs to another organisation',
  name_unusable: 'its name is not a valid application name',
  lifecycle_unknown: 'its spec.lifecycle is not a known one',
  application_missing: 'there is no folder apps/<team>/<name>',
  base_unusable: 'its folder has no base/xtenant-app.yaml that an overlay can patch',
} as const

const nameUses = {
  catalog: 'the catalog has a component with this name',
  apps: 'the gitops repository has an application with this name',
  git_host: 'a repository has this name',
  pull_request: 'a branch of the gitops repository proposes it',
  run: 'another run is creating it',
} as const

/** The HTTP answer to every failure. A new kind of failure does not compile until it has a row here. */
const problems: ProblemTable<Failure> = {
  session_required: { status: 401, title: 'Sign in first', members: signInAt },
  session_invalid: {
    status: 401,
    title: 'The session is not valid any more',
    members: signInAt,
    headers: (_, { secureCookies: secure }) => ({ 'set-cookie': clearedSessionCookie({ secure }) }),
  },
  identity_not_renewable: {
    status: 401,
    code: 'session_stale',
    title: 'Sign in again for this: your groups cannot be checked without it. Reading still works',
    members: signInAt,
  },
  session_not_found: { status: 404, title: 'You have no such session' },
  webhook_unauthorized: {
    status: 401,
    title: 'The webhook token is missing or wrong',
    headers: () => ({ 'www-authenticate': 'Bearer' }),
  },
  rate_limited: {
    status: 429,
    title: 'Too many requests; wait before the next one',
    headers: waitFor,
  },
  forbidden: {
    status: 403,
    title: 'This needs a group that you are not in',
    members: ({ required }, context) => ({ ...groupsAdvice(context), required }),
  },
  cross_site_request: { status: 403, title: 'Another site may not make this request' },
  misdirected_request: { status: 421, title: 'This host name is not served here' },
  not_found: {
    status: 404,
    title: 'There is nothing here',
    members: ({ hint }) => (hint === undefined ? {} : { detail: hint }),
  },
  entity_not_found: {
    status: 404,
    title: 'The catalog has no such entity',
    members: ({ suggestions }) => ({ suggestions }),
  },
  template_not_found: { status: 404, title: 'There is no such template' },
  template_broken: {
    status: 409,
    title: 'The template cannot be rendered',
    members: ({ reason }) => ({ detail: reason }),
  },
  run_not_found: { status: 404, title: 'There is no such run' },
  run_not_retryable: { status: 409, title: 'Trying this run again would not help' },
  already_exists: {
    status: 409,
    title: 'The name is in use already',
    members: ({ where, runId }) => ({
      detail: where.map((use) => nameUses[use]).join('; '),
      where,
      ...(runId !== null && { runId }),
    }),
  },
  entity_ambiguous: { status: 409, title: 'The repository has this entity more than once' },
  entity_not_editable: {
    status: 409,
    title: 'The entity cannot be edited without changing the rest of its file',
    members: ({ reason }) => ({ detail: reason }),
  },
  not_promotable: {
    status: 409,
    title: 'This entity cannot be promoted',
    members: ({ reason }) => ({ detail: unpromotable[reason], reason }),
  },
  invalid_transition: {
    status: 409,
    title: 'The lifecycle does not allow this step',
    members: ({ from, to, allowed }) => ({
      detail: `from ${from} there is no step to ${to}`,
      from,
      to,
      allowed,
    }),
  },
  pr_pending: {
    status: 409,
    title: 'The pull request is not merged yet',
    members: ({ pullRequest }) => ({ detail: `PR #${pullRequest} pending`, pullRequest }),
  },
  pr_closed: {
    status: 409,
    title: 'The pull request was closed without a merge',
    members: ({ pullRequest }) => ({ detail: `PR #${pullRequest} was closed`, pullRequest }),
  },
  overlay_missing: {
    status: 409,
    title: 'The default branch has no overlay for this environment',
    members: ({ environment }) => ({ detail: `no overlay for ${environment}` }),
  },
  host_taken: {
    status: 409,
    title: 'Another application has this host',
    members: ({ claimedBy }) => ({ detail: `claimed by ${claimedBy}` }),
  },
  secret_exists: {
    status: 409,
    title: 'Some secret keys exist already; set overwriteSecrets to replace them',
    members: ({ keys }) => ({ detail: `keys: ${keys.join(', ')}`, keys }),
  },
  secret_store_unreachable: { status: 503, title: 'The secret store cannot be reached' },
  secret_store_timeout: { status: 504, title: 'The secret store took too long' },
  secret_store_sealed: { status: 503, title: 'The secret store is sealed' },
  secret_store_error: secretStoreError,
  secret_store_rate_limited: {
    status: 429,
    code: 'rate_limited',
    title: 'The secret store asks us to wait',
    headers: waitFor,
  },
  secret_store_denied: {
    status: 502,
    code: 'secret_store_error',
    title: 'The secret store does not allow this to the portal',
    members: () => ({ detail: 'the operators of the portal find the reason in its log' }),
  },
  secret_store_forbidden: {
    status: 403,
    title: 'The secret store does not allow you this',
    members: () => ({
      detail: 'its own policy for your groups decides; after a change of groups, sign in again',
    }),
  },
  secret_store_unauthorized: {
    status: 403,
    title: 'The secret store does not accept your sign-in, or it has ended; sign in again',
    members: signInAt,
  },
  secret_conflict: {
    status: 409,
    title: 'Others were changing the same secrets at the same time; send the request again',
  },
  cluster_not_found: { status: 404, title: 'There is no such cluster' },
  deployment_not_found: { status: 404, title: 'There is no such deployment' },
  pod_not_found: { status: 404, title: 'There is no such pod' },
  deployment_paused: { status: 409, title: 'The deployment is paused; resume it first' },
  too_many_streams: {
    status: 429,
    code: 'rate_limited',
    title: 'Too many streams are open; close some',
    headers: () => RETRY_SOON,
  },
  cursor_expired: {
    status: 410,
    title: 'The list has changed too much since this page; start again',
  },
  cluster_forbidden: {
    status: 403,
    title: 'The cluster does not allow you this',
    members: ownMessage,
  },
  cluster_unauthorized: { status: 403, title: 'The cluster does not accept your identity' },
  identity_token_missing: {
    status: 403,
    code: 'cluster_unauthorized',
    title: 'Your sign-in has no token for clusters, or it has ended; sign in again',
  },
  cluster_invalid: {
    status: 422,
    title: 'The cluster does not accept the request',
    members: ownMessage,
  },
  cluster_conflict: {
    status: 409,
    title: 'The object was changed in the cluster at the same time',
    members: ownMessage,
  },
  cluster_rate_limited: {
    status: 429,
    code: 'rate_limited',
    title: 'The cluster asks us to wait',
    headers: waitFor,
  },
  cluster_unavailable: { status: 503, title: 'The cluster cannot answer now', headers: waitFor },
  cluster_unreachable: {
    status: 503,
    title: 'The cluster cannot be reached',
    members: ({ reason }) => ({ reason }),
  },
  cluster_timeout: { status: 504, title: 'The cluster took too long' },
  cluster_tls_error: {
    status: 502,
    title: 'The certificate of the cluster cannot be verified',
    members: ({ reason }) => ({ reason }),
  },
  cluster_error: clusterError,
  cluster_expired: clusterError,
  cluster_object_not_found: clusterError,
  identity_not_configured: {
    status: 503,
    title: 'This installation has no identity provider: its operator has to set OIDC_ISSUER',
  },
  identity_unreachable: { status: 503, title: 'The identity provider cannot be reached' },
  identity_timeout: { status: 504, title: 'The identity provider took too long' },
  identity_error: {
    status: 502,
    title: 'The identity provider gave an answer that cannot be used',
  },
  identity_rejected: {
    status: 502,
    code: 'identity_error',
    title: 'The identity provider gave an answer that cannot be used',
  },
  sign_in_refused: {
    status: 400,
    title: 'The identity provider did not sign you in',
    members: ({ error }) => ({ reason: error }),
  },
  sign_in_expired: {
    status: 400,
    title: 'This sign-in has expired, was completed already, or began in another browser',
  },
  sign_in_clock: {
    status: 400,
    title: 'The clocks of the portal and the identity provider do not agree',
  },
  sign_in_invalid: {
    status: 400,
    title: 'The answer of the identity provider does not belong to this sign-in',
  },
  logout_token_invalid: { status: 400, title: 'The logout token is not valid, or was used before' },
  logout_failed: {
    status: 400,
    title: 'The sessions could not be ended now; send the logout token again',
  },
  idempotency_key_reused: {
    status: 422,
    title: 'The idempotency key was used for another request',
  },
  method_not_allowed: {
    status: 405,
    title: 'This method is not supported here',
    headers: ({ allow }) => ({ allow: allow.join(', ') }),
  },
  malformed_json: { status: 400, title: 'The body is not valid JSON' },
  body_incomplete: { status: 400, title: 'The connection ended before the body did' },
  validation_failed: {
    status: 422,
    title: 'The request is not valid',
    members: ({ errors }) => ({
      detail: errors
        .map(({ path, message }) => `${path.slice(1) || 'the body'} ${message}`)
        .join('; '),
      errors,
    }),
  },
  unsupported_media_type: {
    status: 415,
    title: 'This content type is not supported here',
    members: ({ accepted }) => ({ detail: `accepted: ${accepted.join(', ')}` }),
  },
  payload_too_large: {
    status: 413,
    title: 'The body is too large',
    members: ({ limitBytes }) => ({ limitBytes }),
  },
  not_ready: {
    status: 503,
    title: 'Not ready',
    members: ({ details }) =>
      details === undefined ? {} : { detail: details.state, checks: details.checks },
  },
  internal_error: {
    status: 500,
    title: 'Something unexpected went wrong; the request id finds it in the log',
  },
  git_host_unreachable: { status: 503, title: 'The git host cannot be reached' },
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
  catalog_empty: {
    status: 503,
    title: 'The default branch of the gitops repository has no entities any more',
  },
  catalog_too_large: gitHostError,
  catalog_parser_failed: {
    status: 503,
    code: 'catalog_unavailable',
    title: 'The catalog cannot be read now',
  },
  git_rate_limited: {
    status: 429,
    code: 'rate_limited',
    title: 'The git host asks us to wait',
    headers: waitFor,
  },
  release_not_found: { status: 404, title: 'There is no such release of the command line client' },
  unsupported_platform: {
    status: 404,
    title: 'The command line client is not made for this platform',
    members: ({ supported }) => ({ supported }),
  },
  asset_not_found: {
    status: 404,
    title: 'The release has no file for this platform',
    members: ({ version, platform, filenames }) => ({
      detail: `no file name of ${version} matches ${platformName(platform)}; it has ${namesOf(filenames) || 'no files'}`,
    }),
  },
  asset_ambiguous: {
    status: 409,
    title: 'The release has more than one file for this platform',
    members: ({ version, platform, filenames }) => ({
      detail: `${version} has several for ${platformName(platform)}: ${namesOf(filenames)}; CLI_ASSET_PATTERN selects one`,
    }),
  },
  asset_cut_off: gitHostError,
  asset_stalled: gitHostTimeout,
  asset_corrupt: assetCorrupt,
  checksums_disagree: assetCorrupt,
  asset_pending: { status: 503, title: 'The file is still being fetched; try again' },
  asset_cache_full: { status: 503, title: 'The disk has no room for a copy of the release file' },
  asset_cache_broken: {
    status: 503,
    code: 'asset_cache_unavailable',
    title: 'Copies of release files cannot be written to the disk now',
  },
  precondition_failed: {
    status: 412,
    title: 'The resource does not match the If-Match header',
    headers: ({ etag }) => ({ etag }),
  },
  range_not_satisfiable: {
    status: 416,
    title: 'The file does not have the requested range',
    headers: ({ sizeBytes }) => ({ 'content-range': `bytes */${sizeBytes}` }),
  },
  database_unavailable: { status: 503, title: 'The database cannot be used now' },
}

export const problemCodes: readonly string[] = [
  ...new Set(Object.entries<ProblemRow<never>>(problems).map(([kind, { code = kind }]) => code)),
].toSorted()

/** Body of a failure in an event stream, whose status was sent before. */
export function streamedProblem<Kind extends Failure['kind']>(
  failure: Extract<Failure, { kind: Kind }>,
) {
  const kind: Kind = failure.kind
  const { code = kind, title, members }: ProblemRow<typeof failure> = problems[kind]
  return { code, title, ...members?.(failure) }
}

/** A renderer of problem details (RFC 9457), which never contain submitted values. */
export function problemRenderer<Causes extends { readonly kind: string }>(
  table: ProblemTable<Causes>,
) {
  return function problem<Kind extends Causes['kind']>(
    request: Request,
    failure: { readonly kind: Kind } & Extract<Causes, { kind: Kind }>,
  ): Response {
    const context = contextOf(request)
    const { requestId, path } = context
    const kind: Kind = failure.kind
    const row: ProblemRow<typeof failure> = table[kind]
    const { status, code = kind, title, members, headers } = row
    const body = {
      type: `urn:portico:problem:${code}`,
      title,
      status,
      code,
      instance: path,
      requestId,
      ...members?.(failure, context),
    }
    return new Response(JSON.stringify(body), {
      status,
      headers: {
        'content-type': 'application/problem+json',
        ...(status === 503 && RETRY_SOON),
        ...headers?.(failure, context),
      },
    })
  }
}

export const problem = problemRenderer(problems)

/** A failure in an Elysia hook, which only a throw can stop. `error-handler.ts` renders it. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly failure: Failure
  constructor(failure: Failure) {
    super(failure.kind)
    this.failure = failure
  }
}
