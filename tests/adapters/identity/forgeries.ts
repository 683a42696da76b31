import { base64url, generateKeyPair, SignJWT } from 'jose'
import type { Claims, FakeIssuer } from './fake-issuer.ts'

/** Makes a token with these claims that the issuer did not sign. */
export type Forge = (at: FakeIssuer, claims: Claims) => string | Promise<string>

/** A token with another header and no signature that could be good. */
const withHeader = (at: FakeIssuer, claims: Claims, header: object, signature = '') =>
  [JSON.stringify(header), JSON.stringify(at.claims(claims))]
    .map((part) => base64url.encode(part))
    .concat(signature)
    .join('.')

export const byAnotherKey: Forge = async (at, claims) =>
  at.sign(claims, (await generateKeyPair('ES256')).privateKey)
export const unsigned: Forge = (at, claims) => withHeader(at, claims, { alg: 'none' })
/** Signed with what everybody may know, as if it were a secret. */
export const byThePublicKey: Forge = async (at, claims) =>
  new SignJWT(at.claims(claims))
    .setProtectedHeader({ alg: 'HS256', kid: 'k1' })
    .sign(new TextEncoder().encode(JSON.stringify(await at.publicKey())))
export const changed: Forge = async (at, claims) => {
  const [header, , signature] = (await at.sign(claims)).split('.')
  const other = base64url.encode(JSON.stringify(at.claims({ ...claims, sub: 'eve' })))
  return [header, other, signature].join('.')
}

const SIGNATURE = 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED'

/** Forgeries of an ID token, and the code that each is refused with. */
export const FORGED: readonly (readonly [string, Forge, string])[] = [
  ['signed by somebody else', byAnotherKey, SIGNATURE],
  ['changed after it was signed', changed, SIGNATURE],
  ['not signed', unsigned, 'ERR_JOSE_NOT_SUPPORTED'],
  ['signed with the public key', byThePublicKey, 'ERR_JOSE_NOT_SUPPORTED'],
  [
    'by an unknown key',
    (at, claims) => withHeader(at, claims, { alg: 'ES256', kid: 'x' }, 'AA'),
    'ERR_JWKS_NO_MATCHING_KEY',
  ],
  ['that is none', () => 'x', 'OAUTH_INVALID_RESPONSE'],
  ['that is encrypted', () => 'a.b.c.d.e', 'OAUTH_UNSUPPORTED_OPERATION'],
]
