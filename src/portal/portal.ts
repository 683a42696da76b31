import { type App, createApp } from '../app.ts'
import type { Config } from '../config.ts'
import type { Keyring } from '../lib/crypto/keyring.ts'
import { createSessionTokens } from '../lib/domain/access/session-tokens.ts'
import { createSessions, type Sessions } from '../lib/domain/access/sessions.ts'
import { createWebhookTokens } from '../lib/domain/access/webhook-token.ts'
import { type Audit, createAudit } from '../lib/domain/audit/audit.ts'
import type { Catalog } from '../lib/domain/catalog/catalog.ts'
import { createCli } from '../lib/domain/cli/cli.ts'
import { createClusters } from '../lib/domain/clusters/clusters.ts'
import { createPromotion } from '../lib/domain/promotion/promotion.ts'
import { createScaffold } from '../lib/domain/scaffold/scaffold.ts'
import { createReadiness, type Readiness } from '../lib/domain/readiness.ts'
import type { Log } from '../lib/logging/log.ts'
import type { AssetCache } from '../lib/ports/asset-cache.ts'
import type { Clock } from '../lib/ports/clock.ts'
import type { Cluster, Kubernetes } from '../lib/ports/clusters.ts'
import type { Database } from '../lib/ports/database.ts'
import { RepositoryPart } from '../lib/names.ts'
import type { GitHost } from '../lib/ports/git-host.ts'
import type { IdentityProvider } from '../lib/ports/identity.ts'
import type { SecretStore } from '../lib/ports/secret-store.ts'
import type { PortalCatalog } from './catalog.ts'

const SWEEP_EVERY_MS = 60_000
const TEMPLATES = RepositoryPart.of('templates')
const CLI = RepositoryPart.of('cli')

/** What the portal needs from outside, and how it is set. */
export interface PortalOptions {
  readonly gitHost: GitHost
  readonly secretStore: SecretStore
  readonly identity: IdentityProvider
  readonly kubernetes: Kubernetes
  /** The clusters there are now. */
  readonly clusterRegistry: () => readonly Cluster[]
  readonly catalog: PortalCatalog
  /** Copies of the files of the command line client. */
  readonly assetCache: AssetCache
  readonly database: Database
  readonly keyring: Keyring
  readonly clock: Clock
  readonly log: Pick<Log, 'events' | 'access'>
  readonly publicUrl: URL
  readonly config: Pick<
    Config,
    | 'ALLOWED_HOSTS'
    | 'UI_ORIGINS'
    | 'SESSION_IDLE_SECONDS'
    | 'SESSION_ABSOLUTE_SECONDS'
    | 'PLATFORM_GROUP'
    | 'GITOPS_REPOSITORY'
    | 'WEBHOOK_TOKEN'
    | 'TEMPLATES_REPOSITORY'
    | 'CATALOG_DIRECTORY'
    | 'IMAGE_REGISTRY'
    | 'TENANT_APP_API_VERSION'
    | 'CLI_REPOSITORY'
    | 'CLI_TAG_PREFIX'
    | 'CLI_ASSET_PATTERN'
    | 'READYZ_REQUIRE_SESSION'
    | 'BUN_CONFIG_MAX_HTTP_REQUESTS'
  >
  /** Told how a run of the scaffold ended: `complete`, or the code of its failure. */
  readonly onRunEnded?: (outcome: string) => void
  readonly extraRoutes?: (portal: Pick<Portal, 'sessions'>) => App['elysia']
}

/** The domain and its HTTP face, made of ports. `serve` and the demo differ in the ports they bring. */
export interface Portal {
  readonly app: App
  readonly sessions: Sessions
  readonly audit: Audit
  readonly catalog: Catalog
  readonly readiness: Readiness
  /** Begins what runs in the background. */
  start(): void
  drain(): void
  close(): Promise<void>
}

export function createPortal(options: PortalOptions): Portal {
  const { gitHost, database, keyring, clock, publicUrl, config } = options
  const { events: log, access } = options.log
  const repository = config.GITOPS_REPOSITORY
  const { catalog, parser } = options.catalog
  const sessions = createSessions({
    store: database.sessions,
    keyring,
    clock,
    log: (event) => log.warn(event, 'session'),
    idleSeconds: config.SESSION_IDLE_SECONDS,
    absoluteSeconds: config.SESSION_ABSOLUTE_SECONDS,
  })
  const audit = createAudit({
    store: database.audit,
    clock,
    log: (line) => log[line.recorded ? 'info' : 'error'](line, 'audit'),
  })
  const readiness = createReadiness({
    clock,
    git: async () => (await gitHost.head(repository)).ok,
    database: async () => (await database.ping()).ok,
  })
  if (publicUrl.protocol === 'http:' && !isLoopback(publicUrl.hostname)) {
    log.warn('PUBLIC_URL is http: session cookies go over the network unprotected')
  }
  if (config.WEBHOOK_TOKEN.length === 0) {
    log.warn('WEBHOOK_TOKEN is not set: the catalog refresh webhook refuses every call')
  }

  const stopping = new AbortController()
  const scaffold = createScaffold({
    ports: { gitHost, secretStore: options.secretStore },
    store: database.runs,
    catalog,
    clock,
    gitopsRepository: repository,
    templatesRepository: config.TEMPLATES_REPOSITORY ?? { ...repository, name: TEMPLATES },
    catalogDirectory: config.CATALOG_DIRECTORY,
    platformGroup: config.PLATFORM_GROUP,
    imageRegistry: config.IMAGE_REGISTRY || `ghcr.io/${repository.owner.toLowerCase()}`,
    tenantAppApiVersion: config.TENANT_APP_API_VERSION,
    log: (event) => {
      log[event.kind === 'run_ended' ? 'info' : 'error'](event, 'scaffold')
      if (event.kind === 'run_ended') options.onRunEnded?.(event.code)
    },
  })

  const promotion = createPromotion({
    gitHost,
    secretStore: options.secretStore,
    repository,
    catalog,
    audit,
    secretWrites: database.secretWrites,
    keyring,
    clock,
    platformGroup: config.PLATFORM_GROUP,
  })

  const clusters = createClusters({
    registry: options.clusterRegistry,
    kubernetes: options.kubernetes,
    sessions,
    sessionTokens: createSessionTokens({
      store: database.sessions,
      keyring,
      identity: options.identity,
      clock,
    }),
    identity: options.identity,
    audit,
    clock,
    log: (event) => log.warn(event, 'cluster'),
    streamsMax: Math.floor(config.BUN_CONFIG_MAX_HTTP_REQUESTS / 2),
  })

  const cli = createCli({
    gitHost,
    cache: options.assetCache,
    repository: config.CLI_REPOSITORY ?? { ...repository, name: CLI },
    tagPrefix: config.CLI_TAG_PREFIX,
    assetPattern: config.CLI_ASSET_PATTERN,
    clock,
    stopping: stopping.signal,
    log: (event) => log[event.kind === 'fetched' ? 'info' : 'error'](event, 'cli'),
  })

  const extraRoutes = options.extraRoutes?.({ sessions })
  const app = createApp({
    deps: {
      catalog,
      parser,
      scaffold,
      promotion,
      clusters,
      cli,
      cliName: config.CLI_TAG_PREFIX,
      audit,
      sessions,
      webhookTokens: createWebhookTokens(config.WEBHOOK_TOKEN),
      readiness,
      clock,
      stopping: stopping.signal,
      platformGroup: config.PLATFORM_GROUP,
      readyzRequiresSession: config.READYZ_REQUIRE_SESSION,
      secureCookies: publicUrl.protocol === 'https:',
      publicOrigin: publicUrl.origin,
    },
    publicUrl,
    allowedHosts: config.ALLOWED_HOSTS,
    trustedOrigins: config.UI_ORIGINS,
    access,
    log,
    ...(extraRoutes && { extraRoutes }),
  })

  let sweep: Timer | undefined
  return {
    app,
    sessions,
    audit,
    catalog,
    readiness,
    start() {
      sweep = setInterval(() => {
        void sessions.sweep()
        void audit.sweep()
      }, SWEEP_EVERY_MS)
      scaffold.start()
      cli.start()
      void readiness.start()
      void clusters.start()
    },
    drain() {
      readiness.drain()
      scaffold.drain()
      stopping.abort()
    },
    async close() {
      clearInterval(sweep)
      await scaffold.close()
      parser.close()
      await database.close()
    },
  }
}

const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.')
