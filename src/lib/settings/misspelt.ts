import { editDistance } from '../text/edit-distance.ts'
import type { Environment, SettingTable } from './setting.ts'

/** A variable that is no setting, and the setting that it is probably meant to be. */
export interface MisspeltVariable {
  readonly variable: string
  readonly meant: string
}

/** Shorter names, such as HOST and PORT, are too near to variables of other programs. */
const NAME_MIN_LENGTH = 6
/** In names of this length that begin with the same word two wrong letters are a mistake too. */
const LONG_NAME_LENGTH = 12
const FILE_SUFFIX = '_FILE'

/**
 * Variables that differ from a missing setting in one letter or two, and files for settings that are not read from files. Other
 * variables belong to other programs.
 */
export function misspeltVariables(
  environment: Environment,
  tables: readonly SettingTable[],
): readonly MisspeltVariable[] {
  const settings = new Map(tables.flatMap((table) => Object.entries(table)))
  const names = [...settings].flatMap(([name, { secret }]) =>
    secret === true ? [name, `${name}${FILE_SUFFIX}`] : [name],
  )
  const known = new Set(names)
  const missing = names.filter(
    (name) => name.length >= NAME_MIN_LENGTH && environment[name] === undefined,
  )
  return Object.keys(environment)
    .filter((variable) => environment[variable] !== undefined && !known.has(variable))
    .flatMap((variable) => {
      const isFileOf = (name: string) => variable === `${name}${FILE_SUFFIX}`
      const meant = missing.find(isFileOf) ?? nearestOf(variable, missing)
      return meant === undefined ? [] : [{ variable, meant }]
    })
    .toSorted((one, other) => (one.variable < other.variable ? -1 : 1))
}

/** Names with another first letter are not compared: an environment may have hundreds of variables. */
function nearestOf(variable: string, names: readonly string[]): string | undefined {
  const near = names
    .filter((name) => name[0] === variable[0])
    .map((name) => ({ name, distance: editDistance(variable, name, 2) }))
  const [nearest] = near
    .filter(({ name, distance }) => distance === 1 || (distance === 2 && isLikely(variable, name)))
    .toSorted((one, other) => one.distance - other.distance)
  return nearest?.name
}

const isLikely = (variable: string, name: string): boolean =>
  lettersOf(variable) === lettersOf(name) ||
  (name.length >= LONG_NAME_LENGTH && firstWordOf(variable) === firstWordOf(name))

const firstWordOf = (name: string): string => name.split('_', 1).join()

const lettersOf = (text: string): string => text.split('').toSorted().join('')
