import { describe, expect, test } from 'bun:test'
import { ACCESS_TOKEN, type Claims, failed, openFakeIssuer, PROD, seconds } from './fake-issuer.ts'
import { byAnotherKey, byThePublicKey, changed, type Forge, FORGED, unsigned } from './forgeries.ts'

/** Found by the client library, which reads ID tokens first. */
const LIBRARY = 'OAUTH_JWT_CLAIM_COMPARISON_FAILED'
const SIGNATURE = 'ERR_JWS_SIGNATURE_VERIFICATION_FAILED'
const CLAIM = 'ERR_JWT_CLAIM_VALIDATION_FAILED'

type Forged = readonly [string, Forge, string]
type Claimed = readonly [string, () => Claims, string]

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

  test.each(FORGED)('%s', async (_, forge, reason) => {
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
