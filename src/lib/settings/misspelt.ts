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

const PREFIX = 'PORTICO_'
/** Values that Kubernetes gives to variables of a Service: a Service `portico` has `PORTICO_PORT`. */
const SERVICE_LINK = /^(?:tcp|udp|sctp):\/\//

/**
 * Variables that differ from a setting in one letter or two, lack its last word, begin with the name of this program, or name a file for
 * a setting that is not read from files. Other variables belong to other programs.
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
  const long = names.filter((name) => name.length >= NAME_MIN_LENGTH)

  function meantBy(variable: string): string | undefined {
    const unprefixed = variable.slice(PREFIX.length)
    if (variable.startsWith(PREFIX)) return known.has(unprefixed) ? unprefixed : undefined
    return (
      long.find((name) => variable === `${name}${FILE_SUFFIX}`) ??
      nearestOf(variable, long) ??
      completedBy(variable, long)
    )
  }

  return Object.entries(environment)
    .flatMap(([variable, value]) => {
      if (value === undefined || known.has(variable) || SERVICE_LINK.test(value)) return []
      const meant = meantBy(variable)
      return meant === undefined ? [] : [{ variable, meant }]
    })
    .toSorted((one, other) => (one.variable < other.variable ? -1 : 1))
}

/** A name of two words or more, the last one of four letters if it is cut: GITOPS_REPO. CATALOG belongs to another program. */
const CUT_OFF = /^[A-Z]+_(?:[A-Z_]*_)?[A-Z]{4,}$/
const LAST_WORD = /^_[A-Z]+$/
const REST_OF_WORD = /^[A-Z]+$/

/** The settings whose last word is missing, or its end. */
function completedBy(variable: string, names: readonly string[]): string | undefined {
  const completed = names.filter((name) => {
    const rest = name.startsWith(variable) ? name.slice(variable.length) : ''
    return (
      (variable.includes('_') && LAST_WORD.test(rest)) ||
      (CUT_OFF.test(variable) && REST_OF_WORD.test(rest))
    )
  })
  return completed.length === 0 ? undefined : completed.join(' or ')
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
