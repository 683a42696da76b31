import { describe, expect, test } from 'bun:test'
import { reasonOf } from '#src/lib/adapters/secret-store/vault/answer.ts'
import { lacksKeys, refusalOf } from '#src/lib/adapters/secret-store/vault/login-refusal.ts'

const SETTINGS = { mount: 'THE_MOUNT', role: 'THE_ROLE', jwt: 'THE_JWT' }
const phraseOf = (...errors: unknown[]) => refusalOf({ json: { errors } }, SETTINGS)

/** Texts of OpenBao 2.7, of Vault, and of older plugins of both. */
describe('a refused login', () => {
  test.each([
    ['invalid role or secret ID', 'VAULT_ROLE_ID or the secret id'],
    ['missing secret_id', 'VAULT_ROLE_ID or the secret id'],
    ['source address "127.0.0.1" unauthorized by CIDR restrictions on the role', 'bound CIDRs'],
    ['request originated from invalid CIDR', 'bound CIDRs'],
    ['role "canary" could not be found', 'THE_ROLE is unknown'],
    ['role could not be found', 'THE_ROLE is unknown'],
    ['invalid role name "canary"', 'THE_ROLE is unknown'],
    ['role with oidc role_type is not allowed', 'is not of the type jwt'],
    ['could not load configuration', 'THE_MOUNT names is not configured'],
    [
      'error validating token: invalid audience (aud) claim: audience claim does not match',
      'bound_audiences',
    ],
    ['aud claim does not match any bound audience', 'bound_audiences'],
    ['audience claim found in JWT but no audiences bound to the role', 'bound_audiences'],
    [
      'error validating token: invalid expiration time (exp) claim: token is expired',
      'THE_JWT has expired',
    ],
    ['error validating signature: oidc: token is expired', 'THE_JWT has expired'],
    [
      'error validating token: invalid not before (nbf) claim: token not yet valid',
      'not valid yet',
    ],
    [
      'error validating token: invalid issued at (iat) claim: token issued in the future',
      'not valid yet',
    ],
    ['error validating token: invalid issuer (iss) claim', 'another issuer'],
    [
      'error validating signature: oidc: id token issued by a different provider, expected "canary" got "canary"',
      'another issuer',
    ],
    [
      'error validating token: error verifying token signature: no known key',
      'not signed by a key',
    ],
    ['error parsing token: compact JWS format must have three parts', 'not signed by a key'],
    ['error validating token: invalid subject (sub) claim', 'bound_subject'],
    [
      'error validating claims: claim "canary" does not match any associated bound claim values',
      'bound_claims',
    ],
    ['failed to fetch groups: "canary" claim not found in token', 'groups_claim'],
    ['service account name not authorized', 'service account'],
    ['namespace not authorized', 'service account'],
    ['namespace not found', 'VAULT_NAMESPACE'],
    ['no handler for route "canary/login". route entry not found.', 'VAULT_NAMESPACE'],
    ['permission denied', 'locked after failed logins'],
    ['permission denied', 'does not allow this address'],
    ['canary canary', 'locked after failed logins'],
  ])('%s', (text, phrase) => {
    expect(phraseOf(text)).toContain(phrase)
    expect(phraseOf(text)).not.toContain('canary')
    expect(lacksKeys({ json: { errors: [text] } })).toBe(false)
  })

  test.each([[undefined], [null], ['canary'], [{ errors: 'canary' }], [{ errors: [7, null, {}] }]])(
    'without a text: %j',
    (json) => {
      expect(refusalOf({ json }, SETTINGS)).toContain('without a reason')
      expect(lacksKeys({ json })).toBe(false)
    },
  )

  test.each([
    'error fetching jwks keyset: 500 Internal Server Error',
    'error configuring token validator: keyset configuration error: 500 Internal Server Error',
    'error validating token: error verifying token signature: fetching keys oidc: get keys failed',
    'error getting provider for login operation: Get "https://id.example.org": x509: certificate has expired',
  ])('without the keys of the provider: %s', (text) => {
    expect(lacksKeys({ json: { errors: [text] } })).toBe(true)
  })

  test('texts of a length that no store writes are looked at only in part', () => {
    const late = `${'x'.repeat(2_000)}: namespace not found`
    expect(phraseOf(late)).toContain('without a reason')
    expect(reasonOf({ json: { errors: [late] } })).toBeNull()
    const texts = Array.from({ length: 8 }, () => 'canary')
    expect(phraseOf(...texts, 'namespace not found')).toContain('without a reason')
  })
})
