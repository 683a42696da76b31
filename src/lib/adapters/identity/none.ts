import { fails } from '../../ports/connection-finding.ts'
import type { IdentityProvider } from '../../ports/identity.ts'
import { err, ok } from '../../result.ts'

const refuse = () => Promise.resolve(err({ kind: 'identity_not_configured' } as const))

/** For an installation without an identity provider: nobody can sign in, and no token can be renewed or exchanged. */
export const noIdentityProvider: IdentityProvider = {
  authorizationRequest: refuse,
  signIn: refuse,
  renew: refuse,
  exchange: refuse,
  logoutUrl: () => Promise.resolve(ok(null)),
  readLogoutToken: refuse,
  revoke: () => Promise.resolve(ok(undefined)),
  check: () => Promise.resolve([fails('OIDC_ISSUER is not set: nobody can sign in.')]),
}
