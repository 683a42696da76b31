import { jest } from 'bun:test'
import { type CryptoKey, exportJWK, generateKeyPair, SignJWT } from 'jose'
import {
  createOidcIdentityProvider,
  type OidcSettings,
} from '#src/lib/adapters/identity/oidc/index.ts'
import { err } from '#src/lib/result.ts'
import { tokensWith } from '#tests/contracts/identity.ts'
import { oidcSettings } from '#tests/support/oidc-settings.ts'
import { until } from '#tests/support/until.ts'

/** What a token says. Members that are undefined are left out. */
export type Claims = Readonly<Record<string, unknown>>
export type Answer = (request: Request) => Response | Promise<Response>

/** What was asked for at the token endpoint. */
export interface Asked {
  readonly form: Readonly<Record<string, string>>
  readonly authorization: string | null
}

export type FakeIssuer = Awaited<ReturnType<typeof openFakeIssuer>>

export const CLIENT_ID = 'portico'
/** Of whatever must not be in a failure. */
export const CANARY = 'canary-6f1d0a'
export const CLIENT_SECRET = `secret/${CANARY}`
export const REFRESH_TOKEN = `refresh-${CANARY}`
export const ACCESS_TOKEN = `access-${CANARY}`
export const PROD = 'urn:cluster:prod'

const newKey = async () => await generateKeyPair('ES256', { extractable: true })

/** Now, as it is written into tokens. */
export const seconds = () => Math.floor(Date.now() / 1000)

/** Our clock, so far ahead of that of the issuer. */
export function clockAhead(ahead = 0) {
  const clock = { ahead, now: () => Date.now() + clock.ahead }
  return clock
}

/** An OpenID Connect issuer on a socket that answers as it is told; by default as it should. */
export async function openFakeIssuer(settings: Partial<OidcSettings> = {}) {
  let key = { id: 'k1', ...(await newKey()) }
  const paths: string[] = []
  const asked: Asked[] = []
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: answer })
  const { url } = server
  const issuer = url.origin

  const claims = (over: Claims = {}) => ({
    iss: issuer,
    sub: 'ada',
    aud: CLIENT_ID,
    iat: seconds(),
    exp: seconds() + 300,
    ...over,
  })
  const sign = (over: Claims = {}, privateKey: CryptoKey = key.privateKey) =>
    new SignJWT(JSON.parse(JSON.stringify(claims(over))))
      .setProtectedHeader({ alg: 'ES256', kid: key.id })
      .sign(privateKey)

  const at = {
    url,
    issuer,
    paths,
    asked,
    claims,
    sign,
    publicKey: () => exportJWK(key.publicKey),
    privateKey: () => key.privateKey,
    /** Over what the document of the issuer says. */
    metadata: {} as Record<string, unknown>,
    /** Over what the token endpoint says. */
    tokens: {} as Record<string, unknown>,
    idToken: () => sign({ nonce: at.nonce }),
    /** Nonce of the authorization request that is being answered. */
    nonce: undefined as string | undefined,
    /** What UserInfo says. */
    userInfo: { sub: 'ada' } as Claims,
    exchanged: (audience: string) => sign({ aud: audience }),
    answers: {} as Record<string, Answer | undefined>,
    /** From now on another key signs, under this id. */
    async rotate(id: string) {
      key = { id, ...(await newKey()) }
    },
    identity: createOidcIdentityProvider(
      oidcSettings(issuer, {
        OIDC_CLIENT_ID: CLIENT_ID,
        OIDC_CLIENT_SECRET: CLIENT_SECRET,
        ...settings,
      }),
    ),
    /** Renews claims; why they could not be read after the provider gave new tokens is answered as the failure. */
    async refresh() {
      const renewed = await at.identity.renew(tokensWith(REFRESH_TOKEN))
      return renewed.ok || renewed.error.kind !== 'identity_claims_unread'
        ? renewed
        : err(renewed.error.failure)
    },
    exchange: () => at.identity.exchange(ACCESS_TOKEN, PROD),
    /** The outcome of a call whose request to the path gets no whole answer within the default deadline. */
    async late<Outcome>(path: string, call: () => Promise<Outcome>, hang: Answer = never) {
      const requests = () => paths.filter((each) => each === path).length
      const before = requests()
      at.answers[path] = hang
      jest.useFakeTimers()
      try {
        const outcome = call()
        await until(() => requests() > before)
        jest.advanceTimersByTime(DEADLINE_MS - 1)
        // Long enough for whatever has ended to be told.
        for (let turns = 0; turns < 20; turns++) await new Promise(setImmediate)
        if (Bun.peek.status(outcome) !== 'pending') throw new Error('it did not wait')
        jest.advanceTimersByTime(1)
        return await outcome
      } finally {
        jest.useRealTimers()
        at.answers[path] = undefined
      }
    },
    [Symbol.asyncDispose]: () => server.stop(true),
  }

  async function answer(request: Request): Promise<Response> {
    const { pathname } = new URL(request.url)
    paths.push(pathname)
    const told = at.answers[pathname]
    if (told !== undefined) return told(request)
    if (pathname === DISCOVERY) return Response.json(documentOf(issuer, at.metadata))
    if (pathname === JWKS) {
      return Response.json({ keys: [{ ...(await at.publicKey()), kid: key.id, alg: 'ES256' }] })
    }
    if (pathname === USERINFO) return Response.json(at.userInfo)
    const form = Object.fromEntries(new URLSearchParams(await request.text()))
    asked.push({ form, authorization: request.headers.get('authorization') })
    const own =
      form['grant_type'] !== TOKEN_EXCHANGE
        ? { access_token: ACCESS_TOKEN, id_token: await at.idToken() }
        : { access_token: await at.exchanged(form['audience'] ?? '') }
    return Response.json({ token_type: 'Bearer', expires_in: 300, ...own, ...at.tokens })
  }
  return at
}

/** How long a call of the identity provider may take when nobody says otherwise. */
const DEADLINE_MS = 5_000
const never: Answer = () => new Promise(() => {})

export const DISCOVERY = '/.well-known/openid-configuration'
export const JWKS = '/jwks'
export const TOKEN = '/token'
export const USERINFO = '/userinfo'
const TOKEN_EXCHANGE = 'urn:ietf:params:oauth:grant-type:token-exchange'

const documentOf = (issuer: string, over: object) => ({
  issuer,
  authorization_endpoint: `${issuer}/authorize`,
  token_endpoint: `${issuer}${TOKEN}`,
  jwks_uri: `${issuer}${JWKS}`,
  userinfo_endpoint: `${issuer}${USERINFO}`,
  response_types_supported: ['code'],
  subject_types_supported: ['public'],
  id_token_signing_alg_values_supported: ['ES256'],
  ...over,
})

export const failed = (reason: string) => ({
  ok: false as const,
  error: { kind: 'identity_error' as const, reason },
})
export const unreachable = { ok: false as const, error: { kind: 'identity_unreachable' as const } }
export const timeout = { ok: false as const, error: { kind: 'identity_timeout' as const } }
