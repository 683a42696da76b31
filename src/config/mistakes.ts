import { settings } from './table.ts'
import { gitHosts } from '../lib/adapters/hosts/index.ts'
import { sealsLike } from '../lib/crypto/keyring.ts'
import { keys, optionalKeys } from '../lib/settings/parsers.ts'
import {
  type Environment,
  readSettings,
  type SettingMistake,
  type SettingSource,
  type SettingTable,
  type SettingValues,
} from '../lib/settings/setting.ts'

/** Mistakes in the combination of settings, each of which is valid. */

/** Bun reads this variable itself. */
export const tlsMistakes = (environment: Environment): readonly SettingMistake[] =>
  environment['NODE_TLS_REJECT_UNAUTHORIZED'] === '0'
    ? [
        {
          variable: 'NODE_TLS_REJECT_UNAUTHORIZED',
          reason: 'switches certificate checks off for the whole process',
          example: 'NODE_EXTRA_CA_CERTS=/etc/ssl/corp.pem',
        },
      ]
    : []

/** Two listeners at one port. */
export const portMistakes = ({
  PORT,
  METRICS_PORT,
}: Partial<SettingValues<typeof settings>>): readonly SettingMistake[] =>
  PORT !== undefined && METRICS_PORT === PORT
    ? [
        {
          variable: 'METRICS_PORT',
          reason: 'is the port of the service; metrics need another',
          example: settings.METRICS_PORT.example,
        },
      ]
    : []

/** Settings of PostgreSQL beside another database. */
export function databaseMistakes({
  DATABASE_URL,
  DATABASE_LISTEN_URL,
  DATABASE_CA_FILE,
}: Partial<SettingValues<typeof settings>>): readonly SettingMistake[] {
  if (DATABASE_URL === undefined || DATABASE_URL.startsWith('postgres')) return []
  const given = Object.entries({ DATABASE_LISTEN_URL, DATABASE_CA_FILE })
  return given
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([variable]) => ({
      variable,
      reason: 'is set, but DATABASE_URL is not a postgres: URL',
      example: `DATABASE_URL=${settings.DATABASE_URL.example}`,
    }))
}

/** Owners with a slash, at hosts whose organisations are not in others. */
export function nestedOwnerMistakes(
  given: Partial<SettingValues<typeof settings>>,
): readonly SettingMistake[] {
  if (given.GIT_HOST === undefined || given.GIT_HOST === gitHosts.gitlab) return []
  return (['GITOPS_REPOSITORY', 'TEMPLATES_REPOSITORY', 'CLI_REPOSITORY'] as const)
    .filter((variable) => given[variable]?.owner.includes('/') === true)
    .map((variable) => ({
      variable,
      reason: 'must be owner/name: only GitLab (GIT_HOST=gitlab) has groups within groups',
      example: settings[variable].example,
    }))
}

/** A stolen key that seals for two purposes gives away both, and it cannot be replaced for one of them alone. */
export function sharedKeyMistakes(source: SettingSource): readonly SettingMistake[] {
  const given = Object.entries(chosenTable(source)).flatMap(([variable, definition]) => {
    if (definition.parse !== keys && definition.parse !== optionalKeys) return []
    const read = readSettings({ [variable]: { ...definition, parse: optionalKeys } }, source)
    const keyring = read.ok ? read.value[variable] : null
    return keyring ? [[variable, keyring] as const] : []
  })
  return given.flatMap(([variable, keyring], index) => {
    const [other] = given.slice(0, index).find(([, earlier]) => sealsLike(earlier, keyring)) ?? []
    if (other === undefined) return []
    const reason = `has the sealing key of ${other}; every purpose needs its own`
    return [{ variable, reason, example: settings.SESSION_KEYS.example }]
  })
}

/** The settings of every installation, and those of the secret store that is chosen. */
function chosenTable({ environment }: SettingSource): SettingTable {
  const { parse, fallback = '' } = settings.SECRET_STORE
  const kind = parse(environment['SECRET_STORE'] ?? fallback)
  return { ...settings, ...(kind.ok && kind.value.settings) }
}
