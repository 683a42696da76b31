import type { IdentityProvider } from '../../ports/identity.ts'
import { noIdentityProvider } from './none.ts'
import type { OidcSettings } from './oidc/index.ts'

/** The identity provider that is set up, and loaded only then. */
export async function openIdentityProvider(
  settings: OidcSettings | null,
): Promise<IdentityProvider> {
  if (settings === null) return noIdentityProvider
  const { createOidcIdentityProvider } = await import('./oidc/index.ts')
  return createOidcIdentityProvider(settings)
}
