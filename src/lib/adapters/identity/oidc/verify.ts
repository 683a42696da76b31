import { type JWTPayload, type JWTVerifyGetKey, jwtVerify } from 'jose'
import type { Clock } from '../../../ports/clock.ts'
import { UnusableAnswer } from './unusable-answer.ts'

export interface Verified {
  readonly claims: JWTPayload
  /** In milliseconds since the Unix epoch. */
  readonly expiresAt: number
}

/** What a token of the issuer for an audience says. Throws if it is not one, or not any more. */
export type Verify = (token: string, audience: string) => Promise<Verified>

/** The issuer's clock may be ahead of ours by this much: a token that it just made is good. */
const CLOCK_TOLERANCE_SECONDS = 30
/** The last date that there is (ECMA-262 §21.4.1.1), before infinity. */
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
