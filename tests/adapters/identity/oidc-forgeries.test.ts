import { describe, expect, test } from 'bun:test'
import { base64url, generateKeyPair, SignJWT } from 'jose'
import {
  ACCESS_TOKEN,
  type Claims,
  failed,
  type FakeIssuer,
  openFakeIssuer,
  PROD,
} from './fake-issuer.ts'

const seconds = () => Math.floor(Date.now() / 1000)

/** Found by the client library, which reads ID tokens first. */
const LIBRARY = 'OAUTH_JWT_CLAIM_COMPARISON_FAILED'
const SIGNATURE = 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED'
const CLAIM = 'ERR_JWT_CLAIM_VALIDATION_FAILED'

/** A token with another header and no signature that could be good. */
const withHeader = (at: FakeIssuer, claims: Claims, header: object, signature = '') =>
  [JSON.stringify(header), JSON.stringify(at.claims(claims))]
    .map((part) => base64url.encode(part))
    .concat(signature)
    .join('.')

type Forge = (at: FakeIssuer, claims: Claims) => string | Promise<string>
type Forged = readonly [string, Forge, string]
type Claimed = readonly [string, () => Claims, string]

const byAnotherKey: Forge = async (at, claims) =>
  at.sign(claims, (await generateKeyPair('ES256')).privateKey)
const unsigned: Forge = (at, claims) => withHeader(at, claims, { alg: 'none' })
/** Signed with what everybody may know, as if it were a secret. */
const byThePublicKey: Forge = async (at, claims) =>
  new SignJWT(at.claims(claims))
    .setProtectedHeader({ alg: 'HS256', kid: 'k1' })
    .sign(new TextEncoder().encode(JSON.stringify(await at.publicKey())))
const changed: Forge = async (at, claims) => {
  const [header, , signature] = (await at.sign(claims)).split('.')
  const other = base64url.encode(JSON.stringify(at.claims({ ...claims, sub: 'eve' })))
  return [header, other, signature].join('.')
}

/** Whoever makes the document may list any algorithm: it is not what decides. */
const ANY_ALGORITHM = {
  id_token_signing_alg_values_supported: ['none', 'HS256', 'ES256'],
}

describe('an ID token is not taken', () => {
  test.each<Claimed>([
    ['from another issuer', () => ({ iss: 'https://id.example.org' }), LIBRARY],
    ['for another client', () => ({ aud: 'other' }), LIBRARY],
    ['for another party', () => ({ aud: ['portico', 'other'], azp: 'other' }), LIBRARY],
    ['after its end', () => ({ exp: seconds() - 60 }), 'ERR_JWT_EXPIRED'],
    ['right after its end', () => ({ exp: seconds() - 5 }), 'token_expired'],
    ['without an end', () => ({ exp: undefined }), 'OAUTH_INVALID_RESPONSE'],
    ['long before its time', () => ({ nbf: seconds() + 90 }), CLAIM],
    ['of nobody', () => ({ sub: undefined }), 'OAUTH_INVALID_RESPONSE'],
    ['of somebody without a name', () => ({ sub: '' }), 'no_subject'],
    ['of a number', () => ({ sub: 7 }), 'OAUTH_INVALID_RESPONSE'],
  ])('%s', async (_, claims, reason) => {
    await using at = await openFakeIssuer()
    at.idToken = () => at.sign(claims())
    expect(await at.refresh()).toStrictEqual(failed(reason))
  })

  test.each<Forged>([
    ['signed by somebody else', byAnotherKey, SIGNATURE],
    ['changed after it was signed', changed, SIGNATURE],
    ['not signed', unsigned, 'ERR_JOSE_NOT_SUPPORTED'],
    ['signed with the public key', byThePublicKey, 'ERR_JOSE_NOT_SUPPORTED'],
    [
      'by an unknown key',
      (at) => withHeader(at, {}, { alg: 'ES256', kid: 'x' }, 'AA'),
      'ERR_JWKS_NO_MATCHING_KEY',
    ],
    ['that is none', async () => 'x', 'OAUTH_INVALID_RESPONSE'],
    ['that is encrypted', async () => 'a.b.c.d.e', 'OAUTH_UNSUPPORTED_OPERATION'],
  ])('%s', async (_, forge, reason) => {
    await using at = await openFakeIssuer()
    at.metadata = ANY_ALGORITHM
    at.idToken = async () => forge(at, {})
    expect(await at.refresh()).toStrictEqual(failed(reason))
  })
})

describe('an exchanged token is not taken', () => {
  test.each<Claimed>([
    ['from another issuer', () => ({ iss: 'https://id.example.org' }), CLAIM],
    ['for another audience', () => ({ aud: 'other' }), CLAIM],
    ['for the portal', () => ({ aud: 'portico' }), CLAIM],
    ['for one more audience', () => ({ aud: [PROD, 'portico'] }), 'other_audiences'],
    ['for nobody', () => ({ aud: [] }), CLAIM],
    ['without an audience', () => ({ aud: undefined }), CLAIM],
    ['right after its end', () => ({ exp: seconds() - 5 }), 'token_expired'],
    ['without an end', () => ({ exp: undefined }), 'token_expired'],
    ['long before its time', () => ({ nbf: seconds() + 90 }), CLAIM],
  ])('%s', async (_, claims, reason) => {
    await using at = await openFakeIssuer()
    at.exchanged = (audience) => at.sign({ aud: audience, ...claims() })
    expect(await at.exchange()).toStrictEqual(failed(reason))
  })

  test.each<Forged>([
    ['signed by somebody else', byAnotherKey, SIGNATURE],
    ['changed after it was signed', changed, SIGNATURE],
    ['not signed', unsigned, 'ERR_JOSE_NOT_SUPPORTED'],
    ['signed with the public key', byThePublicKey, 'ERR_JOSE_NOT_SUPPORTED'],
    ['that no API server can read', async () => ACCESS_TOKEN, 'ERR_JWS_INVALID'],
  ])('%s', async (_, forge, reason) => {
    await using at = await openFakeIssuer()
    at.exchanged = async (audience) => forge(at, { aud: audience })
    expect(await at.exchange()).toStrictEqual(failed(reason))
  })
})
