import { genericGrantRequest, randomPKCECodeVerifier } from 'openid-client'
import { certificateFault, isRefusedCertificate } from '../../../outbound/connection-codes.ts'
import { type ConnectionFinding, fails, works } from '../../../ports/connection-finding.ts'
import type { IdentityFailure, IdentityProvider } from '../../../ports/identity.ts'
import { authenticationMethod } from './client-authentication.ts'
import type { OidcSettings } from './settings.ts'
import type { Issuer, IssuerCall } from './issuer.ts'

const MADE_UP_CODE = 'made-up-by-config-check'

/** Tries the provider as far as it goes without a person. */
export function createCheck(
  issuer: Issuer,
  settings: OidcSettings,
  redirectUri: string,
): Pick<IdentityProvider, 'check'> {
  return {
    async check() {
      const href = issuerText(settings.OIDC_ISSUER)
      const discovered = await issuer.ask((call) => Promise.resolve(call.metadata))
      if (!discovered.ok)
        return [failureFinding(`The discovery document of ${href}`, discovered.error)]
      const trials = await Promise.all([
        keysFinding(issuer),
        clientFinding(issuer, settings, redirectUri),
      ])
      return [
        works(`${href} is an OpenID Connect provider.`),
        ...trials,
        ...endpointFindings(discovered.value, settings),
        works(
          `Whether ${redirectUri} is registered as redirect URI cannot be tried: compare it at the provider.`,
        ),
      ]
    },
  }
}

/** The URL of an origin ends with a slash that its issuer does not have. */
const issuerText = ({ href, origin, pathname }: URL): string => (pathname === '/' ? origin : href)

async function keysFinding(issuer: Issuer): Promise<ConnectionFinding> {
  const loaded = await issuer.ask(({ loadKeys }) => loadKeys())
  if (!loaded.ok) return failureFinding('The signing keys', loaded.error)
  return loaded.value > 0
    ? works(
        `The provider publishes ${loaded.value} signing ${loaded.value === 1 ? 'key' : 'keys'}.`,
      )
    : fails('The provider publishes no signing keys: nobody can sign in.')
}

/** The provider authenticates the client before it refuses a made-up code with `invalid_grant` (RFC 6749 §5.2). */
async function clientFinding(
  issuer: Issuer,
  settings: OidcSettings,
  redirectUri: string,
): Promise<ConnectionFinding> {
  let method = 'none'
  const asked = await issuer.ask(async ({ metadata, configuration }) => {
    method = authenticationMethod(settings, metadata)
    await genericGrantRequest(configuration, 'authorization_code', {
      code: MADE_UP_CODE,
      redirect_uri: redirectUri,
      code_verifier: randomPKCECodeVerifier(),
    })
  })
  if (asked.ok) return fails('The provider accepts a code that it never issued.')
  const { error } = asked
  if (error.kind === 'identity_rejected') {
    return works(`The provider accepts the client ${settings.OIDC_CLIENT_ID} (${method}).`)
  }
  // Zitadel answers so for a code that it cannot decrypt, and others before they look at the client.
  if (error.kind === 'identity_error' && error.reason === 'invalid_request') {
    return works(
      `Whether the provider accepts the client ${settings.OIDC_CLIENT_ID} (${method}) only a sign-in shows: it does not look at a made-up code.`,
    )
  }
  const isRefusal =
    error.kind === 'identity_error' &&
    /^(?:invalid_client|unauthorized_client|http_401)$/.test(error.reason)
  return isRefusal
    ? fails(
        `The provider refuses the client ${settings.OIDC_CLIENT_ID} (${method}): check OIDC_CLIENT_ID, its secret or key, and OIDC_CLIENT_AUTH.`,
      )
    : failureFinding('The token endpoint', error)
}

function endpointFindings(
  metadata: IssuerCall['metadata'],
  { OIDC_GROUPS_FROM: groupsFrom }: OidcSettings,
): readonly ConnectionFinding[] {
  const isMissing = (name: keyof IssuerCall['metadata']) => metadata[name] === undefined
  return [
    ...(isMissing('authorization_endpoint')
      ? [fails('The provider has no authorization endpoint: nobody can sign in.')]
      : []),
    ...(groupsFrom === 'userinfo' && isMissing('userinfo_endpoint')
      ? [fails('OIDC_GROUPS_FROM is userinfo, and the provider has no UserInfo endpoint.')]
      : []),
    ...(isMissing('end_session_endpoint')
      ? [works('The provider has no page to sign out at: signing out ends the session here only.')]
      : []),
    ...(metadata['backchannel_logout_supported'] === true
      ? []
      : [works('No back-channel logout is announced: signing out there ends no session here.')]),
  ]
}

const failureFinding = (subject: string, failure: IdentityFailure): ConnectionFinding =>
  fails(`${subject}: ${failureText(failure)}.`)

function failureText(failure: IdentityFailure): string {
  switch (failure.kind) {
    case 'identity_not_configured':
      return 'OIDC_ISSUER is not set'
    case 'identity_unreachable':
      return 'the provider cannot be reached; check the URL, DNS and the network'
    case 'identity_timeout':
      return 'the provider did not answer in time'
    case 'identity_rejected':
      return 'the provider refused'
    case 'identity_error':
      return describe(failure.reason)
  }
}

function describe(reason: string): string {
  if (isRefusedCertificate(reason)) {
    return `the certificate ${certificateFault(reason, 'OIDC_CA_FILE must name the one that signed it')}`
  }
  if (reason === 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED') {
    return 'the document names another issuer; OIDC_ISSUER must be its `issuer`, letter for letter'
  }
  if (reason === 'http_404') {
    return 'there is nothing at that address (404); check OIDC_ISSUER, its path included'
  }
  const [, status] = /^http_(\d{3})$/.exec(reason) ?? []
  if (status !== undefined) return `the provider answers ${status}; its log may say why`
  if (reason === 'EPROTO') return 'the provider does not speak TLS there; check scheme and port'
  return `the answer cannot be used (${reason})`
}
