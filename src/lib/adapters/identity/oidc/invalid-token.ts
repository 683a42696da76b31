import { errors } from 'jose'
import { UnusableAnswer } from './unusable-answer.ts'

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
