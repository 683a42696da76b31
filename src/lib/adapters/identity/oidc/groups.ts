import { isObject } from '../../../text/json.ts'
import type { Groups, UnknownGroups } from '../../../ports/identity.ts'

/** Names of members, from the outermost inwards. */
export type ClaimPath = readonly string[]

type Claims = Readonly<Record<string, unknown>>

const NAMES_MAX = 2_000
const NAME_MAX_LENGTH = 256

const unknown = (reason: UnknownGroups): Groups => ({ kind: 'unknown', reason })

export function groupsOf(claims: Claims, path: ClaimPath): Groups {
  const claim = memberAt(claims, path)
  if (claim === undefined) return unknown(isElsewhere(claims, path) ? 'too_many' : 'missing')
  const names = typeof claim === 'string' ? [claim] : claim
  if (Array.isArray(names) && names.length > NAMES_MAX) return unknown('too_many')
  return isNames(names) ? { kind: 'known', names } : unknown('unreadable')
}

/** `undefined` for a missing member, `null` below something that has no members. */
function memberAt(claims: Claims, path: ClaimPath): unknown {
  let value: unknown = claims
  for (const name of path) {
    if (!isObject(value)) return null
    if (!Object.hasOwn(value, name)) return undefined
    value = value[name]
  }
  return value
}

/**
 * A token with too many groups omits them. `_claim_names` then says where to get them (OpenID Connect Core 1.0 §5.6.2), or
 * `hasgroups` that there are some. Entra names them `groups` there, whatever the name of the claim.
 */
function isElsewhere(claims: Claims, [outermost = '']: ClaimPath): boolean {
  const named = claims['_claim_names']
  const isNamed = (name: string) => isObject(named) && Object.hasOwn(named, name)
  return isNamed(outermost) || isNamed('groups') || Object.hasOwn(claims, 'hasgroups')
}

const isNames = (value: unknown): value is readonly string[] =>
  Array.isArray(value) &&
  value.every((name) => typeof name === 'string' && name.length <= NAME_MAX_LENGTH)
