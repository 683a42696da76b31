import { type JWTPayload, type JWTVerifyGetKey, jwtVerify, type JWTVerifyOptions } from 'jose'
import type { Clock } from '../../../ports/clock.ts'
import { InvalidToken } from './failure.ts'

export interface VerifiedToken {
  readonly claims: JWTPayload
  /** The type in the header, as it was sent. */
  readonly typ: unknown
  /** In milliseconds since the Unix epoch. */
  readonly expiresAt: number
}

export interface VerifyOptions extends Pick<JWTVerifyOptions, 'requiredClaims'> {
  /** Seconds from `iat` to the end of a token without `exp`. Left out: such a token is expired. */
  readonly lifetimeWithoutEnd?: number
}

/** The claims of a token of the issuer for an audience. Throws when the token is invalid or expired. */
export type Verify = (
  token: string,
  audience: string,
  options?: VerifyOptions,
) => Promise<VerifiedToken>

/** Allowed difference between the issuer's clock and ours. */
export const CLOCK_TOLERANCE_SECONDS = 30
/** The greatest time value (ECMA-262 §21.4.1.1). */
const TIME_MAX_MS = 8.64e15

export const timeOf = (milliseconds: number): number =>
  Math.min(Math.floor(milliseconds), TIME_MAX_MS)

export const createVerify =
  (issuer: string, keys: JWTVerifyGetKey, clock: Clock): Verify =>
  async (token, audience, { lifetimeWithoutEnd, ...options } = {}) => {
    const now = clock.now()
    const { payload: claims, protectedHeader } = await jwtVerify(token, keys, {
      ...options,
      issuer,
      audience,
      currentDate: new Date(now),
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
    })
    const { iat = 0, exp = lifetimeWithoutEnd === undefined ? 0 : iat + lifetimeWithoutEnd } =
      claims
    const expiresAt = timeOf(exp * 1000)
    if (expiresAt <= now) throw new InvalidToken('token_expired')
    return { claims, typ: protectedHeader.typ, expiresAt }
  }

/** Refuses a token that was issued later than now, by more than clocks differ. */
export function checkIssuedAt({ iat }: JWTPayload, clock: Clock): void {
  if (iat !== undefined && iat > clock.now() / 1000 + CLOCK_TOLERANCE_SECONDS) {
    throw new InvalidToken('issued_in_future')
  }
}

/** OpenID Connect Core 1.0 §2. */
export const SUBJECT_MAX_LENGTH = 255
/** Together with the issuer it must fit into an index of PostgreSQL, whose entries have at most 2.7 KB. */
export const SESSION_ID_MAX_LENGTH = 512

/** Whether a claim is one line of text, neither blank nor longer than `maxLength`. PostgreSQL takes no text with a NUL. */
export const isText = (claim: unknown, maxLength: number): claim is string =>
  typeof claim === 'string' &&
  claim.length <= maxLength &&
  claim.trim() !== '' &&
  claim.isWellFormed() &&
  !/\p{Cc}/u.test(claim)
