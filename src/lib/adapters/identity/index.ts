import { lazily } from '../../concurrency/lazily.ts'
import type { Clock } from '../../ports/clock.ts'
import type { IdentityProvider } from '../../ports/identity.ts'
import type { WorkloadTokens } from '../../ports/workload-tokens.ts'
import { ok } from '../../result.ts'
import { type AdapterKind, adapterKind } from '../../settings/adapter-kind.ts'
import type { Environment } from '../../settings/setting.ts'
import { type IdentityMeans, oidc } from './oidc-kind.ts'
import { noIdentityProvider } from './none.ts'

export { type IdentityMeans, oidc }

const none = adapterKind({
  settings: {},
  open(_, { log }: IdentityMeans) {
    log.warn('OIDC_ISSUER is not set: nobody can sign in')
    return Promise.resolve(ok<IdentityProvider>(noIdentityProvider))
  },
})

/** The provider that the environment chooses by naming its issuer. */
export const chosenIdentityProvider = (
  environment: Environment,
): AdapterKind<IdentityMeans, IdentityProvider> => (environment['OIDC_ISSUER'] ? oidc : none)

/** Loads its libraries with the first token. */
export function openWorkloadTokens(clock: Clock): WorkloadTokens {
  const opened = lazily(async () => {
    const { createWorkloadTokens } = await import('./oidc/workload-tokens.ts')
    return createWorkloadTokens(clock)
  })
  return { verify: async (...token) => (await opened()).verify(...token) }
}
