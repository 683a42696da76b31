import {
  absolutePath,
  address,
  entryOf,
  flag,
  integer,
  keys,
  list,
  network,
  oneOf,
  optional,
  origin,
  parsedBy,
  repository,
  text,
} from './lib/settings/parsers.ts'
import { setting } from './lib/settings/setting.ts'
import { gitHosts } from './lib/adapters/git-host/index.ts'
import { secretStores } from './lib/adapters/secret-store/index.ts'
import { parseEnvironments } from './lib/domain/promotion/environments.ts'
import { RepositoryPath } from './lib/names.ts'
import { ok } from './lib/result.ts'

/**
 * Settings of every installation, by subject. Their parsers load no schema library, because they run before the socket listens.
 */
export const subjects = {
  Addresses: {
    PUBLIC_URL: setting({
      description:
        'URL at which people and the git host reach this service; decides the cookies and the accepted Host header',
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
        'Port of a second listener that answers GET /metrics, for Prometheus. It requires no session: keep it off the public network. Without it there are no metrics',
      example: '9090',
      fallback: '',
      parse: optional(integer(1, 65_535)),
    }),
    ALLOWED_HOSTS: setting({
      description: 'Host headers that are accepted besides the host of PUBLIC_URL',
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
    TRUSTED_PROXIES: setting({
      description:
        'Addresses and networks of the proxies in front of this service; their X-Forwarded-For is trusted for the address of the client. Without it all clients behind a proxy have its address',
      example: '10.42.0.0/16,2001:db8:42::/48',
      fallback: '',
      parse: list(network),
    }),
  },
  Data: {
    DATA_DIR: setting({
      description:
        'Folder for the data of this instance: embedded repositories, sealed secrets, the SQLite database',
      example: '/var/lib/portico',
      fallback: './.portico',
      parse: text(/^[^\0]{1,1024}$/, 'a path'),
    }),
    DATABASE_URL: setting({
      description: 'Database of sessions, runs and audit; by default SQLite in DATA_DIR',
      example: 'postgres://portico@db.example.org/portico',
      fallback: '',
      secret: true,
      production: true,
      parse: text(/^$|^sqlite:.|^postgres(?:ql)?:\/\/./, 'a sqlite: or postgres: URL'),
    }),
    DATABASE_LISTEN_URL: setting({
      description:
        'Direct URL of PostgreSQL for LISTEN, not through a pooler: replicas then learn of changes at once. Without it they poll, and learn of changes within a second',
      example: 'postgres://portico@primary.db.example.org/portico',
      fallback: '',
      secret: true,
      production: true,
      parse: optional(text(/^postgres(?:ql)?:\/\/./, 'a postgres: URL')),
    }),
    DATABASE_CA_FILE: setting({
      description:
        'PEM file of the certificate authorities of PostgreSQL, in place of those of the system. A server on another host must prove its name in any case, unless `sslmode` in the URL asks for less',
      example: '/etc/portico/database-ca.pem',
      fallback: '',
      production: true,
      parse: optional(absolutePath),
    }),
  },
  'Sessions and roles': {
    SESSION_KEYS: setting({
      description: 'Keys that seal sessions, as id:base64 of 32 bytes; the first seals, all open',
      example: 'k2:…,k1:…   (openssl rand -base64 32)',
      secret: true,
      production: true,
      parse: keys,
    }),
    SESSION_IDLE_SECONDS: setting({
      description: 'A session ends after this time without a request',
      example: '1800',
      fallback: '3600',
      parse: integer(60, 86_400),
    }),
    SESSION_ABSOLUTE_SECONDS: setting({
      description: 'A session ends after this time in any case',
      example: '28800',
      fallback: '36000',
      parse: integer(60, 604_800),
    }),
    CLAIMS_MAX_AGE_SECONDS: setting({
      description:
        'Maximum age of the groups by which roles are decided (for projects, promotions, restarts, the audit trail, ending sessions); older ones are renewed at the identity provider first',
      example: '300',
      fallback: '300',
      parse: integer(30, 86_400),
    }),
    PLATFORM_GROUP: setting({
      description: 'Group whose members act for every team',
      example: 'platform-team',
      fallback: 'platform-team',
      parse: text(/^[\x21-\x7e]{1,256}$/, 'a group name'),
    }),
  },
  Limits: {
    FAILED_SIGN_INS_PER_MINUTE: setting({
      description:
        'Failed sign-ins per minute and client address (IPv6: /64 network); further failures are answered 429. A successful sign-in is never refused',
      example: '10',
      fallback: '10',
      parse: integer(1, 100_000),
    }),
    FAILED_WEBHOOK_CALLS_PER_MINUTE: setting({
      description:
        'Webhook calls without a valid token per minute and client address (IPv6: /64 network); further ones are answered 429. A valid call is never refused',
      example: '60',
      fallback: '60',
      parse: integer(1, 100_000),
    }),
  },
  Catalog: {
    GIT_HOST: setting({
      description:
        'Kind of git host: `github`, `gitea` (Forgejo too), or `local`, the embedded one',
      example: 'github',
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
    CATALOG_TTL_SECONDS: setting({
      description: 'The catalog is served for this time before the git host is asked again',
      example: '300',
      fallback: '300',
      parse: integer(1, 86_400),
    }),
    CATALOG_MAX_STALE_SECONDS: setting({
      description:
        'An expired catalog is served for this time while the git host cannot be reached',
      example: '3600',
      fallback: '3600',
      parse: integer(0, 604_800),
    }),
    WEBHOOK_TOKEN: setting({
      description:
        'Token of the catalog refresh webhook; two, comma-separated, while it is rotated',
      example: '(openssl rand -hex 24)',
      fallback: '',
      secret: true,
      parse: list(text(/^[\x21-\x7e]{16,256}$/, 'at least 16 printable characters without spaces')),
    }),
  },
  'Projects and promotion': {
    ENVIRONMENTS: setting({
      description:
        'Environments in the order of promotion, as name:lifecycle:role; the role, `member` or `manager` of the owning team, may promote to it. Lifecycles, folders, namespaces, secret paths and the OpenAPI document follow from it',
      example:
        'dev:development:member,qa:testing:member,staging:staging:manager,production:production:manager',
      fallback: 'dev:development:member,staging:staging:manager,production:production:manager',
      parse: parseEnvironments,
    }),
    TEMPLATES_REPOSITORY: setting({
      description:
        'Repository with the project templates, as owner/name; by default `templates` of the owner of GITOPS_REPOSITORY',
      example: 'acme/templates',
      fallback: '',
      parse: optional(repository),
    }),
    REPOSITORY_CODEOWNERS: setting({
      description:
        'Line of the `CODEOWNERS` file that a new repository gets unless its template has one; `{org}` and `{team}` are replaced. On Gitea and Forgejo patterns are regular expressions (`.* @{org}/{team}`). Without it there is no such file',
      example: '* @{org}/{team}',
      fallback: '',
      parse: text(
        /^$|^(?=[^ #])(?:[\x20-\x7a|~]|\{(?:org|team)\}){1,200}$/,
        'one line of a CODEOWNERS file, in braces {org} and {team} only',
      ),
    }),
    IMAGE_REGISTRY: setting({
      description:
        'Registry and path of container images, without the name of the application; by default `ghcr.io/` and the owner of GITOPS_REPOSITORY',
      example: 'registry.example.org/acme',
      fallback: '',
      parse: text(
        /^$|^[a-z0-9][a-z0-9.:/_-]{0,200}[a-z0-9]$/,
        'a registry, with a path if it has one',
      ),
    }),
    TENANT_APP_API_VERSION: setting({
      description: 'API group and version of the XTenantApp resources that describe applications',
      example: 'platform.example.org/v1alpha1',
      fallback: 'platform.example.org/v1alpha1',
      parse: text(/^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?\/v[0-9a-z]{1,20}$/, 'group/version'),
    }),
    SECRET_STORE: setting({
      description:
        'Kind of secret store for the secrets of applications: `vault` (OpenBao too), or `file`, sealed files of this instance',
      example: 'vault',
      fallback: 'file',
      production: true,
      parse: entryOf(secretStores),
    }),
  },
  Clusters: {
    CLUSTERS_FILE: setting({
      description:
        'Cluster registry, a YAML file; read again when it or a CA file changes. Without it there are no clusters',
      example: '/etc/portico/clusters.yaml',
      fallback: '',
      production: true,
      parse: (given) => (given === '' ? ok(given) : absolutePath(given)),
    }),
    BUN_CONFIG_MAX_HTTP_REQUESTS: setting({
      description:
        'Limit of concurrent requests to other services, a setting of Bun itself; half of them may be watches and logs that people follow',
      example: '4096',
      fallback: '256',
      parse: integer(16, 65_535),
    }),
  },
  'Command line client': {
    CLI_REPOSITORY: setting({
      description:
        'Repository with the releases of the command line client, as owner/name; by default `cli` of the owner of GITOPS_REPOSITORY',
      example: 'acme/cli',
      fallback: '',
      parse: optional(repository),
    }),
    CLI_TAG_PREFIX: setting({
      description:
        'Prefix of release tags, before a hyphen and the version; also the name of the installed program',
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
      description: 'Disk space in DATA_DIR for copies of release files, in megabytes',
      example: '2048',
      fallback: '2048',
      parse: integer(1, 1_000_000),
    }),
  },
  Operation: {
    READYZ_REQUIRE_SESSION: setting({
      description: 'Whether /readyz needs a session like every other endpoint',
      example: 'true',
      fallback: 'false',
      parse: flag,
    }),
    LOG_LEVEL: setting({
      description: 'Lowest severity of log lines',
      example: 'warn',
      fallback: 'info',
      parse: oneOf('debug', 'info', 'warn', 'error', 'silent'),
    }),
  },
} as const

export const settings = {
  ...subjects.Addresses,
  ...subjects.Data,
  ...subjects['Sessions and roles'],
  ...subjects.Limits,
  ...subjects.Catalog,
  ...subjects['Projects and promotion'],
  ...subjects.Clusters,
  ...subjects['Command line client'],
  ...subjects.Operation,
} as const
