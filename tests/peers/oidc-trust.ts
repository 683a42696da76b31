import { createOidcIdentityProvider } from '#src/lib/adapters/identity/oidc/index.ts'
import { oidcSettings } from '#tests/support/oidc-settings.ts'

/** Prints whether a provider is trusted: by the authorities of this process, and by those of OIDC_CA_FILE. */
const [, , issuer = '', authority = ''] = process.argv

const outcomeWith = async (authorities: string | null) => {
  const files = () => ({ authorities, groupNames: new Map() })
  const identity = createOidcIdentityProvider(oidcSettings(issuer, { files }))
  const request = await identity.authorizationRequest()
  return request.ok ? 'trusted' : JSON.stringify(request.error)
}

console.log(JSON.stringify([await outcomeWith(null), await outcomeWith(authority)]))
