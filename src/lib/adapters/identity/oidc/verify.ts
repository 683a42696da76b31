import { type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose'
import type { Clock } from '../../../ports/clock.ts'
import { UnusableAnswer } from './unusable-answer.ts'

export interface VerifiedToken {
  readonly claims: JWTPayload
  /** In milliseconds since the Unix epoch. */
  readonly expiresAt: number
}

/** The claims of a token of the issuer for an audience. Throws when the token is invalid or expired. */
export type Verify = (token: string, audience: string) => Promise<VerifiedToken>

/** The issuer's clock may be this far ahead of ours. */
const CLOCK_TOLERANCE_SECONDS = 30
/** The greatest time value (ECMA-262 §21.4.1.1). */
const TIME_MAX_MS = 8.64e15

export const timeOf = (milliseconds: number): number =>
  Math.min(Math.floor(milliseconds), TIME_MAX_MS)

export const createVerify =
  (issuer: string, keys: JWTVerifyGetKey, clock: Clock): Verify =>
  async (token, audience) => {
    const now = clock.now()
    const { payload: claims } = await jwtVerify(token, keys, {
      issuer,
      audience,
      currentDate: new Date(now),
      clockTolerance: CLOCK_TOLERANCE_SECONDS,
    })
    const expiresAt = timeOf((claims.exp ?? 0) * 1000)
    if (expiresAt <= now) throw new UnusableAnswer('token_expired')
    return { claims, expiresAt }
  }
