import { type OidcServerOptions, startOidcServer } from './oidc-provider-server.ts'

/** The provider as a process of its own: options as JSON in the first argument, its issuer as the first line of the output. */
const [, , options = ''] = process.argv
const { issuer } = await startOidcServer(JSON.parse(options) as OidcServerOptions)
console.log(issuer)
