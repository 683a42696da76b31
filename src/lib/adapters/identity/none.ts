import type { IdentityProvider } from '../../ports/identity.ts'
import { err, ok } from '../../result.ts'

const NOT_SET_UP = { kind: 'identity_error', reason: 'no identity provider is set up' } as const

const refuse = () => Promise.resolve(err(NOT_SET_UP))

/** For an installation without an identity provider: nobody can sign in, and no token can be renewed or exchanged. */
export const noIdentityProvider: IdentityProvider = {
  authorizationRequest: refuse,
  signIn: refuse,
  renew: refuse,
  exchange: refuse,
  logoutUrl: () => Promise.resolve(ok(null)),
  readLogoutToken: refuse,
  revoke: () => Promise.resolve(ok(undefined)),
  check: () =>
    Promise.resolve([{ ok: false, text: 'OIDC_ISSUER is not set: nobody can sign in.' }]),
}
