import { genericGrantRequest, randomPKCECodeVerifier } from 'openid-client'
import type { Clock } from '../../../ports/clock.ts'
import { type ConnectionFinding, fails, works } from '../../../ports/connection-finding.ts'
import type { IdentityFailure, IdentityProvider } from '../../../ports/identity.ts'
import { authenticationMethod, type ClientSettings } from './client-authentication.ts'
import type { Issuer, IssuerCall } from './issuer.ts'
import { CLOCK_TOLERANCE_SECONDS } from './verify.ts'

export interface CheckSettings extends ClientSettings {
  readonly issuer: URL
  readonly clientId: string
  readonly redirectUri: string
  readonly groupsFrom: 'id_token' | 'userinfo'
  readonly clock: Clock
}

const MADE_UP_CODE = 'made-up-by-config-check'
const DISCOVERY_PATH = '/.well-known/openid-configuration'

/** Tries the provider as far as it goes without a person. */
export function createCheck(
  issuer: Issuer,
  settings: CheckSettings,
): Pick<IdentityProvider, 'check'> {
  return {
    async check() {
      const href = asWritten(settings.issuer)
      const discovered = await issuer.ask((call) => Promise.resolve(call.metadata))
      if (!discovered.ok) return [failed(`The discovery document of ${href}`, discovered.error)]
      const trials = await Promise.all([
        issuer.ask((call) => keysFinding(call)).then(orFailed('The signing keys')),
        clientFinding(issuer, settings),
        issuer
          .ask((call) => clockFinding(call, settings))
          .then(orFailed('The clock of the provider')),
      ])
      return [
        works(`${href} is an OpenID Connect provider.`),
        ...trials,
        ...endpointFindings(discovered.value, settings),
        works(
          `Whether ${settings.redirectUri} is registered as redirect URI cannot be tried: compare it at the provider.`,
        ),
      ]
    },
  }
}

/** The URL of an origin ends with a slash that its issuer does not have. */
const asWritten = ({ href, origin, pathname }: URL): string => (pathname === '/' ? origin : href)

async function keysFinding({ loadKeys }: IssuerCall): Promise<ConnectionFinding> {
  const count = await loadKeys()
  return count > 0
    ? works(`The provider publishes ${count} signing ${count === 1 ? 'key' : 'keys'}.`)
    : fails('The provider publishes no signing keys: nobody can sign in.')
}

/** A code that never was is refused as such (`invalid_grant`) only after the client was authenticated (RFC 6749 §5.2). */
async function clientFinding(issuer: Issuer, settings: CheckSettings): Promise<ConnectionFinding> {
  let method = 'none'
  const asked = await issuer.ask(async ({ metadata, configuration }) => {
    method = authenticationMethod(settings, metadata)
    await genericGrantRequest(configuration, 'authorization_code', {
      code: MADE_UP_CODE,
      redirect_uri: settings.redirectUri,
      code_verifier: randomPKCECodeVerifier(),
    })
  })
  if (asked.ok) return fails('The provider accepts a code that it never issued.')
  const { error } = asked
  if (error.kind === 'identity_rejected') {
    return works(`The provider accepts the client ${settings.clientId} (${method}).`)
  }
  const isRefusal =
    error.kind === 'identity_error' &&
    /^(?:invalid_client|unauthorized_client|http_401)$/.test(error.reason)
  return isRefusal
    ? fails(
        `The provider refuses the client ${settings.clientId} (${method}): check OIDC_CLIENT_ID, its secret or key, and OIDC_CLIENT_AUTH.`,
      )
    : failed('The token endpoint', error)
}

/** By the `Date` header of the discovery document, which counts whole seconds. */
async function clockFinding(
  { fetch }: IssuerCall,
  { issuer, clock }: CheckSettings,
): Promise<ConnectionFinding> {
  const url = `${issuer.href.replace(/\/$/, '')}${DISCOVERY_PATH}`
  const { headers } = await fetch(url)
  const theirs = Date.parse(headers.get('date') ?? '')
  if (Number.isNaN(theirs)) return works('The provider does not tell its time.')
  const seconds = Math.round((clock.now() - theirs) / 1000)
  if (Math.abs(seconds) <= CLOCK_TOLERANCE_SECONDS) return works('The clocks agree.')
  const direction = seconds > 0 ? 'ahead of' : 'behind'
  return fails(
    `Our clock is ${Math.abs(seconds)} s ${direction} the provider's: sign-ins fail beyond ${CLOCK_TOLERANCE_SECONDS} s.`,
  )
}

function endpointFindings(
  metadata: IssuerCall['metadata'],
  { groupsFrom }: CheckSettings,
): readonly ConnectionFinding[] {
  const findings: ConnectionFinding[] = []
  if (metadata.authorization_endpoint === undefined) {
    findings.push(fails('The provider has no authorization endpoint: nobody can sign in.'))
  }
  if (groupsFrom === 'userinfo' && metadata.userinfo_endpoint === undefined) {
    findings.push(fails('OIDC_GROUPS_FROM is userinfo, and the provider has no UserInfo endpoint.'))
  }
  if (metadata.end_session_endpoint === undefined) {
    findings.push(
      works('The provider has no page to sign out at: signing out ends the session here only.'),
    )
  }
  if (metadata['backchannel_logout_supported'] !== true) {
    findings.push(
      works(
        'The provider does not announce back-channel logout: signing out there ends no session here.',
      ),
    )
  }
  return findings
}

const orFailed =
  (subject: string) =>
  (
    found:
      | { readonly ok: true; readonly value: ConnectionFinding }
      | { readonly ok: false; readonly error: IdentityFailure },
  ): ConnectionFinding =>
    found.ok ? found.value : failed(subject, found.error)

const failed = (subject: string, failure: IdentityFailure): ConnectionFinding =>
  fails(`${subject}: ${REASONS[failure.kind](failure)}.`)

const REASONS = {
  identity_not_configured: () => 'OIDC_ISSUER is not set',
  identity_unreachable: () => 'the provider cannot be reached; check the URL, DNS and the network',
  identity_timeout: () => 'the provider did not answer in time',
  identity_rejected: () => 'the provider refused',
  identity_error: (failure: IdentityFailure) =>
    failure.kind === 'identity_error' ? describe(failure.reason) : '',
} as const satisfies Record<IdentityFailure['kind'], (failure: IdentityFailure) => string>

function describe(reason: string): string {
  if (/CERT|SIGNATURE|SELF_SIGNED/.test(reason)) {
    return `the certificate is not trusted (${reason}); name its authority in OIDC_CA_FILE`
  }
  if (reason === 'OAUTH_JSON_ATTRIBUTE_COMPARISON_FAILED') {
    return 'the document names another issuer; OIDC_ISSUER must be its `issuer`, letter for letter'
  }
  return `the answer cannot be used (${reason})`
}
