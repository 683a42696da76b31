import { isObject } from '../../../text/json.ts'
import type { Groups, UnknownGroups } from '../../../ports/identity.ts'
import { type GroupNames, renamed } from './group-names.ts'

/** Names of members, from the outermost inwards. */
export type ClaimPath = readonly string[]

export interface GroupsSettings {
  readonly groupsClaim: ClaimPath
  /** Field with the name of a group that is an object; empty when groups are strings. */
  readonly groupsField: string
}

type Claims = Readonly<Record<string, unknown>>

const NAMES_MAX = 2_000
const NAME_MAX_LENGTH = 256

/** Groups of the portal in the claims of a token or of UserInfo. A reference to groups elsewhere means that there are too many. */
export function groupsOf(
  claims: Claims,
  { groupsClaim, groupsField }: GroupsSettings,
  groupNames: GroupNames,
): Groups {
  const claim = memberAt(claims, groupsClaim)
  if (claim === undefined) return unknown(isElsewhere(claims, groupsClaim) ? 'too_many' : 'missing')
  const groups: unknown = Array.isArray(claim) ? claim : [claim]
  if (!Array.isArray(groups)) return unknown('unreadable')
  if (groups.length > NAMES_MAX) return unknown('too_many')
  const names = groups.map((group: unknown) => nameOf(group, groupsField))
  return names.every((name) => name !== null)
    ? { kind: 'known', names: renamed(names, groupNames) }
    : unknown('unreadable')
}

const unknown = (reason: UnknownGroups): Groups => ({ kind: 'unknown', reason })

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

function nameOf(group: unknown, field: string): string | null {
  const isOfField = field !== '' && isObject(group) && Object.hasOwn(group, field)
  const name = isOfField ? group[field] : group
  return typeof name === 'string' && name.length <= NAME_MAX_LENGTH ? name : null
}
