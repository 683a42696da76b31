import { buildEndSessionUrl } from 'openid-client'
import type { JWTPayload } from 'jose'
import type { Clock } from '../../../ports/clock.ts'
import type { IdentityProvider, LogoutNotice, LogoutTokenFailure } from '../../../ports/identity.ts'
import { isObject } from '../../../text/json.ts'
import { identityFailure, InvalidToken, tokenFault } from './failure.ts'
import type { Issuer } from './issuer.ts'
import {
  isText,
  SESSION_ID_MAX_LENGTH,
  SUBJECT_MAX_LENGTH,
  checkIssuedAt,
  CLOCK_TOLERANCE_SECONDS,
} from './verify.ts'

/** Providers and proxies refuse long URLs. The hint is optional (RP-Initiated Logout 1.0 §2). */
const HINT_MAX_LENGTH = 4_000
const TOKEN_MAX_LENGTH = 64 * 1024
const TOKEN_ID_MAX_LENGTH = 1_024
const AGE_MAX_SECONDS = 5 * 60
const EVENT = 'http://schemas.openid.net/event/backchannel-logout'

/**
 * Ends of sessions: ours at the provider (RP-Initiated Logout 1.0), which then sends the browser to `postLogoutUri`, and the provider's here
 * (Back-Channel Logout 1.0).
 */
export function createLogout(
  issuer: Issuer,
  clientId: string,
  postLogoutUri: string,
  clock: Clock,
): Pick<IdentityProvider, 'logoutUrl' | 'readLogoutToken'> {
  return {
    logoutUrl: (idToken) =>
      issuer.ask(async ({ metadata, configuration, pageUrl }) => {
        if (metadata.end_session_endpoint === undefined) return null
        const isHint = idToken !== '' && idToken.length <= HINT_MAX_LENGTH
        const url = buildEndSessionUrl(configuration, {
          post_logout_redirect_uri: postLogoutUri,
          ...(isHint && { id_token_hint: idToken }),
        })
        return pageUrl(url)
      }),

    readLogoutToken: (token) =>
      issuer.ask(
        async ({ metadata, verifyFrom }) => {
          if (token.length > TOKEN_MAX_LENGTH) throw new InvalidToken('too_long')
          const { claims, typ } = await verifyFrom('anybody')(token, clientId, {
            requiredClaims: ['iat', 'jti'],
            // Hydra, Authentik before 2025.8.2 and Keycloak before 22.0.8 and 23.0.4 send no `exp`.
            lifetimeWithoutEnd: AGE_MAX_SECONDS,
          })
          if (!isLogoutType(typ)) throw new InvalidToken('typ')
          return noticeOf(claims, metadata.issuer, clientId, clock)
        },
        logoutTokenFailure,
        'anybody',
      ),
  }
}

function logoutTokenFailure(thrown: unknown): LogoutTokenFailure {
  const fault = tokenFault(thrown)
  return fault === null
    ? identityFailure(thrown)
    : { kind: 'logout_token_invalid', reason: fault.code }
}

/**
 * Back-Channel Logout 1.0 §2.4 only recommends a type, and Hydra, Authentik and older Keycloak do without. Their ID tokens have the same
 * type or none, so that it is the claim `events`, and no `nonce`, that makes a token a logout token.
 */
const isLogoutType = (typ: unknown): boolean =>
  typ === undefined ||
  (typeof typ === 'string' && /^(?:application\/)?(?:logout\+jwt|jwt)$/i.test(typ))

/** Checks the claims of a verified logout token (Back-Channel Logout 1.0 §2.6). */
function noticeOf(
  claims: JWTPayload,
  issuer: string,
  clientId: string,
  clock: Clock,
): LogoutNotice {
  const { iat = 0, exp = Number.POSITIVE_INFINITY, jti, aud, events } = claims
  checkIssuedAt(claims, clock)
  const endSeconds = Math.min(exp, iat + AGE_MAX_SECONDS) + CLOCK_TOLERANCE_SECONDS
  if (endSeconds <= clock.now() / 1000) throw new InvalidToken('too_old')
  if ([aud].flat().some((one) => one !== clientId)) throw new InvalidToken('other_audiences')
  if (!isObject(events) || !Object.hasOwn(events, EVENT) || !isObject(events[EVENT])) {
    throw new InvalidToken('other_event')
  }
  if (Object.hasOwn(claims, 'nonce')) throw new InvalidToken('nonce')
  const subject = textOf(claims.sub, 'sub', SUBJECT_MAX_LENGTH)
  const sid = textOf(claims['sid'], 'sid', SESSION_ID_MAX_LENGTH)
  if (subject === null && sid === null) throw new InvalidToken('no_session')
  if (!isText(jti, TOKEN_ID_MAX_LENGTH)) throw new InvalidToken('jti')
  return { issuer, subject, sid, tokenId: jti, expiresAt: Math.ceil(endSeconds * 1000) }
}

function textOf(claim: unknown, name: string, maxLength: number): string | null {
  if (claim === undefined) return null
  if (!isText(claim, maxLength)) throw new InvalidToken(name)
  return claim
}
