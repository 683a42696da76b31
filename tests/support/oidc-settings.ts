import type { OidcSettings } from '#src/lib/adapters/identity/oidc/index.ts'
import { systemClock } from '#src/lib/ports/clock.ts'
import { CLIENT } from '#tests/peers/oidc-provider.ts'

const PUBLIC_URL = new URL('https://portal.example.org')

/** Settings as the environment gives them by default, with a secret. */
export const oidcSettings = (issuer: string, over: Partial<OidcSettings> = {}): OidcSettings => ({
  issuer: new URL(issuer),
  clientId: CLIENT.id,
  clientSecret: CLIENT.secret,
  clientKey: null,
  clientKeyId: '',
  clientAuthentication: 'auto',
  scopes: ['openid', 'profile', 'email'],
  offlineScope: 'offline_access',
  prompt: '',
  acrValues: [],
  audiences: [],
  groupsClaim: ['groups'],
  groupsField: '',
  groupsFrom: 'id_token',
  files: () => ({ authorities: null, groupNames: new Map() }),
  publicUrl: PUBLIC_URL,
  clock: systemClock,
  ...over,
})
