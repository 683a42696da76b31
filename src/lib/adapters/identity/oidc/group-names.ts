import { isObject } from '../../../text/json.ts'
import { err, ok, type Result } from '../../../result.ts'
import { type Position, readYaml } from '../../../yaml/read.ts'

/** Groups of the portal, by the provider's name or id. */
export type GroupNames = ReadonlyMap<string, readonly string[]>

export interface GroupNamesMistake {
  readonly position: Position | null
  readonly message: string
}

const TEXT_MAX_LENGTH = 1024 * 1024
const NAME_MAX_LENGTH = 256

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
