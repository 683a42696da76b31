import { Label, TeamName } from '../../names.ts'
import type { NamespacePattern } from '../../ports/clusters.ts'

const TEAM = '{team}'
/** Stands for a team; no name of a team is shorter. */
const SOME_TEAM = 'xx'

/** `{team}-dev`, or the name of a namespace that all teams share. */
export function parseNamespacePattern(text: string): NamespacePattern | undefined {
  const [prefix = '', suffix, ...rest] = text.split(TEAM)
  if (suffix === undefined) {
    const namespace = Label.parse(text)
    return namespace && { kind: 'shared', namespace }
  }
  const isName = Label.parse(`${prefix}${SOME_TEAM}${suffix}`) !== undefined
  return isName && rest.length === 0 ? { kind: 'of_team', prefix, suffix } : undefined
}

/** `undefined` if the name would be too long for a namespace, so that there is none. */
export const namespaceFor = (pattern: NamespacePattern, team: string): Label | undefined =>
  pattern.kind === 'shared'
    ? pattern.namespace
    : Label.parse(`${pattern.prefix}${team}${pattern.suffix}`)

/** The team whose namespace this is; `null` for a namespace that teams share, `undefined` for one of another pattern. */
export function teamIn(pattern: NamespacePattern, namespace: Label): TeamName | null | undefined {
  if (pattern.kind === 'shared') return pattern.namespace === namespace ? null : undefined
  const { prefix, suffix } = pattern
  if (!namespace.startsWith(prefix) || !namespace.endsWith(suffix)) return undefined
  return TeamName.parse(namespace.slice(prefix.length, namespace.length - suffix.length))
}
