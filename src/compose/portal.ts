import { type App, createApp } from '../app.ts'
import type { Sessions } from '../lib/domain/access/sessions/sessions.ts'
import { createWebhookTokens } from '../lib/domain/access/webhook-token.ts'
import type { Audit } from '../lib/domain/audit/audit.ts'
import type { Catalog } from '../lib/domain/catalog/catalog.ts'
import { type Connections, createConnections } from '../lib/domain/connections.ts'
import { createEntityDocs } from '../lib/domain/catalog/entity-docs.ts'
import { createCatalogParser } from '../lib/domain/catalog/parser.ts'
import { createValidations } from '../lib/domain/catalog/validations.ts'
import { createSourcePages } from '../lib/domain/gitops/source-pages.ts'
import type { RateLimits } from '../lib/domain/limits/rate-limits.ts'
import type { Readiness } from '../lib/domain/readiness.ts'
import { createOutages } from '../lib/logging/outages.ts'
import { createAdmission } from '../lib/http/admission.ts'
import { createClientAddress } from '../lib/http/client-address.ts'
import { settingWarnings } from './connections/settings.ts'
import { makeCatalogState, makeEvents, makePromotionState } from './events.ts'
import { makeForge } from './forge.ts'
import { makeLimits } from './limits.ts'
import type { PortalOptions } from './options.ts'
import { withGitHostRefusals, withSecretStoreRefusals } from './refusals.ts'
import {
  makeAudit,
  makeCatalog,
  makeCli,
  makeClusters,
  makeGrants,
  makeInvalidation,
  makePersonSessions,
  makeReadiness,
  makeRuns,
  makeScaffold,
  makeSecretActors,
  makeSessionCredentials,
  makeSessions,
  makeSignIn,
  templatesRepository,
} from './parts.ts'
import { makeApps, makeRequesters, makeFacts, makeOverviews, makePromotion } from './promotion.ts'

const SWEEP_EVERY_MS = 60_000

/** The domain and its HTTP interface. */
export interface Portal {
  readonly app: App
  readonly sessions: Sessions
  readonly audit: Audit
  readonly limits: RateLimits
  readonly catalog: Catalog
  readonly readiness: Readiness
  readonly connections: Connections
  /** Starts the background work. Resolves after the first checks and the first load, or when that takes too long. */
  start(): Promise<void>
  drain(): void
  close(): Promise<void>
}

export function createPortal(given: PortalOptions): Portal {
  const { clock, publicUrl, config, database } = given
  const outages = createOutages({ clock, log: given.log.events })
  const gitHost = withGitHostRefusals(given.gitHost, outages)
  const secretStore = withSecretStoreRefusals(given.secretStore, outages)
  const options = { ...given, gitHost, secretStore, outages }
  for (const { text } of settingWarnings({ ...config, PUBLIC_URL: publicUrl })) {
    options.log.events.warn(text)
  }
  const stopping = new AbortController()
  const parser = createCatalogParser(config.ENVIRONMENTS)
  const catalog = makeCatalog(options, parser)
  const validations = createValidations(createCatalogParser(config.ENVIRONMENTS))
  const catalogState = makeCatalogState(options, catalog)
  const requesters = makeRequesters(options)
  const facts = makeFacts(options)
  const apps = makeApps(options)
  const overviews = makeOverviews(options, { catalog, apps, requesters })
  const { promotionState, promotionRevision } = makePromotionState(options, overviews)
  const invalidatePulls = () => {
    overviews.invalidate()
    promotionState.refresh()
  }
  // In the database the counters of `pulls` and `files` are `overview` and `catalog`.
  const pulls = makeInvalidation(options, 'overview', invalidatePulls)
  const files = makeInvalidation(options, 'catalog', () => {
    catalog.invalidate()
    catalogState.refresh()
    invalidatePulls()
  })
  const sessions = makeSessions(options)
  const audit = makeAudit(options)
  const { limits, failedSessions, failedGitSignIns, ...limited } = makeLimits(options, audit)
  const readiness = makeReadiness(options, catalog)
  const connections = createConnections(options.connections, {
    clock,
    onBug: (name, bug) => options.log.events.error({ err: bug, name }, 'connection check'),
  })
  const runs = makeRuns(options)
  const scaffold = makeScaffold(options, { catalog, audit, runs, requesters, pulls })
  const { tokens, claims } = makeSessionCredentials(options, sessions, audit)
  const grants = makeGrants(options, sessions, claims, audit)
  const clusters = makeClusters(options, sessions, tokens, audit, catalog)
  const cli = makeCli(options, stopping.signal)
  const promotion = makePromotion(options, {
    catalog: { atHead: () => catalog.atHead(), invalidate: () => files.invalidate() },
    apps,
    audit,
    runs,
    requesters,
    facts,
    pulls,
  })
  const git = makeForge(options, {
    audit,
    claims,
    usage: limited.usage,
    failures: failedGitSignIns,
    files,
    sessions,
  })
  const extraRoutes = options.extraRoutes?.({ sessions, audit })
  const app = createApp({
    deps: {
      catalog,
      invalidations: { files, pulls },
      overviews,
      pullRequestFacts: facts,
      validations,
      scaffold,
      runs,
      pipeline: config.ENVIRONMENTS,
      promotion,
      promotionRevision,
      clusters,
      cli,
      cliName: config.CLI_TAG_PREFIX,
      audit,
      sessions,
      ...grants,
      ...makeSignIn(options, sessions, audit, grants.grants, failedSessions),
      claims,
      secretActors: makeSecretActors(options, tokens),
      personSessions: makePersonSessions(options, sessions, audit),
      webhookTokens: createWebhookTokens(config.WEBHOOK_TOKEN),
      ...limited,
      ...makeEvents(options, {
        catalogState,
        promotionState,
        sessions,
        runs,
        clusters,
        ...limited,
      }),
      gitopsRepository: config.GITOPS_REPOSITORY,
      entityDocs: createEntityDocs({ gitHost, gitops: config.GITOPS_REPOSITORY, clock }),
      gitopsPages: createSourcePages(gitHost, config.GITOPS_REPOSITORY),
      templatesPages: createSourcePages(gitHost, templatesRepository(config)),
      deployTokens: git?.deployTokens ?? null,
      readiness,
      connections,
      clock,
      stopping: stopping.signal,
      platformGroup: config.PLATFORM_GROUP,
      readyzRequiresSession: config.READYZ_REQUIRE_SESSION,
      publicOrigin: publicUrl.origin,
    },
    publicUrl,
    allowedHosts: config.ALLOWED_HOSTS,
    trustedOrigins: config.UI_ORIGINS,
    clientAddress: createClientAddress(config.TRUSTED_PROXIES),
    admission: createAdmission({
      requestsMax: config.REQUESTS_IN_FLIGHT_MAX,
      lagMaxMs: config.EVENT_LOOP_LAG_MAX_MS,
    }),
    access: options.log.access,
    log: options.log.events,
    start:
      config.CONSOLE === 'on'
        ? { kind: 'console' }
        : { kind: 'redirect', to: options.startPage ?? '/docs' },
    moreRoutes: [git?.routes, extraRoutes].filter((routes) => routes !== undefined),
  })

  let sweep: Timer | undefined
  return {
    app,
    sessions,
    audit,
    limits,
    catalog,
    readiness,
    connections,
    async start() {
      files.start()
      pulls.start()
      // Begins the first loads, so that the first requests need not.
      const loading = catalog.read()
      overviews.warm()
      sweep = setInterval(() => {
        void sessions.sweep()
        void audit.sweep()
        void requesters.sweep()
        void limits.sweep()
        void database.usedTokens.sweep(clock.now())
        void database.grantTokens.sweep(clock.now())
      }, SWEEP_EVERY_MS)
      scaffold.start()
      promotion.start()
      cli.start()
      void clusters.start()
      await Promise.all([loading, readiness.start()])
    },
    drain() {
      readiness.drain()
      scaffold.drain()
      promotion.drain()
      stopping.abort()
    },
    async close() {
      clearInterval(sweep)
      await scaffold.close()
      await promotion.close()
      await limits.close()
      await audit.close()
      await files.close()
      await pulls.close()
      parser.close()
      validations.close()
      await options.secretStore.close()
      await database.close()
    },
  }
}
