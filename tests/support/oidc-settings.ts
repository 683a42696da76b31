import type { OidcSettings } from '#src/lib/adapters/identity/oidc/index.ts'
import { systemClock } from '#src/lib/ports/clock.ts'
import { CLIENT } from '#tests/peers/oidc-provider.ts'

const PUBLIC_URL = new URL('https://portal.example.org')

/** Settings as the environment gives them by default, with a secret. */
export const oidcSettings = (issuer: string, over: Partial<OidcSettings> = {}): OidcSettings => ({
  OIDC_ISSUER: new URL(issuer),
  OIDC_CLIENT_ID: CLIENT.id,
  OIDC_CLIENT_SECRET: CLIENT.secret,
  OIDC_CLIENT_KEY: null,
  OIDC_CLIENT_KEY_ID: '',
  OIDC_CLIENT_AUTH: 'auto',
  OIDC_SCOPES: ['openid', 'profile', 'email'],
  OIDC_OFFLINE_SCOPE: 'offline_access',
  OIDC_PROMPT: '',
  OIDC_ACR_VALUES: [],
  OIDC_AUDIENCES: [],
  OIDC_GROUPS_CLAIM: ['groups'],
  OIDC_GROUPS_FIELD: '',
  OIDC_GROUPS_FROM: 'id_token',
  files: () => ({ authorities: null, groupNames: new Map() }),
  publicUrl: PUBLIC_URL,
  clock: systemClock,
  ...over,
})
