import type { CliFailure } from '../domain/cli/cli.ts'
import type { ClusterProblem } from '../domain/clusters/clusters.ts'
import type { FieldError } from '../schema/field-error.ts'
import type { RateLimited } from '../domain/limits/rate-limits.ts'
import type { RenewalFailure } from '../domain/access/sessions/session-renewal.ts'
import type { Forbidden } from '../domain/access/authorise.ts'
import type { AuthorizationFailure } from '../domain/access/grants/authorization.ts'
import type { GrantNotFound } from '../domain/access/grants/grants.ts'
import type { Scope } from '../domain/access/grants/scope.ts'
import type { SessionNotFound } from '../domain/access/sessions/person-sessions.ts'
import type { DocsFailure } from '../domain/catalog/entity-docs.ts'
import type { LoadFailure } from '../domain/catalog/load-failure.ts'
import type { Readiness } from '../domain/readiness.ts'
import type { MoveFailure } from '../domain/promotion/failure.ts'
import type { RetryFailure, SubmitFailure } from '../domain/scaffold/request-failure.ts'
import type { DeployTokenFailure } from '../domain/forge/deploy-tokens.ts'
import type { DatabaseFailure } from '../ports/database/failure.ts'
import type { LogoutTokenFailure, SignInFailure } from '../ports/identity.ts'
import type { GitFailure } from '../ports/git-host.ts'

/** Failures of the HTTP layer itself. */
export type HttpFailure =
  | Extract<DocsFailure, { kind: 'repository_not_found' | 'doc_not_found' }>
  | { readonly kind: 'audit_record_not_found' }
  | { readonly kind: 'session_required' }
  /** Unknown, expired, malformed, or two different ones at once. */
  | { readonly kind: 'session_invalid' }
  /** A cookie and an access token in one request. */
  | { readonly kind: 'ambiguous_credentials' }
  /** An access token that is unknown, has ended, or is for another service. */
  | { readonly kind: 'token_invalid' }
  /** The endpoint for agents takes access tokens for it, and nothing else. */
  | { readonly kind: 'agent_token_required' }
  /** The access token lacks these scopes. */
  | { readonly kind: 'insufficient_scope'; readonly scopes: readonly Scope[] }
  /** Answered before, too old, or of another session. */
  | { readonly kind: 'consent_expired' }
  | { readonly kind: 'webhook_unauthorized' }
  | Forbidden
  | { readonly kind: 'cross_site_request' }
  /** The sessions of a logout token could not be ended. */
  | { readonly kind: 'logout_failed' }
  | { readonly kind: 'misdirected_request' }
  | { readonly kind: 'not_found'; readonly hint?: string }
  | { readonly kind: 'method_not_allowed'; readonly allow: readonly string[] }
  | { readonly kind: 'malformed_json' }
  /** The client has gone away, or sends too slowly. */
  | { readonly kind: 'body_incomplete' }
  | { readonly kind: 'validation_failed'; readonly errors: readonly FieldError[] }
  | { readonly kind: 'unsupported_media_type'; readonly accepted: readonly string[] }
  | { readonly kind: 'content_encoded' }
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
  /** More than the process can carry. */
  | { readonly kind: 'overloaded' }
  /** Before the request began, so that only the log shows it. */
  | { readonly kind: 'client_left' }

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
  | RetryFailure
  | MoveFailure
  | ClusterProblem
  | CliFailure
  | SessionNotFound
  | DeployTokenFailure
  | GrantNotFound
  | Exclude<AuthorizationFailure, { kind: 'authorization_invalid' }>
  | Exclude<RenewalFailure, { kind: 'identity_rejected' }>
