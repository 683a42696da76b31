import {
  type Environment,
  readSettings,
  type Setting,
  type SettingMistake,
  type SettingSource,
  type SettingTable,
  type SettingValues,
} from './lib/settings/setting.ts'
import { sealsLike } from './lib/crypto/keyring.ts'
import { gitHosts, type GitHostMeans } from './lib/adapters/git-host/index.ts'
import { chosenIdentityProvider, type IdentityMeans, oidc } from './lib/adapters/identity/index.ts'
import { secretStores, type SecretStoreMeans } from './lib/adapters/secret-store/index.ts'
import type { GitHost } from './lib/ports/git-host.ts'
import type { IdentityProvider } from './lib/ports/identity.ts'
import type { SecretStore } from './lib/ports/secret-store.ts'
import type { AdapterKind, OpenAdapter } from './lib/settings/adapter-kind.ts'
import { type MisspeltVariable, misspeltVariables } from './lib/settings/misspelt.ts'
import { keys } from './lib/settings/parsers.ts'
import { err, ok, type Result } from './lib/result.ts'
import { settings, subjects } from './config-table.ts'

/** Tables of settings with a heading: of every installation by subject, then of each kind of adapter. */
export const settingGroups: readonly { readonly title: string; readonly table: SettingTable }[] = [
  ...Object.entries(subjects).map(([title, table]) => ({ title, table })),
  ...groupsOf('GIT_HOST', gitHosts),
  ...groupsOf('SECRET_STORE', secretStores),
  { title: 'Sign-in, with OIDC_ISSUER', table: oidc.settings },
]

/** A group for each kind, and one for the settings that the same kinds share. */
function groupsOf(
  variable: string,
  kinds: Readonly<Record<string, Pick<AdapterKind<never, unknown>, 'settings'>>>,
) {
  const groups = new Map<string, SettingTable>()
  for (const { settings: table } of Object.values(kinds)) {
    for (const [name, setting] of Object.entries(table)) {
      const owners = Object.entries(kinds).filter(([, kind]) => kind.settings[name] === setting)
      const title = `${variable}=${owners.map(([owner]) => owner).join(' or ')}`
      groups.set(title, { ...groups.get(title), [name]: setting })
    }
  }
  return [...groups].map(([title, table]) => ({ title, table }))
}

export interface Config extends SettingValues<typeof settings> {
  readonly openGitHost: OpenAdapter<GitHostMeans, GitHost>
  readonly openSecretStore: OpenAdapter<SecretStoreMeans, SecretStore>
  readonly openIdentity: OpenAdapter<IdentityMeans, IdentityProvider>
  readonly canSignIn: boolean
  readonly misspelt: readonly MisspeltVariable[]
}

/** Reads the environment, or reports every mistake at once. Settings of an adapter count only when it is chosen. */
export function readConfig(
  environment: Environment,
  readFile: SettingSource['readFile'],
): Result<Config, readonly SettingMistake[]> {
  const source = { environment, readFile }
  const values = readSettings(settings, source)
  const gitHost = readKind(settings.GIT_HOST, environment['GIT_HOST'], source)
  const secretStore = readKind(settings.SECRET_STORE, environment['SECRET_STORE'], source)
  const identity = chosenIdentityProvider(environment).read(source)
  const mistakes = [
    ...[values, gitHost, secretStore, identity].flatMap((read) => (read.ok ? [] : read.error)),
    ...tlsMistakes(environment),
    ...(values.ok ? databaseMistakes(values.value) : []),
    ...sharedKeyMistakes(source),
  ]
  if (!values.ok || !gitHost.ok || !secretStore.ok || !identity.ok || mistakes.length > 0) {
    return err(mistakes)
  }
  return ok({
    ...values.value,
    openGitHost: gitHost.value,
    openSecretStore: secretStore.value,
    openIdentity: identity.value,
    canSignIn: chosenIdentityProvider(environment) === oidc,
    misspelt: misspeltVariables(
      environment,
      settingGroups.map(({ table }) => table),
    ),
  })
}

/** An unknown kind is a mistake of the setting that names it, and is reported there. */
function readKind<Means, Port>(
  { parse, fallback = '' }: Setting<AdapterKind<Means, Port>>,
  name: string | undefined,
  source: SettingSource,
): Result<OpenAdapter<Means, Port>, readonly SettingMistake[]> {
  const kind = parse(name ?? fallback)
  return kind.ok ? kind.value.read(source) : err([])
}

/** Bun reads this variable itself. */
const tlsMistakes = (environment: Environment): readonly SettingMistake[] =>
  environment['NODE_TLS_REJECT_UNAUTHORIZED'] === '0'
    ? [
        {
          variable: 'NODE_TLS_REJECT_UNAUTHORIZED',
          reason: 'switches certificate checks off for the whole process',
          example: 'NODE_EXTRA_CA_CERTS=/etc/ssl/corp.pem',
        },
      ]
    : []

/** Settings of PostgreSQL beside another database. */
function databaseMistakes({
  DATABASE_URL,
  DATABASE_LISTEN_URL,
  DATABASE_CA_FILE,
}: SettingValues<typeof settings>): readonly SettingMistake[] {
  if (DATABASE_URL.startsWith('postgres')) return []
  const given = Object.entries({ DATABASE_LISTEN_URL, DATABASE_CA_FILE })
  return given
    .filter(([, value]) => value !== null)
    .map(([variable]) => ({
      variable,
      reason: 'is set, but DATABASE_URL is not a postgres: URL',
      example: `DATABASE_URL=${settings.DATABASE_URL.example}`,
    }))
}

/** Whoever gets hold of a key that seals for two purposes has both, and it cannot be replaced for one of them alone. */
function sharedKeyMistakes(source: SettingSource): readonly SettingMistake[] {
  const given = Object.entries(chosenTable(source)).flatMap(([variable, definition]) => {
    if (definition.parse !== keys) return []
    const read = readSettings({ [variable]: { ...definition, parse: keys } }, source)
    return read.ok ? Object.entries(read.value) : []
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

/** Variables of the environment that only a real installation has. */
export const productionVariables = (environment: Environment): readonly string[] =>
  settingGroups
    .flatMap(({ table }) => Object.entries(table))
    .filter(([, { production }]) => production === true)
    .flatMap(([variable]) => [variable, `${variable}_FILE`])
    .filter((variable) => environment[variable] !== undefined)
    .toSorted()
