import { createSecretActors } from '../lib/domain/access/secret-actor.ts'
import { createReturnTo } from '../lib/domain/access/sign-in/return-to.ts'
import { createSignIns } from '../lib/domain/access/sign-in/sign-in.ts'
import { createSignOuts } from '../lib/domain/access/sign-in/sign-out.ts'
import { createTransactionCookies } from '../lib/domain/access/sign-in/transaction-cookie.ts'
import { createPersonSessions } from '../lib/domain/access/sessions/person-sessions.ts'
import {
  createSessionCredentials,
  type SessionTokens,
} from '../lib/domain/access/sessions/session-credentials.ts'
import { createSessionRenewal } from '../lib/domain/access/sessions/session-renewal.ts'
import { createSessions, type Sessions } from '../lib/domain/access/sessions/sessions.ts'
import { type Audit, createAudit } from '../lib/domain/audit/audit.ts'
import { type Catalog, createCatalog } from '../lib/domain/catalog/catalog.ts'
import { createKeptFiles } from '../lib/domain/catalog/kept-files.ts'
import {
  createReplicatedInvalidation,
  type ReplicatedInvalidation,
  type ReplicatedInvalidationOptions,
} from '../lib/domain/replicated-invalidation.ts'
import { owningTeams } from '../lib/domain/catalog/owning-teams.ts'
import type { CatalogParser } from '../lib/domain/catalog/parser.ts'
import { createCli } from '../lib/domain/cli/cli.ts'
import { createClusters } from '../lib/domain/clusters/clusters.ts'
import type { FailedAttempts } from '../lib/domain/limits/failed-attempts.ts'
import { createReadiness } from '../lib/domain/readiness.ts'
import { createScaffold } from '../lib/domain/scaffold/scaffold.ts'
import type { StepPorts } from '../lib/domain/scaffold/steps/step.ts'
import type { WorkEvent } from '../lib/domain/scaffold/work.ts'
import { type RepositoryId, RepositoryPart } from '../lib/names.ts'
import { nothingKept } from '../lib/ports/kept-bytes.ts'
import type { PortalOptions } from './options.ts'

/** The subjects of the domain, each made of the ports and settings that it needs. */

/** Default names of the other repositories, which have the owner of the gitops repository. */
const TEMPLATES = RepositoryPart.of('templates')
const CLI = RepositoryPart.of('cli')

export const makeCatalog = (
  { gitHost, clock, log, parsedCatalog = nothingKept, config }: PortalOptions,
  parser: CatalogParser,
) =>
  createCatalog({
    gitHost,
    repository: config.GITOPS_REPOSITORY,
    directory: config.CATALOG_DIRECTORY,
    parser,
    kept: createKeptFiles({
      kept: parsedCatalog,
      onNotKept: (failure) => log.events.warn(failure, 'parsed catalog not kept'),
    }),
    clock,
    ttlSeconds: config.CATALOG_TTL_SECONDS,
    maxStaleSeconds: config.CATALOG_MAX_STALE_SECONDS,
    onLoaded: (outcome, tookMs) => {
      if (!outcome.ok) log.events.error({ failure: outcome.error, tookMs }, 'catalog not loaded')
      else log.events.debug({ revision: outcome.value.commit, tookMs }, 'catalog loaded')
    },
  })

export const makeInvalidation = (
  { database, log }: PortalOptions,
  name: ReplicatedInvalidationOptions['name'],
  invalidate: () => void,
): ReplicatedInvalidation =>
  createReplicatedInvalidation({
    name,
    cache: { invalidate },
    generations: database.generations,
    onNotAnnounced: (failure) =>
      log.events.warn(failure, `other replicas not told of a changed ${name} yet`),
  })

export const makeSessions = ({ database, keyring, clock, log, config }: PortalOptions) =>
  createSessions({
    store: database.sessions,
    keyring,
    clock,
    log: (event) => log.events.warn(event, 'session'),
    idleSeconds: config.SESSION_IDLE_SECONDS,
    absoluteSeconds: config.SESSION_ABSOLUTE_SECONDS,
  })

export function makeSignIn(
  options: PortalOptions,
  sessions: Sessions,
  audit: Audit,
  failures: { readonly signIns: FailedAttempts; readonly signOuts: FailedAttempts },
) {
  const { identity, database, keyring, clock, publicUrl, config } = options
  const { events: log } = options.log
  const { usedTokens } = database
  const secure = publicUrl.protocol === 'https:'
  return {
    signIns: createSignIns({
      identity,
      sessions,
      usedTokens,
      transactions: createTransactionCookies({ keyring, clock, secure }),
      readReturnTo: createReturnTo(publicUrl, config.UI_ORIGINS),
      audit,
      failures: failures.signIns,
      log: (event) => log.warn(event, 'sign-in'),
    }),
    signOuts: createSignOuts({
      identity,
      sessions,
      usedTokens,
      audit,
      failures: failures.signOuts,
      log: (event) => log.warn(event, 'sign-out'),
    }),
  }
}

export function makeSessionCredentials(options: PortalOptions, sessions: Sessions, audit: Audit) {
  const { database, keyring, identity, clock, config } = options
  return createSessionCredentials({
    renew: createSessionRenewal({
      store: database.sessions,
      sessions,
      keyring,
      identity,
      audit,
      clock,
      log: (event) => options.log.events.warn(event, 'session'),
    }),
    clock,
    claimsMaxAgeSeconds: config.CLAIMS_MAX_AGE_SECONDS,
  })
}

export const makePersonSessions = ({ config }: PortalOptions, sessions: Sessions, audit: Audit) =>
  createPersonSessions({ sessions, audit, platformGroup: config.PLATFORM_GROUP })

export const makeAudit = ({ database, clock, log }: PortalOptions) =>
  createAudit({
    store: database.audit,
    clock,
    log: (line) => log.events[line.recorded ? 'info' : 'error'](line, 'audit'),
  })

export const makeReadiness = (
  { gitHost, database, secretStore, clock, config }: PortalOptions,
  catalog: Pick<Catalog, 'read' | 'isReadable'>,
) =>
  createReadiness({
    clock,
    git: async () => {
      const head = await gitHost.head(config.GITOPS_REPOSITORY)
      // A load that is due begins, though nobody is sent here who would ask for one.
      void catalog.read()
      // A host that refuses calls because of its limit works, and may refuse them for hours.
      return head.ok || head.error.kind === 'git_rate_limited'
    },
    isCatalogReadable: catalog.isReadable,
    database: async () => (await database.ping()).ok,
    secretStore: async () => {
      const access = await secretStore.access()
      if (access.ok) return 'open'
      return access.error.kind === 'secret_store_denied' ? 'refused' : 'unknown'
    },
  })

export const templatesRepository = ({
  TEMPLATES_REPOSITORY,
  GITOPS_REPOSITORY,
}: Pick<PortalOptions['config'], 'TEMPLATES_REPOSITORY' | 'GITOPS_REPOSITORY'>): RepositoryId =>
  TEMPLATES_REPOSITORY ?? { ...GITOPS_REPOSITORY, name: TEMPLATES }

const RUN_EVENT_LEVELS = {
  run_ended: 'info',
  run_paused: 'warn',
  run_lost: 'error',
  step_failed: 'error',
  unexpected: 'error',
} as const satisfies Record<WorkEvent['kind'], string>

export function makeScaffold(
  options: PortalOptions,
  {
    askers,
    moves,
    ...parts
  }: { readonly catalog: Catalog; readonly audit: Audit } & Pick<StepPorts, 'askers' | 'moves'>,
) {
  const { gitHost, secretStore, database, clock, config, onRunEnded } = options
  const { events: log } = options.log
  const { GITOPS_REPOSITORY: gitops } = config
  return createScaffold({
    ports: { gitHost, secretStore, askers, moves },
    ...parts,
    store: database.runs,
    clock,
    gitopsRepository: gitops,
    templatesRepository: templatesRepository(config),
    catalogDirectory: config.CATALOG_DIRECTORY,
    platformGroup: config.PLATFORM_GROUP,
    pipeline: config.ENVIRONMENTS,
    imageRegistry: config.IMAGE_REGISTRY || `ghcr.io/${gitops.owner.toLowerCase()}`,
    tenantAppApiVersion: config.TENANT_APP_API_VERSION,
    codeowners: config.REPOSITORY_CODEOWNERS,
    log: (event) => {
      log[RUN_EVENT_LEVELS[event.kind]](event, 'scaffold')
      if (event.kind === 'run_ended') onRunEnded?.(event.code)
    },
  })
}

export const makeSecretActors = ({ secretStore }: PortalOptions, sessionTokens: SessionTokens) =>
  createSecretActors({ secretStore, sessionTokens })

export function makeClusters(
  options: PortalOptions,
  sessions: Sessions,
  sessionTokens: SessionTokens,
  audit: Audit,
  catalog: Pick<Catalog, 'peek'>,
) {
  const { kubernetes, identity, clock, config } = options
  return createClusters({
    registry: options.clusterRegistry,
    kubernetes,
    sessions,
    sessionTokens,
    identity,
    audit,
    catalogTeams() {
      const snapshot = catalog.peek()?.value
      return snapshot === undefined ? null : owningTeams(snapshot, config.GITOPS_REPOSITORY.owner)
    },
    platformGroup: config.PLATFORM_GROUP,
    clock,
    log: (event) => options.log.events.warn(event, 'cluster'),
    streamsMax: Math.floor(config.BUN_CONFIG_MAX_HTTP_REQUESTS / 2),
  })
}

export function makeCli(options: PortalOptions, stopping: AbortSignal) {
  const { gitHost, assetCache, clock, config } = options
  const { events: log } = options.log
  return createCli({
    gitHost,
    cache: assetCache,
    repository: config.CLI_REPOSITORY ?? { ...config.GITOPS_REPOSITORY, name: CLI },
    tagPrefix: config.CLI_TAG_PREFIX,
    assetPattern: config.CLI_ASSET_PATTERN,
    clock,
    stopping,
    log: (event) => log[event.kind === 'fetched' ? 'info' : 'error'](event, 'cli'),
  })
}
