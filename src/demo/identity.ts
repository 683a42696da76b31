import { randomUUID } from 'node:crypto'
import { errors, jwtVerify, SignJWT } from 'jose'
import type { Clock } from '../lib/ports/clock.ts'
import type { IdentityFailure, IdentityProvider, SignIn } from '../lib/ports/identity.ts'
import { err, ok, type Result } from '../lib/result.ts'
import { findPerson, ISSUER, type Person, principalOf } from './people.ts'
import type { SigningKey } from './keys.ts'

const ALGORITHM = 'EdDSA'
/** Audience of ID and access tokens. */
export const PORTAL_AUDIENCE = 'portico'
const TOKEN_SECONDS = 60 * 60
const REFRESH_SECONDS = 10 * 60 * 60
const EXCHANGED_SECONDS = 10 * 60

type Use = 'id' | 'access' | 'refresh' | 'cluster'

export interface DemoIdentity extends IdentityProvider {
  signIn(person: Person): Promise<SignIn>
  /** The person whose token for this audience it is; undefined for tokens that are not valid. */
  authenticate(token: string, audience: string): Promise<Person | undefined>
  /** A token for the kubeconfig. */
  clusterToken(person: Person, audience: string, seconds: number): Promise<string>
}

/** The demo's identity provider: it signs JWTs (RFC 7519) for the demo's people. */
export function createDemoIdentity(key: SigningKey, clock: Clock): DemoIdentity {
  /** Used refresh tokens: each is valid once. */
  const usedTokenIds = new Set<string>()
  const nowSeconds = () => Math.floor(clock.now() / 1000)

  const sign = ({ id, name, email, groups }: Person, use: Use, audience: string, exp: number) =>
    new SignJWT({ use, name, email, groups })
      .setProtectedHeader({ alg: ALGORITHM, typ: 'JWT' })
      .setIssuer(ISSUER)
      .setSubject(id)
      .setAudience(audience)
      .setIssuedAt(nowSeconds())
      .setExpirationTime(exp)
      .setJti(randomUUID())
      .sign(key.privateKey)

  async function verify(token: string, audience: string, uses: readonly Use[]) {
    try {
      const { payload } = await jwtVerify(token, key.publicKey, {
        issuer: ISSUER,
        audience,
        algorithms: [ALGORITHM],
        currentDate: new Date(clock.now()),
      })
      const person = findPerson(payload.sub ?? '')
      const use = uses.find((one) => one === payload['use'])
      const { jti, exp } = payload
      if (person === undefined || use === undefined || jti === undefined || exp === undefined) {
        return undefined
      }
      return { person, jti, exp }
    } catch (error) {
      if (error instanceof errors.JOSEError) return undefined
      throw error
    }
  }

  async function signIn(person: Person): Promise<SignIn> {
    const end = nowSeconds() + TOKEN_SECONDS
    const [idToken, accessToken, refreshToken] = await Promise.all([
      sign(person, 'id', PORTAL_AUDIENCE, end),
      sign(person, 'access', PORTAL_AUDIENCE, end),
      sign(person, 'refresh', PORTAL_AUDIENCE, nowSeconds() + REFRESH_SECONDS),
    ])
    const expiresAt = end * 1000
    return {
      principal: principalOf(person),
      tokens: { idToken, idTokenExpiresAt: expiresAt, accessToken, refreshToken, expiresAt },
    }
  }

  return {
    signIn,

    async refresh(refreshToken): Promise<Result<SignIn, IdentityFailure>> {
      const verified = await verify(refreshToken, PORTAL_AUDIENCE, ['refresh'])
      if (verified === undefined || usedTokenIds.has(verified.jti))
        return err({ kind: 'identity_rejected' })
      usedTokenIds.add(verified.jti)
      return ok(await signIn(verified.person))
    },

    async exchange(accessToken, audience) {
      const verified = await verify(accessToken, PORTAL_AUDIENCE, ['access'])
      if (verified === undefined) return err({ kind: 'identity_rejected' })
      const end = Math.min(verified.exp, nowSeconds() + EXCHANGED_SECONDS)
      const token = await sign(verified.person, 'cluster', audience, end)
      return ok({ token, expiresAt: end * 1000 })
    },

    async authenticate(token, audience) {
      return (await verify(token, audience, ['id', 'cluster']))?.person
    },

    clusterToken: (person, audience, seconds) =>
      sign(person, 'cluster', audience, nowSeconds() + seconds),
  }
}
