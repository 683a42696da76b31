import {
  absolutePath,
  address,
  claimPath,
  entryOf,
  flag,
  integer,
  issuer,
  keys,
  list,
  oneOf,
  optional,
  origin,
  parsedBy,
  repository,
  text,
} from './lib/settings/parsers.ts'
import {
  type Environment,
  readSettings,
  type Setting,
  type SettingMistake,
  type SettingSource,
  setting,
  type SettingTable,
  type SettingValues,
} from './lib/settings/setting.ts'
import { gitHosts, type GitHostMeans } from './lib/adapters/git-host/index.ts'
import { secretStores, type SecretStoreMeans } from './lib/adapters/secret-store/index.ts'
import { RepositoryPath } from './lib/names.ts'
import type { GitHost } from './lib/ports/git-host.ts'
import type { SecretStore } from './lib/ports/secret-store.ts'
import type { AdapterKind, OpenAdapter } from './lib/settings/adapter-kind.ts'
import { err, ok, type Result } from './lib/result.ts'

/** The settings that every installation has. No schema library is loaded for them: they are read before the socket listens. */
export const settings = {
  PUBLIC_URL: setting({
    description:
      'Where people and the git host reach this service; decides cookies and the accepted Host',
    example: 'https://portal.example.org',
    production: true,
    parse: origin,
  }),
  HOST: setting({
    description: 'Address to listen on',
    example: '0.0.0.0',
    fallback: '0.0.0.0',
    parse: address,
  }),
  PORT: setting({
    description: 'Port to listen on',
    example: '8080',
    fallback: '8080',
    parse: integer(0, 65_535),
  }),
  METRICS_PORT: setting({
    description:
      'Port of the listener that answers GET /metrics, for Prometheus, and nothing else. Without a session: not for the public. Off without it',
    example: '9090',
    fallback: '',
    parse: optional(integer(1, 65_535)),
  }),
  ALLOWED_HOSTS: setting({
    description:
      'Further values of the Host header that are served, besides the host of PUBLIC_URL',
    example: 'portal.internal:8080',
    fallback: '',
    parse: list(
      text(/^[A-Za-z0-9.[\]:-]{4,255}$/, 'host names, with port if it is not the default'),
    ),
  }),
  UI_ORIGINS: setting({
    description: 'Origins of portal UIs that may make writing requests',
    example: 'https://ui.example.org',
    fallback: '',
    parse: list((given) => {
      const url = origin(given)
      return url.ok ? ok(url.value.origin) : url
    }),
  }),
  DATA_DIR: setting({
    description:
      'Folder for what this instance keeps: embedded repositories and the SQLite database',
    example: '/var/lib/portico',
    fallback: './.portico',
    parse: text(/^[^\0]{1,1024}$/, 'a path'),
  }),
  DATABASE_URL: setting({
    description: 'Database for sessions; SQLite in DATA_DIR without it',
    example: 'postgres://portico@db.example.org/portico',
    fallback: '',
    secret: true,
    production: true,
    parse: text(/^$|^sqlite:.|^postgres(?:ql)?:\/\/./, 'a sqlite: or postgres: URL'),
  }),
  SESSION_KEYS: setting({
    description: 'Keys that seal sessions, as id:base64 of 32 bytes; the first seals, all open',
    example: 'k2:…,k1:…   (openssl rand -base64 32)',
    secret: true,
    production: true,
    parse: keys,
  }),
  SESSION_IDLE_SECONDS: setting({
    description: 'After how long without a request a session ends',
    example: '1800',
    fallback: '3600',
    parse: integer(60, 86_400),
  }),
  SESSION_ABSOLUTE_SECONDS: setting({
    description: 'After how long a session ends in any case',
    example: '28800',
    fallback: '36000',
    parse: integer(60, 604_800),
  }),
  OIDC_ISSUER: setting({
    description:
      'OpenID Connect provider that people sign in at: renews their tokens and makes those for the clusters. https, or http on this machine. Without it no token is renewed',
    example: 'https://id.example.org/realms/acme',
    fallback: '',
    parse: optional(issuer),
  }),
  OIDC_CLIENT_ID: setting({
    description:
      'What this service is called at the OpenID Connect provider; required with OIDC_ISSUER',
    example: 'portico',
    fallback: '',
    parse: text(/^[\x21-\x7e]{0,256}$/, 'at most 256 printable characters without spaces'),
  }),
  OIDC_CLIENT_SECRET: setting({
    description: 'Secret of OIDC_CLIENT_ID; without it a public client',
    example: '(as the provider shows it)',
    fallback: '',
    secret: true,
    parse: text(/^[\x20-\x7e]{0,1024}$/, 'at most 1024 printable characters'),
  }),
  OIDC_GROUPS_CLAIM: setting({
    description:
      'Where the ID token lists the groups of a person: names with dots between them, one with dots itself in double quotes',
    example: 'realm_access.roles',
    fallback: 'groups',
    parse: claimPath,
  }),
  PLATFORM_GROUP: setting({
    description: 'Group whose members act for every team',
    example: 'platform-team',
    fallback: 'platform-team',
    parse: text(/^[\x21-\x7e]{1,256}$/, 'a group name'),
  }),
  GIT_HOST: setting({
    description: 'Kind of git host',
    example: 'local',
    fallback: 'local',
    production: true,
    parse: entryOf(gitHosts),
  }),
  GITOPS_REPOSITORY: setting({
    description: 'Repository with the catalog, as owner/name',
    example: 'acme/gitops',
    production: true,
    parse: repository,
  }),
  CATALOG_DIRECTORY: setting({
    description: 'Folder of the gitops repository that holds the catalog',
    example: 'catalog',
    fallback: 'catalog',
    parse: parsedBy((given) => RepositoryPath.parse(given), 'a relative path'),
  }),
  TEMPLATES_REPOSITORY: setting({
    description:
      'Repository with the project templates, as owner/name; `templates` beside GITOPS_REPOSITORY without it',
    example: 'acme/templates',
    fallback: '',
    parse: optional(repository),
  }),
  IMAGE_REGISTRY: setting({
    description:
      'Where container images are pushed, without the application; `ghcr.io/` and the owner of GITOPS_REPOSITORY without it',
    example: 'registry.example.org/acme',
    fallback: '',
    parse: text(
      /^$|^[a-z0-9][a-z0-9.:/_-]{0,200}[a-z0-9]$/,
      'a registry, with a path if it has one',
    ),
  }),
  TENANT_APP_API_VERSION: setting({
    description: 'Group and version of the XTenantApp composite that applications are',
    example: 'platform.example.org/v1alpha1',
    fallback: 'platform.example.org/v1alpha1',
    parse: text(/^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?\/v[0-9a-z]{1,20}$/, 'group/version'),
  }),
  CLI_REPOSITORY: setting({
    description:
      'Repository whose releases are the command line client, as owner/name; `cli` beside GITOPS_REPOSITORY without it',
    example: 'acme/cli',
    fallback: '',
    parse: optional(repository),
  }),
  CLI_TAG_PREFIX: setting({
    description:
      'Tags of its releases are this, a hyphen and a version; also what the installer calls the program',
    example: 'portico',
    fallback: 'portico',
    parse: text(/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/, 'letters, digits, dots and hyphens'),
  }),
  CLI_ASSET_PATTERN: setting({
    description:
      'Name of the file for a platform, with `{os}` and `{arch}` in any common spelling, and if need be `{version}` and `{ext}` (`.exe` on Windows); without it the names that goreleaser, cargo-dist, Bun and the GitHub CLI use',
    example: 'portico-{os}-{arch}{ext}',
    fallback: '',
    parse: text(
      /^$|^(?=.*\{os\})(?=.*\{arch\})(?:[\w .+-]|\{(?:os|arch|version|ext)\}){1,200}$/,
      'a file name with {os} and {arch} in it',
    ),
  }),
  CLI_CACHE_MEGABYTES: setting({
    description: 'How much of the disk copies of the files of releases may take, below DATA_DIR',
    example: '2048',
    fallback: '2048',
    parse: integer(1, 1_000_000),
  }),
  CLUSTERS_FILE: setting({
    description:
      'Registry of the clusters that people see, a YAML file; read again when it or a CA changes. No clusters without it',
    example: '/etc/portico/clusters.yaml',
    fallback: '',
    production: true,
    parse: (given) => (given === '' ? ok(given) : absolutePath(given)),
  }),
  BUN_CONFIG_MAX_HTTP_REQUESTS: setting({
    description:
      'How many requests to other services may be under way at once, a setting of Bun itself; half of them may be watches and logs that people follow',
    example: '4096',
    fallback: '256',
    parse: integer(16, 65_535),
  }),
  SECRET_STORE: setting({
    description: 'Kind of secret store for the secrets of applications',
    example: 'file',
    fallback: 'file',
    production: true,
    parse: entryOf(secretStores),
  }),
  CATALOG_TTL_SECONDS: setting({
    description: 'For how long the catalog is served without asking the git host',
    example: '300',
    fallback: '300',
    parse: integer(1, 86_400),
  }),
  CATALOG_MAX_STALE_SECONDS: setting({
    description:
      'For how long an expired catalog is still served when the git host cannot be reached',
    example: '3600',
    fallback: '3600',
    parse: integer(0, 604_800),
  }),
  WEBHOOK_TOKEN: setting({
    description: 'Token of the catalog refresh webhook; two, comma-separated, while it is rotated',
    example: '(openssl rand -hex 24)',
    fallback: '',
    secret: true,
    parse: list(text(/^[\x21-\x7e]{16,256}$/, 'at least 16 printable characters without spaces')),
  }),
  READYZ_REQUIRE_SESSION: setting({
    description: 'Whether /readyz needs a session like every other endpoint',
    example: 'true',
    fallback: 'false',
    parse: flag,
  }),
  LOG_LEVEL: setting({
    description: 'Least severe log lines that are written',
    example: 'warn',
    fallback: 'info',
    parse: oneOf('debug', 'info', 'warn', 'error', 'silent'),
  }),
} as const

/** Tables of settings with a heading: those of every installation, then those of each adapter that can be chosen. */
export const settingGroups: readonly { readonly title: string; readonly table: SettingTable }[] = [
  { title: 'Every installation', table: settings },
  ...groupsOf('GIT_HOST', gitHosts),
  ...groupsOf('SECRET_STORE', secretStores),
]

function groupsOf(
  variable: string,
  kinds: Readonly<Record<string, Pick<AdapterKind<never, unknown>, 'settings'>>>,
) {
  return Object.entries(kinds)
    .filter(([, kind]) => Object.keys(kind.settings).length > 0)
    .map(([name, kind]) => ({ title: `${variable}=${name}`, table: kind.settings }))
}

export interface Config extends SettingValues<typeof settings> {
  readonly openGitHost: OpenAdapter<GitHostMeans, GitHost>
  readonly openSecretStore: OpenAdapter<SecretStoreMeans, SecretStore>
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
  const mistakes = [
    ...[values, gitHost, secretStore].flatMap((read) => (read.ok ? [] : read.error)),
    ...combinationMistakes(environment),
  ]
  if (mistakes.length > 0 || !values.ok || !gitHost.ok || !secretStore.ok) return err(mistakes)
  return ok({ ...values.value, openGitHost: gitHost.value, openSecretStore: secretStore.value })
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

function combinationMistakes(environment: Environment): readonly SettingMistake[] {
  const mistakes: SettingMistake[] = []
  if (environment['OIDC_ISSUER'] && !environment['OIDC_CLIENT_ID']) {
    const { example } = settings.OIDC_CLIENT_ID
    mistakes.push({ variable: 'OIDC_CLIENT_ID', reason: 'is missing beside OIDC_ISSUER', example })
  }
  if (environment['NODE_TLS_REJECT_UNAUTHORIZED'] === '0') {
    mistakes.push({
      variable: 'NODE_TLS_REJECT_UNAUTHORIZED',
      reason: 'switches certificate checks off for the whole process',
      example: 'NODE_EXTRA_CA_CERTS=/etc/ssl/corp.pem',
    })
  }
  return mistakes
}

/** Variables of the environment that only a real installation has. */
export const productionVariables = (environment: Environment): readonly string[] =>
  settingGroups
    .flatMap(({ table }) => Object.entries(table))
    .filter(([, { production }]) => production === true)
    .flatMap(([variable]) => [variable, `${variable}_FILE`])
    .filter((variable) => environment[variable] !== undefined)
    .toSorted()
