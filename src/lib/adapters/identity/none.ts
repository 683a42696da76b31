import type { IdentityProvider } from '../../ports/identity.ts'
import { err } from '../../result.ts'

const NOT_SET_UP = { kind: 'identity_error', reason: 'no identity provider is set up' } as const

/** For an installation without an identity provider: no token can be renewed or exchanged. */
export const noIdentityProvider: IdentityProvider = {
  refresh: () => Promise.resolve(err(NOT_SET_UP)),
  exchange: () => Promise.resolve(err(NOT_SET_UP)),
}
