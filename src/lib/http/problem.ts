import type { CliFailure } from '../domain/cli/cli.ts'
import { platformName } from '../domain/cli/platform.ts'
import type { ClusterProblem } from '../domain/clusters/clusters.ts'
import type { FieldError } from '../schema/field-error.ts'
import type { LoadFailure } from '../domain/catalog/load.ts'
import type { Readiness } from '../domain/readiness.ts'
import type { ConfirmFailure } from '../domain/promotion/confirm.ts'
import type { PromoteFailure } from '../domain/promotion/promote.ts'
import type { RetryFailure } from '../domain/scaffold/history.ts'
import type { RenderFailure } from '../domain/scaffold/render.ts'
import type { SubmitFailure } from '../domain/scaffold/submit.ts'
import type { DatabaseFailure } from '../ports/database.ts'
import type { GitFailure } from '../ports/git-host.ts'
import { contextOf } from './request-context.ts'

/** What the HTTP layer itself refuses. */
export type HttpFailure =
  | { readonly kind: 'session_required' }
  /** Unknown, expired, malformed, or two different ones at once. */
  | { readonly kind: 'session_invalid'; readonly clearedCookie: string }
  | { readonly kind: 'webhook_unauthorized' }
  | { readonly kind: 'forbidden'; readonly required: readonly string[] }
  | { readonly kind: 'cross_site_request' }
  | { readonly kind: 'misdirected_request' }
  | { readonly kind: 'not_found'; readonly hint?: string }
  | { readonly kind: 'method_not_allowed'; readonly allow: readonly string[] }
  | { readonly kind: 'malformed_json' }
  | { readonly kind: 'validation_failed'; readonly errors: readonly FieldError[] }
  | { readonly kind: 'unsupported_media_type'; readonly accepted: readonly string[] }
  | { readonly kind: 'payload_too_large'; readonly limitBytes: number }
  | { readonly kind: 'precondition_failed'; readonly etag: string }
  | { readonly kind: 'range_not_satisfiable'; readonly sizeBytes: number }
  | { readonly kind: 'unsupported_platform'; readonly supported: readonly string[] }
  /** `known` is for people with a session. */
  | {
      readonly kind: 'not_ready'
      readonly known?: { readonly state: NotReady; readonly checks: object }
    }
  | { readonly kind: 'internal_error' }

export type NotReady = Exclude<ReturnType<Readiness['state']>, 'ready'>

export type Failure =
  | HttpFailure
  | GitFailure
  | LoadFailure
  | DatabaseFailure
  | SubmitFailure
  | RenderFailure
  | RetryFailure
  | PromoteFailure
  | ConfirmFailure
  | ClusterProblem
  | CliFailure

export interface Rendering<Refused> {
  readonly status: number
  /** The contract. Several kinds may look the same from outside. */
  readonly code: string
  readonly title: string
  /** Which facts of the failure may leave the house. */
  readonly members?: (failure: Refused) => Readonly<Record<string, unknown>>
  readonly headers?: (failure: Refused) => Readonly<Record<string, string>>
}

export type Renderings<Refused extends { readonly kind: string }> = {
  readonly [Kind in Refused['kind']]: Rendering<Extract<Refused, { kind: Kind }>>
}

const RETRY_SOON = { 'retry-after': '5' }
const retrySoon = () => RETRY_SOON

const gitHostError = {
  status: 502,
  code: 'git_host_error',
  title: 'The git host gave an answer that cannot be used',
}

const secretStoreError = {
  status: 502,
  code: 'secret_store_error',
  title: 'The secret store did not do what was asked',
}

const clusterError = {
  status: 502,
  code: 'cluster_error',
  title: 'The cluster gave an answer that cannot be used',
}

const waitFor = ({ retryAfterSeconds }: { readonly retryAfterSeconds: number }) => ({
  'retry-after': String(retryAfterSeconds),
})

const inItsWords = ({ message }: { readonly message: string }) => ({ detail: message })

const gitHostTimeout = {
  status: 504,
  code: 'git_host_timeout',
  title: 'The git host took too long',
}

const assetCorrupt = {
  status: 502,
  code: 'asset_corrupt',
  title: 'The file of the release is not what its digest says',
}

const FILENAMES_TOLD = 20
const namesOf = (filenames: readonly string[]) => filenames.slice(0, FILENAMES_TOLD).join(', ')

const unpromotable = {
  owner_missing: 'it has no spec.owner',
  owner_invalid: 'its spec.owner is not group:<org>/<team>',
  owner_foreign: 'its spec.owner is of another organisation',
  name_unusable: 'its name cannot be the name of an application',
  lifecycle_unknown: 'its spec.lifecycle is none that is known',
  application_missing: 'there is no folder apps/<team>/<name>',
  base_unusable: 'its folder has no base/xtenant-app.yaml that an overlay could be put on',
} as const

const placeNames = {
  catalog: 'the catalog has a component of this name',
  apps: 'the gitops repository has an application of this name',
  git_host: 'there is a repository of this name',
  pull_request: 'the gitops repository has a branch that proposes it',
  run: 'another run is making it',
} as const

/** The one place where a failure gets an HTTP face. A new failure does not compile until it is listed here. */
const renderings: Renderings<Failure> = {
  session_required: { status: 401, code: 'session_required', title: 'Sign in first' },
  session_invalid: {
    status: 401,
    code: 'session_invalid',
    title: 'The session is not valid any more',
    headers: ({ clearedCookie }) => ({ 'set-cookie': clearedCookie }),
  },
  webhook_unauthorized: {
    status: 401,
    code: 'webhook_unauthorized',
    title: 'The webhook token is missing or wrong',
    headers: () => ({ 'www-authenticate': 'Bearer' }),
  },
  forbidden: {
    status: 403,
    code: 'forbidden',
    title: 'This needs a group that you are not in',
    members: ({ required }) => ({ required }),
  },
  cross_site_request: {
    status: 403,
    code: 'cross_site_request',
    title: 'Another site may not make this request',
  },
  misdirected_request: {
    status: 421,
    code: 'misdirected_request',
    title: 'This host name is not served here',
  },
  not_found: {
    status: 404,
    code: 'not_found',
    title: 'There is nothing here',
    members: ({ hint }) => (hint === undefined ? {} : { detail: hint }),
  },
  entity_not_found: {
    status: 404,
    code: 'entity_not_found',
    title: 'The catalog has no such entity',
    members: ({ suggestions }) => ({ suggestions }),
  },
  template_not_found: {
    status: 404,
    code: 'template_not_found',
    title: 'There is no such template',
  },
  template_broken: {
    status: 409,
    code: 'template_broken',
    title: 'The template cannot be rendered',
    members: ({ reason }) => ({ detail: reason }),
  },
  run_not_found: { status: 404, code: 'run_not_found', title: 'There is no such run' },
  run_not_retryable: {
    status: 409,
    code: 'run_not_retryable',
    title: 'Trying this run again would not help',
  },
  already_exists: {
    status: 409,
    code: 'already_exists',
    title: 'The name is in use already',
    members: ({ where, runId }) => ({
      detail: where.map((place) => placeNames[place]).join('; '),
      where,
      ...(runId !== null && { runId }),
    }),
  },
  entity_ambiguous: {
    status: 409,
    code: 'entity_ambiguous',
    title: 'The repository has this entity more than once',
  },
  entity_not_editable: {
    status: 409,
    code: 'entity_not_editable',
    title: 'The file of the entity cannot be changed without touching anything else',
    members: ({ reason }) => ({ detail: reason }),
  },
  not_promotable: {
    status: 409,
    code: 'not_promotable',
    title: 'This entity cannot be promoted',
    members: ({ reason }) => ({ detail: unpromotable[reason], reason }),
  },
  invalid_transition: {
    status: 409,
    code: 'invalid_transition',
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
    code: 'pr_pending',
    title: 'The pull request is not merged yet',
    members: ({ pullRequest }) => ({ detail: `PR #${pullRequest} pending`, pullRequest }),
  },
  pr_closed: {
    status: 409,
    code: 'pr_closed',
    title: 'The pull request was closed without a merge',
    members: ({ pullRequest }) => ({ detail: `PR #${pullRequest} was closed`, pullRequest }),
  },
  overlay_missing: {
    status: 409,
    code: 'overlay_missing',
    title: 'The default branch has no overlay for this environment',
    members: ({ environment }) => ({ detail: `no overlay for ${environment}` }),
  },
  branches_used_up: {
    status: 409,
    code: 'branches_used_up',
    title: 'This step was proposed too often; remove its old branches',
  },
  host_taken: {
    status: 409,
    code: 'host_taken',
    title: 'Another application has this host',
    members: ({ claimedBy }) => ({ detail: `claimed by ${claimedBy}` }),
  },
  secret_exists: {
    status: 409,
    code: 'secret_exists',
    title: 'Keys are there already; ask to overwrite them if that is meant',
    members: ({ keys }) => ({ detail: `keys: ${keys.join(', ')}`, keys }),
  },
  secret_store_unreachable: {
    status: 503,
    code: 'secret_store_unreachable',
    title: 'The secret store cannot be reached',
    headers: retrySoon,
  },
  secret_store_timeout: {
    status: 504,
    code: 'secret_store_timeout',
    title: 'The secret store took too long',
  },
  secret_store_sealed: {
    status: 503,
    code: 'secret_store_sealed',
    title: 'The secret store is sealed',
    headers: retrySoon,
  },
  secret_store_error: secretStoreError,
  secret_store_denied: secretStoreError,
  secret_conflict: secretStoreError,
  cluster_not_found: {
    status: 404,
    code: 'cluster_not_found',
    title: 'There is no such cluster',
  },
  deployment_not_found: {
    status: 404,
    code: 'deployment_not_found',
    title: 'There is no such deployment',
  },
  pod_not_found: { status: 404, code: 'pod_not_found', title: 'There is no such pod' },
  deployment_paused: {
    status: 409,
    code: 'deployment_paused',
    title: 'The deployment is paused; resume it first',
  },
  too_many_streams: {
    status: 429,
    code: 'rate_limited',
    title: 'Too many streams are open; close some',
    headers: retrySoon,
  },
  cursor_expired: {
    status: 410,
    code: 'cursor_expired',
    title: 'The list has changed too much to go on; begin again',
  },
  cluster_forbidden: {
    status: 403,
    code: 'cluster_forbidden',
    title: 'The cluster does not allow you this',
    members: inItsWords,
  },
  cluster_unauthorized: {
    status: 403,
    code: 'cluster_unauthorized',
    title: 'The cluster does not accept your identity',
  },
  identity_token_missing: {
    status: 403,
    code: 'cluster_unauthorized',
    title: 'Your sign-in has no token for clusters, or it has ended; sign in again',
  },
  cluster_invalid: {
    status: 422,
    code: 'cluster_invalid',
    title: 'The cluster does not accept the request',
    members: inItsWords,
  },
  cluster_conflict: {
    status: 409,
    code: 'cluster_conflict',
    title: 'The cluster changed it at the same time',
    members: inItsWords,
  },
  cluster_rate_limited: {
    status: 429,
    code: 'rate_limited',
    title: 'The cluster asks us to wait',
    headers: waitFor,
  },
  cluster_unavailable: {
    status: 503,
    code: 'cluster_unavailable',
    title: 'The cluster cannot answer now',
    headers: waitFor,
  },
  cluster_unreachable: {
    status: 503,
    code: 'cluster_unreachable',
    title: 'The cluster cannot be reached',
    members: ({ reason }) => ({ reason }),
    headers: retrySoon,
  },
  cluster_timeout: { status: 504, code: 'cluster_timeout', title: 'The cluster took too long' },
  cluster_tls_error: {
    status: 502,
    code: 'cluster_tls_error',
    title: 'The certificate of the cluster cannot be verified',
    members: ({ reason }) => ({ reason }),
  },
  cluster_error: clusterError,
  cluster_expired: clusterError,
  cluster_object_not_found: clusterError,
  identity_unreachable: {
    status: 503,
    code: 'identity_unreachable',
    title: 'The identity provider cannot be reached',
    headers: retrySoon,
  },
  identity_timeout: {
    status: 504,
    code: 'identity_timeout',
    title: 'The identity provider took too long',
  },
  identity_error: {
    status: 502,
    code: 'identity_error',
    title: 'The identity provider gave an answer that cannot be used',
  },
  idempotency_key_reused: {
    status: 422,
    code: 'idempotency_key_reused',
    title: 'The idempotency key was used for another request',
  },
  method_not_allowed: {
    status: 405,
    code: 'method_not_allowed',
    title: 'This method is not supported here',
    headers: ({ allow }) => ({ allow: allow.join(', ') }),
  },
  malformed_json: { status: 400, code: 'malformed_json', title: 'The body is not valid JSON' },
  validation_failed: {
    status: 422,
    code: 'validation_failed',
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
    code: 'unsupported_media_type',
    title: 'This content type is not supported here',
    members: ({ accepted }) => ({ detail: `accepted: ${accepted.join(', ')}` }),
  },
  payload_too_large: {
    status: 413,
    code: 'payload_too_large',
    title: 'The body is too large',
    members: ({ limitBytes }) => ({ limitBytes }),
  },
  not_ready: {
    status: 503,
    code: 'not_ready',
    title: 'Not ready',
    members: ({ known }) => (known ? { detail: known.state, checks: known.checks } : {}),
    headers: retrySoon,
  },
  internal_error: {
    status: 500,
    code: 'internal_error',
    title: 'Something unexpected went wrong; the request id finds it in the log',
  },
  git_host_unreachable: {
    status: 503,
    code: 'git_host_unreachable',
    title: 'The git host cannot be reached',
    headers: retrySoon,
  },
  git_host_timeout: gitHostTimeout,
  git_host_error: gitHostError,
  git_denied: gitHostError,
  git_not_found: gitHostError,
  git_conflict: gitHostError,
  git_branch_exists: gitHostError,
  git_branch_blocked: {
    status: 409,
    code: 'branch_blocked',
    title: 'Another branch is in the way of ours',
    members: ({ by }) => ({
      detail: `git has no room for it beside the branch ${by}: rename or delete that one`,
    }),
  },
  git_repository_exists: gitHostError,
  git_nothing_to_commit: gitHostError,
  catalog_empty: {
    status: 503,
    code: 'catalog_empty',
    title: 'The default branch of the gitops repository has no entities any more',
    headers: retrySoon,
  },
  catalog_too_large: gitHostError,
  catalog_parser_failed: {
    status: 503,
    code: 'catalog_unavailable',
    title: 'The catalog cannot be read now',
    headers: retrySoon,
  },
  git_rate_limited: {
    status: 429,
    code: 'rate_limited',
    title: 'The git host asks us to wait',
    headers: waitFor,
  },
  release_not_found: {
    status: 404,
    code: 'release_not_found',
    title: 'There is no such release of the command line client',
  },
  unsupported_platform: {
    status: 404,
    code: 'unsupported_platform',
    title: 'The command line client is not made for this platform',
    members: ({ supported }) => ({ supported }),
  },
  asset_not_found: {
    status: 404,
    code: 'asset_not_found',
    title: 'The release has no file for this platform',
    members: ({ version, platform, filenames }) => ({
      detail: `nothing of ${version} is called as if it were for ${platformName(platform)}; it has ${namesOf(filenames) || 'no files'}`,
    }),
  },
  asset_ambiguous: {
    status: 409,
    code: 'asset_ambiguous',
    title: 'The release has more than one file for this platform',
    members: ({ version, platform, filenames }) => ({
      detail: `of ${version} for ${platformName(platform)} there are ${namesOf(filenames)}; CLI_ASSET_PATTERN says which is meant`,
    }),
  },
  asset_cut_off: gitHostError,
  asset_stalled: gitHostTimeout,
  asset_corrupt: assetCorrupt,
  checksums_disagree: assetCorrupt,
  asset_pending: {
    status: 503,
    code: 'asset_pending',
    title: 'The file is still being fetched; come again',
    headers: retrySoon,
  },
  asset_cache_full: {
    status: 503,
    code: 'asset_cache_full',
    title: 'There is no room to keep the file',
    headers: retrySoon,
  },
  asset_cache_broken: {
    status: 503,
    code: 'asset_cache_unavailable',
    title: 'Files cannot be kept now',
    headers: retrySoon,
  },
  precondition_failed: {
    status: 412,
    code: 'precondition_failed',
    title: 'It is not what the request requires it to be any more',
    headers: ({ etag }) => ({ etag }),
  },
  range_not_satisfiable: {
    status: 416,
    code: 'range_not_satisfiable',
    title: 'The file has no such bytes',
    headers: ({ sizeBytes }) => ({ 'content-range': `bytes */${sizeBytes}` }),
  },
  database_unavailable: {
    status: 503,
    code: 'database_unavailable',
    title: 'The database cannot be used now',
    headers: retrySoon,
  },
}

export const problemCodes: readonly string[] = [
  ...new Set(Object.values(renderings).map(({ code }) => code)),
].toSorted()

/** A failure that is told in a stream, where there is no status any more. */
export function told<Kind extends Failure['kind']>(failure: Extract<Failure, { kind: Kind }>) {
  const kind: Kind = failure.kind
  const { code, title, members }: Rendering<typeof failure> = renderings[kind]
  return { code, title, ...members?.(failure) }
}

/** A failure as problem details. */
export function problem<Kind extends Failure['kind']>(
  request: Request,
  failure: Extract<Failure, { kind: Kind }>,
): Response {
  const kind: Kind = failure.kind
  return render(request, renderings[kind], failure)
}

/** RFC 9457. Submitted values are never part of it. */
export function render<Refused>(
  request: Request,
  { status, code, title, members, headers }: Rendering<Refused>,
  failure: Refused,
): Response {
  const { requestId, path } = contextOf(request)
  const body = {
    type: `urn:portico:problem:${code}`,
    title,
    status,
    code,
    instance: path,
    requestId,
    ...members?.(failure),
  }
  return new Response(JSON.stringify(body), {
    status,
    headers: { 'content-type': 'application/problem+json', ...headers?.(failure) },
  })
}

/** Stops a request from inside an Elysia hook, where only a throw stops. `error-handler.ts` renders it. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly failure: Failure
  constructor(failure: Failure) {
    super(failure.kind)
    this.failure = failure
  }
}
