import { ClientError, ResponseBodyError, WWWAuthenticateChallengeError } from 'openid-client'
import { CONNECTION_CODES } from '../../../outbound/connection-codes.ts'
import type { IdentityFailure, SignInFailure } from '../../../ports/identity.ts'
import { OAUTH_ERROR } from '../callback.ts'
import { errors } from 'jose'

/** A response of the provider that cannot be used; the code is for the log. */
export class UnusableAnswer extends Error {
  readonly code: string

  constructor(code: string) {
    super(code)
    this.code = code
  }
}

/** A token of the provider that failed a check. */
export class InvalidToken extends UnusableAnswer {}

/** Codes of tokens whose times and our clock disagree. */
const TIME_CODES = new Set(['token_expired', 'issued_in_future'])
const TIME_CLAIMS = new Set(['iat', 'nbf', 'exp'])

/** Why a token was refused, or `null` for errors that have another cause, such as keys that cannot be loaded. */
export function tokenFault(thrown: unknown): { readonly code: string; isOfTime: boolean } | null {
  if (thrown instanceof InvalidToken) {
    return { code: thrown.code, isOfTime: TIME_CODES.has(thrown.code) }
  }
  if (thrown instanceof errors.JWKSInvalid || !(thrown instanceof errors.JOSEError)) return null
  const isOfTime =
    thrown instanceof errors.JWTExpired ||
    (thrown instanceof errors.JWTClaimValidationFailed &&
      thrown.reason === 'check_failed' &&
      TIME_CLAIMS.has(thrown.claim))
  return { code: thrown.code, isOfTime }
}

/**
 * The person has to sign in again: RFC 6749 §5.2, and the errors of OpenID Connect Core 1.0 §3.1.2.6 that providers use at the token
 * endpoint too, such as Entra ID when a policy asks for a second factor.
 */
const REFUSALS = new Set([
  'invalid_grant',
  'interaction_required',
  'login_required',
  'consent_required',
])

/** Failure for an error of the client library, `jose` or `fetch`. Uses codes only: messages carry tokens and addresses. */
export function identityFailure(thrown: unknown): IdentityFailure {
  const chain = [...withCauses(thrown)]
  if (chain.some(isTimeout)) return { kind: 'identity_timeout' }
  const codes = codesOf(chain)
  if (codes.some((code) => CONNECTION_CODES.has(code))) return { kind: 'identity_unreachable' }
  if (thrown instanceof ResponseBodyError) {
    if (REFUSALS.has(thrown.error)) return { kind: 'identity_rejected' }
    // `invalid_request` may mean an invalid token to exchange (RFC 8693 §2.2.2), but also any mistake of ours.
    return OAUTH_ERROR.test(thrown.error) ? answered(thrown.error) : refused(thrown.status)
  }
  if (thrown instanceof WWWAuthenticateChallengeError) return refused(thrown.status)
  if (thrown instanceof ClientError && isRefusal(thrown.cause)) return refused(thrown.cause.status)
  return answered(codes[0] ?? chain[0]?.name ?? 'unknown')
}

/**
 * Failure for an error of a refresh. Dex and Zitadel answer `invalid_request` in place of `invalid_grant` for a refresh token that has ended
 * or was revoked, and say so. Without these words it is a mistake of ours or of a setting, as of scopes at Entra ID.
 */
export function refreshFailure(thrown: unknown): IdentityFailure {
  const isRefused =
    thrown instanceof ResponseBodyError &&
    thrown.error === 'invalid_request' &&
    /refresh ?token/i.test(thrown.error_description ?? '')
  return isRefused ? { kind: 'identity_rejected' } : identityFailure(thrown)
}

/** The library's codes for callbacks, answers and ID tokens that fail its checks. */
const CHECK_CODES = new Set([
  'OAUTH_INVALID_RESPONSE',
  'OAUTH_JWT_CLAIM_COMPARISON_FAILED',
  'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED',
  'OAUTH_UNSUPPORTED_OPERATION',
])

/** Failure for an error while a sign-in is completed. */
export function signInFailure(thrown: unknown): SignInFailure {
  const fault = tokenFault(thrown)
  if (fault?.isOfTime) return { kind: 'sign_in_clock' }
  if (fault !== null) return { kind: 'sign_in_invalid', reason: fault.code }
  const [code] = codesOf([...withCauses(thrown)])
  if (code !== undefined && CHECK_CODES.has(code)) return { kind: 'sign_in_invalid', reason: code }
  const failure = identityFailure(thrown)
  return failure.kind === 'identity_rejected' ? { kind: 'sign_in_expired' } : failure
}

const answered = (reason: string) => ({ kind: 'identity_error', reason }) as const
const refused = (status: number) => answered(`http_${status}`)

const isTimeout = (error: Error) => error instanceof DOMException && error.name === 'TimeoutError'

const isRefusal = (cause: unknown): cause is Response =>
  cause instanceof Response && cause.status !== 200

type Coded = Error & { readonly code?: unknown }

const codesOf = (chain: readonly Coded[]): readonly string[] =>
  chain.flatMap(({ code }) => (typeof code === 'string' ? [code] : []))

function* withCauses(thrown: unknown): Generator<Coded> {
  for (let error = thrown; error instanceof Error; error = error.cause) yield error
}
