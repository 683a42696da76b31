import { clearedSessionCookie } from '../../domain/access/sessions/session-cookie.ts'
import { signInAt, type SomeProblems } from '../problem-table.ts'

export const signInProblems = {
  session_required: { status: 401, title: 'Sign in first', members: signInAt },
  session_invalid: {
    status: 401,
    title: 'The session is not valid any more',
    members: signInAt,
    // The answer to a page's request may arrive after a sign-in in another tab, whose cookie it would remove.
    headers: (_, { secureCookies: secure, isFromScript }): Readonly<Record<string, string>> =>
      isFromScript ? {} : { 'set-cookie': clearedSessionCookie({ secure }) },
  },
  identity_not_renewable: {
    status: 401,
    code: 'session_stale',
    title: 'Sign in again for this: your groups cannot be checked without it. Reading still works',
    members: signInAt,
  },
  session_not_found: { status: 404, title: 'You have no such session' },
  identity_not_configured: {
    status: 503,
    title: 'This installation has no identity provider: its operator has to set OIDC_ISSUER',
  },
  identity_unreachable: { status: 503, title: 'The identity provider cannot be reached' },
  identity_timeout: { status: 504, title: 'The identity provider took too long' },
  identity_error: {
    status: 502,
    title: 'The identity provider gave an answer that cannot be used',
  },
  identity_rejected: {
    status: 502,
    code: 'identity_error',
    title: 'The identity provider gave an answer that cannot be used',
  },
  sign_in_refused: {
    status: 400,
    title: 'The identity provider did not sign you in',
    members: ({ error }) => ({ reason: error }),
  },
  sign_in_expired: {
    status: 400,
    title: 'This sign-in has expired, was completed already, or began in another browser',
  },
  sign_in_clock: {
    status: 400,
    title: 'The clocks of the portal and the identity provider do not agree',
  },
  sign_in_invalid: {
    status: 400,
    title: 'The answer of the identity provider does not belong to this sign-in',
  },
  logout_token_invalid: { status: 400, title: 'The logout token is not valid, or was used before' },
  logout_failed: {
    status: 400,
    title: 'The sessions could not be ended now; send the logout token again',
  },
} satisfies SomeProblems
