import { randomUUID } from 'node:crypto'
import { errors, jwtVerify, SignJWT } from 'jose'
import type { Clock } from '../lib/ports/clock.ts'
import type { IdentityFailure, IdentityProvider, SignIn } from '../lib/ports/identity.ts'
import { err, ok, type Result } from '../lib/result.ts'
import { findPerson, ISSUER, type Person, principalOf } from './people.ts'
import type { SigningKey } from './signing-key.ts'

const ALGORITHM = 'EdDSA'
/** Whom ID and access tokens are for: the portal itself. */
export const PORTAL_AUDIENCE = 'portico'
const TOKEN_SECONDS = 60 * 60
const REFRESH_SECONDS = 10 * 60 * 60
const EXCHANGED_SECONDS = 10 * 60

type Use = 'id' | 'access' | 'refresh' | 'cluster'

export interface DemoIdentity extends IdentityProvider {
  signIn(person: Person): Promise<SignIn>
  /** Whose token for an audience this is. */
  authenticate(token: string, audience: string): Promise<Person | undefined>
  /** A token that `kubectl` shows a cluster. */
  clusterToken(person: Person, audience: string, seconds: number): Promise<string>
}

/** The demo's identity provider: JWTs (RFC 7519) of four people, without pages and without a network. */
export function createDemoIdentity(key: SigningKey, clock: Clock): DemoIdentity {
  /** Refresh tokens that were used: each is good for once. */
  const spent = new Set<string>()
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
      const use = uses.find((wanted) => wanted === payload['use'])
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
      const known = await verify(refreshToken, PORTAL_AUDIENCE, ['refresh'])
      if (known === undefined || spent.has(known.jti)) return err({ kind: 'identity_rejected' })
      spent.add(known.jti)
      return ok(await signIn(known.person))
    },

    async exchange(accessToken, audience) {
      const known = await verify(accessToken, PORTAL_AUDIENCE, ['access'])
      if (known === undefined) return err({ kind: 'identity_rejected' })
      const end = Math.min(known.exp, nowSeconds() + EXCHANGED_SECONDS)
      const token = await sign(known.person, 'cluster', audience, end)
      return ok({ token, expiresAt: end * 1000 })
    },

    async authenticate(token, audience) {
      return (await verify(token, audience, ['id', 'cluster']))?.person
    },

    clusterToken: (person, audience, seconds) =>
      sign(person, 'cluster', audience, nowSeconds() + seconds),
  }
}
