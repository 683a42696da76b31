import type { VaultAnswer } from './answer.ts'
import { errorTexts } from './answer.ts'

/** Names of the settings that a login takes its facts from. */
export interface LoginSettings {
  readonly mount: string
  readonly role: string
  readonly jwt: string
}

/** Texts of Vault and OpenBao, which are almost the same, and our own phrases for them. The first that fits counts. */
const PHRASES: readonly (readonly [RegExp, (settings: LoginSettings) => string])[] = [
  [/source address|cidr/i, () => 'the role does not allow it from this address (bound CIDRs)'],
  [
    /invalid role or secret|invalid role_?id|secret.?id/i,
    () => 'VAULT_ROLE_ID or the secret id is wrong, or the secret id has ended',
  ],
  [
    /role\b.*could not be found|invalid role name|missing role/i,
    ({ role }) => `${role} is unknown to the auth method`,
  ],
  [
    /oidc role_type/i,
    ({ role }) => `the role that ${role} names is not of the type jwt (role_type)`,
  ],
  [/could not load/i, ({ mount }) => `the auth method that ${mount} names is not configured`],
  [/audience/i, ({ jwt }) => `the audience of ${jwt} is not one of the role (bound_audiences)`],
  [/expir|\(exp\)/i, ({ jwt }) => `${jwt} has expired`],
  [
    /not before|\(nbf\)|\(iat\)|issued at/i,
    ({ jwt }) => `${jwt} is not valid yet: a clock is wrong`,
  ],
  [
    /\(iss\)|issuer|issued by a different provider/i,
    ({ jwt }) => `${jwt} has another issuer than the auth method expects (bound_issuer)`,
  ],
  [
    /signature|three parts|malformed|parsing|known key/i,
    ({ jwt }) => `${jwt} is not signed by a key that the auth method trusts`,
  ],
  [
    /service account|namespace not authorized/i,
    () => 'the role does not allow this service account',
  ],
  [
    /claim|groups/i,
    ({ jwt }) =>
      `${jwt} lacks a claim that the role demands (bound_subject, bound_claims, user_claim, groups_claim)`,
  ],
  [
    /no handler for route|namespace not found/i,
    ({ mount }) => `VAULT_NAMESPACE or the auth method that ${mount} names does not exist`,
  ],
]

/** The method asks the identity provider for the keys of JWTs, and answers 400 when it does not get them. */
const WITHOUT_KEYS =
  /keyset configuration|jwks keyset|configuring token validator|fetching keys|getting provider/i

export const lacksKeys = (answer: Pick<VaultAnswer, 'json'>): boolean =>
  errorTexts(answer).some((text) => WITHOUT_KEYS.test(text))

/** A phrase for the operator about a refused login. Nothing of the answer is in it: stores quote what they are sent. */
export function refusalOf(answer: Pick<VaultAnswer, 'json'>, settings: LoginSettings): string {
  const texts = errorTexts(answer)
  const known = PHRASES.find(([pattern]) => texts.some((text) => pattern.test(text)))
  return known === undefined
    ? `the store refuses it without a reason: ${settings.mount} or VAULT_NAMESPACE is wrong, the auth method cannot verify it, or the role does not allow this address or is locked after failed logins`
    : known[1](settings)
}
