import type { JWTPayload } from 'jose'
import { fetchUserInfo, type TokenEndpointResponse } from 'openid-client'
import type { IdentityTokens, Principal } from '../../../ports/identity.ts'
import { groupsOf } from './groups.ts'
import { InvalidToken } from './failure.ts'
import type { OidcSettings } from './settings.ts'
import type { IssuerCall } from './issuer.ts'
import {
  isText,
  SESSION_ID_MAX_LENGTH,
  SUBJECT_MAX_LENGTH,
  timeOf,
  type VerifiedToken,
} from './verify.ts'

/** Claims of a verified ID token. */
export type Claims = Readonly<JWTPayload>

/** Verifies an ID token of the issuer. Its audiences are this client and, at most, those of the settings (Core 1.0 §3.1.3.7). */
export async function verifyIdToken(
  { verifyFrom }: Pick<IssuerCall, 'verifyFrom'>,
  idToken: string,
  { OIDC_CLIENT_ID: clientId, OIDC_AUDIENCES: audiences }: OidcSettings,
): Promise<VerifiedToken> {
  const verified = await verifyFrom('issuer')(idToken, clientId)
  const { aud, azp } = verified.claims
  const isForOthers = [aud].flat().some((one) => one !== clientId && !audiences.includes(one ?? ''))
  if (isForOthers || (azp !== undefined && azp !== clientId)) {
    throw new InvalidToken('other_audiences')
  }
  return verified
}

/** UserInfo of the person of an ID token: the library refuses another `sub` (Core 1.0 §5.3.2). */
export async function userInfo(
  { configuration }: Pick<IssuerCall, 'configuration'>,
  accessToken: string,
  { sub }: Claims,
): Promise<Claims> {
  if (!isSubject(sub)) throw new InvalidToken('no_subject')
  return await fetchUserInfo(configuration, accessToken, sub)
}

/** The person whom an ID token describes. Claims of UserInfo take precedence, and groups come from it alone if it is given. */
export function principalOf(
  claims: Claims,
  fromUserInfo: Claims | null,
  settings: OidcSettings,
): Principal {
  const { iss: issuer, sub: subject } = claims
  if (issuer === undefined || !isSubject(subject)) throw new InvalidToken('no_subject')
  const all: Readonly<Record<string, unknown>> = { ...claims, ...fromUserInfo }
  const name = [all['name'], all['preferred_username']].find(isShown) ?? subject
  const email = isShown(all['email']) ? all['email'] : null
  const groups = groupsOf(fromUserInfo ?? claims, settings, settings.files().groupNames)
  return { issuer, subject, name, email, groups }
}

/** The provider's session id (Front-Channel Logout 1.0 §3). */
export const sidOf = ({ sid }: Claims): string | null =>
  isText(sid, SESSION_ID_MAX_LENGTH) ? sid : null

/** Tokens of an answer of the token endpoint. An access token without a lifetime lives as long as the ID token. */
export const tokensOf = (
  { access_token: accessToken, refresh_token: refreshToken, expires_in: seconds }: Answer,
  { idToken, idTokenExpiresAt }: Pick<IdentityTokens, 'idToken' | 'idTokenExpiresAt'>,
  askedAt: number,
  previousRefreshToken: string | null,
): IdentityTokens => ({
  idToken,
  idTokenExpiresAt,
  accessToken,
  refreshToken: refreshToken ?? previousRefreshToken,
  expiresAt: seconds === undefined ? idTokenExpiresAt : timeOf(askedAt + seconds * 1000),
})

type Answer = Pick<TokenEndpointResponse, 'access_token' | 'refresh_token' | 'expires_in'>

const isSubject = (claim: unknown): claim is string => isText(claim, SUBJECT_MAX_LENGTH)

const SHOWN_MAX_LENGTH = 256
/** Names and addresses for people: in answers, on pages, in the audit trail. */
const isShown = (claim: unknown): claim is string => isText(claim, SHOWN_MAX_LENGTH)
