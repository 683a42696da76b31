import type { IdentityProvider } from '../../ports/identity.ts'
import { ok } from '../../result.ts'
import { type AdapterKind, adapterKind } from '../../settings/adapter-kind.ts'
import type { Environment } from '../../settings/setting.ts'
import type { IdentityMeans } from './means.ts'
import { noIdentityProvider } from './none.ts'
import { oidc } from './oidc-kind.ts'

export type { IdentityMeans }

const none = adapterKind({
  settings: {},
  open(_, { log }: IdentityMeans) {
    log.warn('OIDC_ISSUER is not set: nobody can sign in')
    return Promise.resolve(ok<IdentityProvider>(noIdentityProvider))
  },
})

/** The identity providers with settings, by the variable that chooses them. */
export const identityProviders = { OIDC_ISSUER: oidc } as const satisfies Record<
  string,
  AdapterKind<IdentityMeans, IdentityProvider>
>

/** The provider that the environment chooses by naming its issuer. */
export const chosenIdentityProvider = (
  environment: Environment,
): AdapterKind<IdentityMeans, IdentityProvider> =>
  environment['OIDC_ISSUER'] ? identityProviders.OIDC_ISSUER : none
