import {
  type Environment,
  readSettings,
  readUsable,
  type Setting,
  type SettingMistake,
  type SettingSource,
  type SettingTable,
  type SettingValues,
} from '../lib/settings/setting.ts'
import { gitHosts, type GitHostContext } from '../lib/adapters/hosts/index.ts'
import { chosenIdentityProvider, type IdentityMeans, oidc } from '../lib/adapters/identity/index.ts'
import {
  fileSettings,
  secretStores,
  type SecretStoreMeans,
} from '../lib/adapters/secret-store/index.ts'
import type { Keyring } from '../lib/crypto/keyring.ts'
import type { GitHost } from '../lib/ports/git-host.ts'
import type { IdentityProvider } from '../lib/ports/identity.ts'
import type { SecretStore } from '../lib/ports/secret-store.ts'
import type { AdapterKind, OpenAdapter } from '../lib/settings/adapter-kind.ts'
import { type MisspeltVariable, misspeltVariables } from '../lib/settings/misspelt.ts'
import { err, ok, type Result } from '../lib/result.ts'
import {
  databaseMistakes,
  nestedOwnerMistakes,
  portMistakes,
  sharedKeyMistakes,
  tlsMistakes,
} from './mistakes.ts'
import { settings, subjects } from './table.ts'

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
  readonly openGitHost: OpenAdapter<GitHostContext, GitHost>
  readonly openSecretStore: OpenAdapter<SecretStoreMeans, SecretStore>
  readonly openIdentity: OpenAdapter<IdentityMeans, IdentityProvider>
  /** Keys of the secret store `file`; `null` with another store. */
  readonly secretStoreKeys: Keyring | null
  readonly canSignIn: boolean
  readonly misspelt: readonly MisspeltVariable[]
}

/** Reads the environment, or reports every mistake at once. Settings of an adapter count only when it is chosen. */
export function readConfig(
  environment: Environment,
  readFile: SettingSource['readFile'],
): Result<Config, readonly SettingMistake[]> {
  const { source, values, gitHost, secretStore, identity, usable } = readAll(environment, readFile)
  const mistakes = [
    ...[values, gitHost, secretStore, identity].flatMap((read) => (read.ok ? [] : read.error)),
    ...tlsMistakes(environment),
    ...portMistakes(usable),
    ...databaseMistakes(usable),
    ...nestedOwnerMistakes(usable),
    ...sharedKeyMistakes(source),
  ]
  const misspelt = misspeltVariables(
    environment,
    settingGroups.map(({ table }) => table),
  )
  if (!values.ok || !gitHost.ok || !secretStore.ok || !identity.ok || mistakes.length > 0) {
    return err([...mistakes, ...misspelt.map(misspeltMistake)])
  }
  const isFile = values.value.SECRET_STORE === secretStores.file
  const sealing = isFile ? readSettings(fileSettings, source) : null
  return ok({
    ...values.value,
    openGitHost: gitHost.value,
    openSecretStore: secretStore.value,
    openIdentity: identity.value,
    secretStoreKeys: sealing?.ok === true ? sealing.value.SECRET_STORE_KEYS : null,
    canSignIn: chosenIdentityProvider(environment) === oidc,
    misspelt,
  })
}

/** A misspelt variable may be the cause of mistakes that stop the start. */
const misspeltMistake = ({ variable, meant }: MisspeltVariable): SettingMistake => ({
  variable,
  reason: 'is not a setting, and has no effect',
  example: `${meant}, if that is meant`,
})

/** The settings without mistakes of an environment that has some. The files that they name may have further ones. */
export const readUsableConfig = (
  environment: Environment,
  readFile: SettingSource['readFile'],
): Partial<Config> => readAll(environment, readFile).usable

function readAll(environment: Environment, readFile: SettingSource['readFile']) {
  const source = { environment, readFile: readingOnce(readFile) }
  const gitHost = readKind(settings.GIT_HOST, environment['GIT_HOST'], source)
  const secretStore = readKind(settings.SECRET_STORE, environment['SECRET_STORE'], source)
  const identity = chosenIdentityProvider(environment).read(source)
  const usable: Partial<Config> = {
    ...readUsable(settings, source),
    ...(gitHost.ok && { openGitHost: gitHost.value }),
    ...(secretStore.ok && { openSecretStore: secretStore.value }),
    ...(identity.ok && { openIdentity: identity.value }),
  }
  return { source, values: readSettings(settings, source), gitHost, secretStore, identity, usable }
}

/** Several tables may look at the same setting, and have to see the same text. */
function readingOnce(readFile: SettingSource['readFile']): SettingSource['readFile'] {
  const texts = new Map<string, string>()
  return (path) => {
    const text = texts.get(path) ?? readFile(path)
    texts.set(path, text)
    return text
  }
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

/** Variables of the environment that only a real installation has. */
export const productionVariables = (environment: Environment): readonly string[] =>
  settingGroups
    .flatMap(({ table }) => Object.entries(table))
    .filter(([, { production }]) => production === true)
    .flatMap(([variable]) => [variable, `${variable}_FILE`])
    .filter((variable) => environment[variable] !== undefined)
    .toSorted()
