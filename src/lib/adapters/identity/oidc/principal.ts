import type { Principal } from '../../../ports/identity.ts'
import { type ClaimPath, groupsOf } from './groups.ts'
import { UnusableAnswer } from './unusable-answer.ts'
import type { VerifiedToken } from './verify.ts'

/** The person of a verified ID token. */
export function principalOf(claims: VerifiedToken['claims'], groupsClaim: ClaimPath): Principal {
  const { iss: issuer, sub: subject } = claims
  if (!isText(issuer) || !isText(subject)) throw new UnusableAnswer('no_subject')
  const name = [claims['name'], claims['preferred_username']].find(isText) ?? subject
  const email = isText(claims['email']) ? claims['email'] : null
  return { issuer, subject, name, email, groups: groupsOf(claims, groupsClaim) }
}

const isText = (claim: unknown): claim is string => typeof claim === 'string' && claim.trim() !== ''
