import type { OidcValues } from '../oidc-kind.ts'
import { isObject } from '../../../text/json.ts'
import type { Groups, UnknownGroups } from '../../../ports/identity.ts'
import { err, ok, type Result } from '../../../result.ts'
import { type Position, readYaml } from '../../../yaml/read.ts'

export type GroupsSettings = Pick<OidcValues, 'OIDC_GROUPS_CLAIM' | 'OIDC_GROUPS_FIELD'>

type Claims = Readonly<Record<string, unknown>>

const NAMES_MAX = 2_000
const NAME_MAX_LENGTH = 256

/** Groups of the portal in the claims of a token or of UserInfo. A reference to groups elsewhere means that there are too many. */
export function groupsOf(
  claims: Claims,
  { OIDC_GROUPS_CLAIM: path, OIDC_GROUPS_FIELD: field }: GroupsSettings,
  groupNames: GroupNames,
): Groups {
  const claim = memberAt(claims, path)
  if (claim === undefined) return unknown(isElsewhere(claims, path) ? 'too_many' : 'missing')
  const groups: unknown = Array.isArray(claim) ? claim : [claim]
  if (!Array.isArray(groups)) return unknown('unreadable')
  if (groups.length > NAMES_MAX) return unknown('too_many')
  const names = groups.map((group: unknown) => nameOf(group, field))
  return names.every((name) => name !== null)
    ? { kind: 'known', names: renamed(names, groupNames) }
    : unknown('unreadable')
}

const unknown = (reason: UnknownGroups): Groups => ({ kind: 'unknown', reason })

/** `undefined` for a missing member, `null` below something that has no members. */
function memberAt(claims: Claims, path: readonly string[]): unknown {
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
function isElsewhere(claims: Claims, [outermost = '']: readonly string[]): boolean {
  const named = claims['_claim_names']
  const isNamed = (name: string) => isObject(named) && Object.hasOwn(named, name)
  return isNamed(outermost) || isNamed('groups') || Object.hasOwn(claims, 'hasgroups')
}

function nameOf(group: unknown, field: string): string | null {
  const isOfField = field !== '' && isObject(group) && Object.hasOwn(group, field)
  const name = isOfField ? group[field] : group
  return typeof name === 'string' && name.length <= NAME_MAX_LENGTH ? name : null
}

/** Groups of the portal, by the provider's name or id. */
export type GroupNames = ReadonlyMap<string, readonly string[]>

export interface GroupNamesMistake {
  readonly position: Position | null
  readonly message: string
}

const TEXT_MAX_LENGTH = 1024 * 1024

/** Reads a mapping of a provider's group to a name or a list of names, or reports everything that is wrong with it. */
export function parseGroupNames(text: string): Result<GroupNames, readonly GroupNamesMistake[]> {
  if (text.length > TEXT_MAX_LENGTH) return mistake('is too large')
  const yaml = readYaml(text)
  if (!yaml.ok) return mistake(yaml.error.message, yaml.error.position)
  const [document, ...more] = yaml.value.documents
  if (document === undefined || more.length > 0) return mistake('must be one YAML document')
  if (!isObject(document.value)) {
    return mistake('must be a mapping of groups to names', document.locate([]))
  }
  const names = new Map<string, readonly string[]>()
  const mistakes: GroupNamesMistake[] = []
  for (const [group, value] of Object.entries(document.value)) {
    const found = namesOf(value)
    if (isName(group) && found !== null) names.set(group, found)
    else {
      const message = isName(group)
        ? 'the value must be a name or a list of names, such as payments:Managers'
        : `the group must be a name of at most ${NAME_MAX_LENGTH} characters`
      mistakes.push({ position: document.locate([group]), message })
    }
  }
  return mistakes.length === 0 ? ok(names) : err(mistakes)
}

const mistake = (message: string, position: Position | null = null) => err([{ message, position }])

function namesOf(value: unknown): readonly string[] | null {
  const names: unknown = typeof value === 'string' ? [value] : value
  return Array.isArray(names) && names.every(isName) ? names : null
}

/** One line without spaces around it. */
const isName = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= NAME_MAX_LENGTH && /^\S(?:.*\S)?$/.test(value)

/** Names of the portal for groups of the provider, each once; groups that are not listed keep their names. */
export const renamed = (groups: readonly string[], names: GroupNames): readonly string[] => [
  ...new Set(groups.flatMap((group) => names.get(group) ?? [group])),
]
