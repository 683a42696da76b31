import { editDistance } from '../text/edit-distance.ts'
import type { Environment, SettingTable } from './setting.ts'

/** A variable that is no setting, and the setting that it is probably meant to be. */
export interface MisspeltVariable {
  readonly variable: string
  readonly meant: string
}

/** Shorter names, such as HOST and PORT, are too near to variables of other programs. */
const NAME_MIN_LENGTH = 6
const FILE_SUFFIX = '_FILE'

/**
 * Variables that differ from a missing setting in one letter, or in two that are swapped, and files for settings that are not read
 * from files. Other variables belong to other programs.
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
      const meant = missing.find(
        (name) => variable === `${name}${FILE_SUFFIX}` || isMisspelling(variable, name),
      )
      return meant === undefined ? [] : [{ variable, meant }]
    })
    .toSorted((one, other) => (one.variable < other.variable ? -1 : 1))
}

const isMisspelling = (variable: string, name: string): boolean =>
  editDistance(variable, name, 1) === 1 ||
  (editDistance(variable, name, 2) === 2 && lettersOf(variable) === lettersOf(name))

const lettersOf = (text: string): string => text.split('').toSorted().join('')
