import type { SignInFailure } from '../../ports/identity.ts'

/** Error codes of RFC 6749 and its extensions; providers put arbitrary text there too. */
export const OAUTH_ERROR = /^[a-z_]{1,40}$/

const ONCE = ['state', 'iss', 'code', 'error']

/**
 * Checks the callback of an authorization request; `null`: nothing is wrong. Its `iss` comes first (RFC 9207), because another
 * provider may have made the rest. `isIssuerSent`: the provider names itself in every callback (RFC 9207 §3).
 */
export function callbackFault(
  callback: URLSearchParams,
  issuer: string,
  state: string,
  isIssuerSent: boolean,
): SignInFailure | null {
  if (ONCE.some((name) => callback.getAll(name).length > 1)) return invalid('repeated_parameter')
  const iss = callback.get('iss')
  if (iss === null ? isIssuerSent : iss !== issuer) return invalid('other_issuer')
  if (callback.get('state') !== state) return { kind: 'sign_in_expired' }
  const error = callback.get('error')
  if (error !== null) {
    return { kind: 'sign_in_refused', error: OAUTH_ERROR.test(error) ? error : 'unknown' }
  }
  return callback.get('code') ? null : invalid('no_code')
}

const invalid = (reason: string) => ({ kind: 'sign_in_invalid', reason }) as const
