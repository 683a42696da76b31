import { clearedSessionCookie } from '../../domain/access/sessions/session-cookie.ts'
import type { RequestContext } from '../request-context.ts'
import { row, signInAt, type SomeProblems } from '../problem-table.ts'

/** RFC 6750 §3, and RFC 9728 §5.1: where a client learns how to get a token. */
const challenge = ({ publicOrigin }: RequestContext, error: string): string =>
  `Bearer error="${error}", resource_metadata="${publicOrigin}/.well-known/oauth-protected-resource"`

export const signInProblems = {
  session_required: { status: 401, title: 'Sign in first', members: signInAt },
  session_invalid: {
    status: 401,
    title: 'The session is not valid any more',
    members: signInAt,
    // The answer to a page's request may arrive after a sign-in in another tab, whose cookie it would remove.
    headers: (_, { secureCookies: secure, isFromScript }): Readonly<Record<string, string>> =>
      isFromScript ? {} : { 'set-cookie': clearedSessionCookie(secure) },
  },
  ambiguous_credentials: row(400, 'Send a session cookie or an access token, not both'),
  token_invalid: {
    status: 401,
    title: 'The access token is not valid any more, or is not for this service',
    headers: (_, context) => ({ 'www-authenticate': challenge(context, 'invalid_token') }),
  },
  agent_token_required: {
    status: 401,
    code: 'token_invalid',
    title: 'An access token for this endpoint is needed',
    headers: (_, { publicOrigin }) => ({
      'www-authenticate': `Bearer resource_metadata="${publicOrigin}/.well-known/oauth-protected-resource/mcp", scope="catalog:read clusters:read"`,
    }),
  },
  insufficient_scope: {
    status: 403,
    title: 'The access token does not allow this',
    members: ({ scopes }) => ({ detail: `missing: ${scopes.join(' ')}`, scopes }),
    headers: ({ scopes }, context) => ({
      'www-authenticate': `${challenge(context, 'insufficient_scope')}, scope="${scopes.join(' ')}"`,
    }),
  },
  identity_not_renewable: {
    status: 401,
    code: 'session_stale',
    title: 'Sign in again for this: your groups cannot be checked without it. Reading still works',
    members: signInAt,
  },
  grant_not_found: row(404, 'You have no such grant'),
  client_unknown: row(400, 'This portal does not know the program', 'client_invalid'),
  client_unusable: row(
    400,
    'The metadata document of the program cannot be used',
    'client_invalid',
  ),
  redirect_uri_invalid: row(400, 'The answer may not be sent to that address'),
  authorization_repeated_parameter: row(400, 'The request names one thing twice', 'client_invalid'),
  consent_expired: row(400, 'This was answered already, or is too old; start again in the program'),
  session_not_found: row(404, 'You have no such session'),
  identity_not_configured: row(
    503,
    'This installation has no identity provider: its operator has to set OIDC_ISSUER',
  ),
  identity_unreachable: row(503, 'The identity provider cannot be reached'),
  identity_timeout: row(504, 'The identity provider took too long'),
  identity_error: row(502, 'The identity provider gave an answer that cannot be used'),
  identity_rejected: row(
    502,
    'The identity provider gave an answer that cannot be used',
    'identity_error',
  ),
  sign_in_refused: {
    status: 400,
    title: 'The identity provider did not sign you in',
    members: ({ error }) => ({ reason: error }),
  },
  sign_in_expired: row(
    400,
    'This sign-in has expired, was completed already, or began in another browser',
  ),
  sign_in_clock: row(400, 'The clocks of the portal and the identity provider do not agree'),
  sign_in_invalid: row(400, 'The answer of the identity provider does not belong to this sign-in'),
  logout_token_invalid: row(400, 'The logout token is not valid, or was used before'),
  logout_failed: row(400, 'The sessions could not be ended now; send the logout token again'),
} satisfies SomeProblems
