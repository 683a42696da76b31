import type { Result } from '../result.ts'
import type { IdentityFailure } from './identity.ts'

/** Source of the public keys of an issuer: its discovery document, or a key set (RFC 7517) that the operator gave. */
export interface WorkloadIssuer {
  /** As its tokens name it, byte for byte. */
  readonly issuer: string
  readonly keySet: string | null
}

export type WorkloadClaims = Readonly<Record<string, unknown>>

/** Verifies OpenID tokens of CI systems and clusters (OpenID Connect Core 1.0 §3.1.3.7). A call ends within its deadline. */
export interface WorkloadTokens {
  /** The claims of a token of the issuer for this audience alone, with when it ends, in milliseconds since the Unix epoch. */
  verify(
    token: string,
    by: WorkloadIssuer,
    audience: string,
  ): Promise<
    Result<
      { readonly claims: WorkloadClaims; readonly expiresAt: number },
      IdentityFailure | WorkloadTokenInvalid
    >
  >
}

export interface WorkloadTokenInvalid {
  readonly kind: 'workload_token_invalid'
  /** For the log and the audit trail. */
  readonly reason: string
}
