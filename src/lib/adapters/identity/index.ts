import type { IdentityProvider } from '../../ports/identity.ts'
import { noIdentityProvider } from './none.ts'
import type { OidcSettings } from './oidc/index.ts'

/** Loads the OpenID Connect client only when a provider is configured. */
export async function openIdentityProvider(
  settings: OidcSettings | null,
): Promise<IdentityProvider> {
  if (settings === null) return noIdentityProvider
  const { createOidcIdentityProvider } = await import('./oidc/index.ts')
  return createOidcIdentityProvider(settings)
}
