import type { IdentityProvider } from '../../ports/identity.ts'
import { err, ok, type Result } from '../../result.ts'
import { adapterKind } from '../../settings/adapter-kind.ts'
import { absolutePath, claimPath, issuer, list, oneOf, text } from '../../settings/parsers.ts'
import {
  optionalSetting,
  setting,
  type SettingMistake,
  type SettingValues,
} from '../../settings/setting.ts'
import { clientKey } from './oidc/client-key.ts'
import type { Log } from '../../logging/log.ts'
import type { Clock } from '../../ports/clock.ts'

/** The means that every identity provider is opened with, besides its own settings. */
export interface IdentityMeans {
  /** The portal's own URL, where the provider leads people back to. */
  readonly publicUrl: URL
  readonly clock: Clock
  readonly log: Pick<Log['events'], 'info' | 'warn' | 'error'>
  /** Aborted when the service closes. */
  readonly signal: AbortSignal
}

const words = (input: string): readonly string[] => input.split(/\s+/).filter(Boolean)

const scopes = (input: string): Result<readonly string[], string> => {
  const names = words(input)
  const areScopes = names.every((name) => /^[\x21\x23-\x5b\x5d-\x7e]{1,256}$/.test(name))
  return areScopes && names.includes('openid')
    ? ok(names)
    : err('must be scopes separated by spaces, including `openid`')
}

const prompts = (input: string): Result<string, string> => {
  const names = words(input)
  return names.every((name) => ['login', 'consent', 'select_account'].includes(name))
    ? ok(names.join(' '))
    : err('must be `login`, `consent` or `select_account`, separated by spaces')
}

export const oidcSettings = {
  OIDC_ISSUER: setting({
    description:
      'Issuer URL of the OpenID Connect provider. Must be https, except on the loopback interface. Without it nobody can sign in, and the other settings of this table are ignored',
    example: 'https://id.example.org/realms/acme',
    parse: issuer,
  }),
  OIDC_CLIENT_ID: setting({
    description: 'Client id of this service at the provider',
    example: 'portico',
    parse: text(/^[\x21-\x7e]{1,256}$/, '1 to 256 printable characters without spaces'),
  }),
  OIDC_CLIENT_SECRET: setting({
    description: 'Client secret; without it and without a key this service is a public client',
    example: '(as the provider shows it)',
    fallback: '',
    secret: true,
    parse: text(/^[\x20-\x7e]{0,1024}$/, 'at most 1024 printable characters'),
  }),
  OIDC_CLIENT_AUTH: setting({
    description:
      'How this service authenticates to the provider. `auto`: with the key if there is one, else with the secret, in a way that the discovery document offers',
    example: 'client_secret_post',
    fallback: 'auto',
    parse: oneOf('auto', 'client_secret_basic', 'client_secret_post', 'private_key_jwt', 'none'),
  }),
  OIDC_CLIENT_KEY: optionalSetting({
    description:
      'Private key for `private_key_jwt`: PKCS#8 PEM of an RSA key of at least 2048 bits, or of an EC key on P-256, P-384 or P-521',
    example: '(openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256)',
    secret: true,
    parse: clientKey,
  }),
  OIDC_CLIENT_KEY_ID: setting({
    description: 'Key id (`kid`) of OIDC_CLIENT_KEY at the provider, where it asks for one',
    example: 'portico-2026',
    fallback: '',
    parse: text(/^[\x21-\x7e]{0,256}$/, 'at most 256 printable characters without spaces'),
  }),
  OIDC_CA_FILE: optionalSetting({
    description:
      'PEM file of the certificate authorities of the provider, in place of the public ones and for this provider alone. Read again when it changes',
    example: '/etc/portico/identity-ca.pem',
    production: true,
    parse: absolutePath,
  }),
  OIDC_SCOPES: setting({
    description: 'Scopes to ask for. Most providers need `offline_access` for refresh tokens',
    example: 'openid profile email offline_access groups',
    fallback: 'openid profile email',
    parse: scopes,
  }),
  OIDC_OFFLINE_SCOPE: setting({
    description:
      'Scope to ask for in addition when a person allows a program to act for them, for a refresh token of its own. Without it, or where the provider does not list it, what people allow ends with the refresh token that it gives, or with their session',
    fallback: 'offline_access',
    parse: text(/^[\x21\x23-\x5b\x5d-\x7e]{0,256}$/, 'a scope'),
  }),
  OIDC_PROMPT: setting({
    description:
      'What the provider asks people at each sign-in: `login`, `consent`, `select_account`, separated by spaces; empty leaves it to the provider',
    example: 'select_account',
    fallback: '',
    parse: prompts,
  }),
  OIDC_ACR_VALUES: setting({
    description:
      'Accepted authentication context classes, separated by spaces, the preferred one first. The ID token must name one of them as `acr`',
    example: 'urn:acme:mfa',
    fallback: '',
    parse: (input) => ok(words(input)),
  }),
  OIDC_AUDIENCES: setting({
    description:
      'Further audiences: sent as `audience`, and accepted in the ID token besides the client id',
    example: 'https://api.example.org',
    fallback: '',
    parse: list(text(/^[\x21-\x7e]{1,256}$/, 'audiences of printable characters')),
  }),
  OIDC_GROUPS_CLAIM: setting({
    description:
      'Path of the groups claim: claim names separated by dots; a name that contains a dot is put in double quotes',
    example: 'realm_access.roles',
    fallback: 'groups',
    parse: claimPath,
  }),
  OIDC_GROUPS_FIELD: setting({
    description: 'Field with the name of a group, where the claim lists objects',
    example: 'name',
    fallback: '',
    parse: text(/^[\w:@$./-]{0,256}$/, 'the name of a field'),
  }),
  OIDC_GROUPS_FROM: setting({
    description: 'Where the provider puts the groups claim: in the ID token or in UserInfo',
    example: 'userinfo',
    fallback: 'id_token',
    parse: oneOf('id_token', 'userinfo'),
  }),
  GROUPS_FILE: optionalSetting({
    description:
      'YAML file that maps groups of the provider, by name or id, to groups of the portal; others keep their names. Read again when it changes',
    example: '/etc/portico/groups.yaml',
    production: true,
    parse: absolutePath,
  }),
}

export type OidcValues = SettingValues<typeof oidcSettings>

/** An OpenID Connect provider and its settings. */
export const oidc = adapterKind({
  settings: oidcSettings,
  mistakes: ({ OIDC_CLIENT_AUTH, OIDC_CLIENT_SECRET, OIDC_CLIENT_KEY }) => {
    const missing = (variable: string, example: string): readonly SettingMistake[] => [
      { variable, reason: `is missing beside OIDC_CLIENT_AUTH=${OIDC_CLIENT_AUTH}`, example },
    ]
    const needsSecret = OIDC_CLIENT_AUTH.startsWith('client_secret')
    if (needsSecret && OIDC_CLIENT_SECRET === '') {
      return missing('OIDC_CLIENT_SECRET', '(as the provider shows it)')
    }
    if (OIDC_CLIENT_AUTH === 'private_key_jwt' && OIDC_CLIENT_KEY === null) {
      return missing('OIDC_CLIENT_KEY', '(openssl genpkey …)')
    }
    return []
  },
  async open(
    values,
    { publicUrl, clock, log, signal }: IdentityMeans,
  ): Promise<Result<IdentityProvider, string>> {
    const { watchOidcFiles, createOidcIdentityProvider } = await import('./oidc/index.ts')
    const files = watchOidcFiles({
      ca: values.OIDC_CA_FILE,
      groups: values.GROUPS_FILE,
      clock,
      log,
      signal,
    })
    if (!files.ok) return err(files.error.join('\n'))
    return ok(createOidcIdentityProvider({ ...values, files: files.value, publicUrl, clock }))
  },
})
