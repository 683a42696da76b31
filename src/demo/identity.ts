import { createLru } from '../lib/concurrency/lru.ts'
import { randomUUID } from 'node:crypto'
import { errors, jwtVerify, SignJWT } from 'jose'
import { callbackFault } from '../lib/adapters/identity/callback.ts'
import type { Clock } from '../lib/ports/clock.ts'
import type { IdentityProvider, SignIn } from '../lib/ports/identity.ts'
import { err, ok } from '../lib/result.ts'
import { findPerson, ISSUER, type Person, principalOf } from './people.ts'
import type { SigningKey } from './keys.ts'

const ALGORITHM = 'EdDSA'
/** Audience of ID and access tokens. */
export const PORTAL_AUDIENCE = 'portico'
const TOKEN_SECONDS = 60 * 60
const REFRESH_SECONDS = 10 * 60 * 60
const EXCHANGED_SECONDS = 10 * 60
const CODE_MS = 60_000
const CODES_MAX = 1_000
/** The demo's page that asks who to be; it leads back to the callback. */
const SIGN_IN_PAGE = '/dev/sign-in'

type Use = 'id' | 'access' | 'refresh' | 'cluster'

interface IssuedCode {
  readonly person: Person
  readonly state: string
  readonly until: number
}

export interface DemoIdentity extends IdentityProvider {
  /** Signs a person in without the pages of a provider. */
  signInAs(person: Person): Promise<SignIn>
  /** A code for the callback of the sign-in with this state. It can be used once, within a minute. */
  issueCode(person: Person, state: string): string
  /** The person whose token for this audience it is; undefined for tokens that are not valid. */
  authenticate(token: string, audience: string): Promise<Person | undefined>
  /** A token for the kubeconfig. */
  clusterToken(person: Person, audience: string, seconds: number): Promise<string>
}

/** The demo's identity provider: it signs JWTs (RFC 7519) for the demo's people. */
export function createDemoIdentity(key: SigningKey, clock: Clock): DemoIdentity {
  /** Used refresh tokens: each is valid once. */
  const usedTokenIds = new Set<string>()
  const codes = createLru<string, IssuedCode>(CODES_MAX)
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

  async function signInAs(person: Person): Promise<SignIn> {
    const end = nowSeconds() + TOKEN_SECONDS
    const [idToken, accessToken, refreshToken] = await Promise.all([
      sign(person, 'id', PORTAL_AUDIENCE, end),
      sign(person, 'access', PORTAL_AUDIENCE, end),
      sign(person, 'refresh', PORTAL_AUDIENCE, nowSeconds() + REFRESH_SECONDS),
    ])
    const expiresAt = end * 1000
    return {
      principal: principalOf(person),
      sid: null,
      tokens: { idToken, idTokenExpiresAt: expiresAt, accessToken, refreshToken, expiresAt },
    }
  }

  return {
    signInAs,

    issueCode(person, state) {
      const code = randomUUID()
      codes.set(code, { person, state, until: clock.now() + CODE_MS })
      return code
    },

    authorizationRequest() {
      const state = randomUUID()
      const url = `${SIGN_IN_PAGE}?state=${state}`
      const transaction = { state, nonce: randomUUID(), codeVerifier: randomUUID() }
      return Promise.resolve(ok({ url, transaction }))
    },

    async signIn(callback, { state }) {
      const fault = callbackFault(callback, ISSUER, state, true)
      if (fault !== null) return err(fault)
      const code = callback.get('code') ?? ''
      const issued = codes.get(code)
      codes.delete(code)
      const isCurrent = issued !== undefined && issued.state === state && clock.now() < issued.until
      return isCurrent ? ok(await signInAs(issued.person)) : err({ kind: 'sign_in_expired' })
    },

    async renew({ refreshToken }) {
      if (refreshToken === null) return err({ kind: 'identity_not_renewable' })
      const verified = await verify(refreshToken, PORTAL_AUDIENCE, ['refresh'])
      if (verified === undefined || usedTokenIds.has(verified.jti))
        return err({ kind: 'identity_rejected' })
      usedTokenIds.add(verified.jti)
      return ok(await signInAs(verified.person))
    },

    async exchange(accessToken, audience) {
      const verified = await verify(accessToken, PORTAL_AUDIENCE, ['access'])
      if (verified === undefined) return err({ kind: 'identity_rejected' })
      const end = Math.min(verified.exp, nowSeconds() + EXCHANGED_SECONDS)
      const token = await sign(verified.person, 'cluster', audience, end)
      return ok({ token, expiresAt: end * 1000 })
    },

    logoutUrl: () => Promise.resolve(ok(null)),

    readLogoutToken: () =>
      Promise.resolve(err({ kind: 'logout_token_invalid', reason: 'the demo sends none' })),

    async revoke(refreshToken) {
      const verified = await verify(refreshToken, PORTAL_AUDIENCE, ['refresh'])
      if (verified !== undefined) usedTokenIds.add(verified.jti)
      return ok(undefined)
    },

    check: () => Promise.resolve([{ ok: true, text: 'the demo is its own identity provider' }]),

    async authenticate(token, audience) {
      return (await verify(token, audience, ['id', 'cluster']))?.person
    },

    clusterToken: (person, audience, seconds) =>
      sign(person, 'cluster', audience, nowSeconds() + seconds),
  }
}
