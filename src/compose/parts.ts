import { createGrantClients } from '../lib/domain/access/grants/clients.ts'
import { createConsents } from '../lib/domain/access/grants/consent.ts'
import { createGrants, type Grants } from '../lib/domain/access/grants/grants.ts'
import { createWorkloads, isGivenBy } from '../lib/domain/access/grants/workloads.ts'
import { createSecretActors } from '../lib/domain/access/secret-actor.ts'
import { createReturnTo } from '../lib/domain/access/sign-in/return-to.ts'
import { createSignIns } from '../lib/domain/access/sign-in/sign-in.ts'
import { createSignOuts } from '../lib/domain/access/sign-in/sign-out.ts'
import { createTransactionCookies } from '../lib/domain/access/sign-in/transaction-cookie.ts'
import { createPersonSessions } from '../lib/domain/access/sessions/person-sessions.ts'
import {
  createSessionCredentials,
  type SessionClaims,
  type SessionTokens,
} from '../lib/domain/access/sessions/session-credentials.ts'
import { createSessionRenewal } from '../lib/domain/access/sessions/session-renewal.ts'
import {
  createSessions,
  type SessionEvent,
  type Sessions,
} from '../lib/domain/access/sessions/sessions.ts'
import { type Audit, createAudit } from '../lib/domain/audit/audit.ts'
import type { RepositoryLimits } from '../lib/domain/catalog/admission.ts'
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
import { createRuns, type Runs } from '../lib/domain/runs/runs.ts'
import { createScaffold } from '../lib/domain/scaffold/scaffold.ts'
import type { StepPorts } from '../lib/domain/scaffold/steps/step.ts'
import type { WorkEvent } from '../lib/domain/scaffold/work.ts'
import { type RepositoryId, RepositoryPart } from '../lib/names.ts'
import type { DatabaseFailure } from '../lib/ports/database/failure.ts'
import { nothingKept } from '../lib/ports/kept-bytes.ts'
import type { PartOptions, PortalOptions } from './options.ts'

/** The subjects of the domain, each made of the ports and settings that it needs. */

/** Default names of the other repositories, which have the owner of the gitops repository. */
const TEMPLATES = RepositoryPart.of('templates')
const CLI = RepositoryPart.of('cli')

export const repositoryLimits = ({
  CATALOG_FILES_MAX: filesMax,
  CATALOG_MEMORY_MEGABYTES: megabytes,
}: PortalOptions['config']): RepositoryLimits => ({ filesMax, memoryMaxBytes: megabytes * 1e6 })

/** Systems in the log. */
const DATABASE = 'the database'
const IDENTITY = 'the identity provider'
const clusterNamed = (id: string): string => `the cluster ${id}`

/** Without what differs from call to call, such as a time to wait. */
export const causeOf = (failure: { readonly kind: string; readonly reason?: string }): string =>
  `${failure.kind} ${failure.reason ?? ''}`

const noDatabase = (
  { outages }: Pick<PartOptions, 'outages'>,
  during: string,
  { reason }: Pick<DatabaseFailure, 'reason'>,
): void =>
  outages.failed(DATABASE, reason, { during, reason }, 'the database does not answer as it should')

export const makeCatalog = (
  { gitHost, clock, log, outages, parsedCatalog = nothingKept, config }: PartOptions,
  parser: CatalogParser,
) =>
  createCatalog({
    gitHost,
    repository: config.GITOPS_REPOSITORY,
    directory: config.CATALOG_DIRECTORY,
    parser,
    kept: createKeptFiles({
      kept: parsedCatalog,
      pageOf: (commit) => gitHost.pageUrl(config.GITOPS_REPOSITORY, { kind: 'commit', commit }),
      directory: config.CATALOG_DIRECTORY,
      onNotKept: (failure) =>
        outages.refused('the parsed catalog', failure.kind, failure, 'parsed catalog not kept'),
    }),
    limits: repositoryLimits(config),
    clock,
    ttlSeconds: config.CATALOG_TTL_SECONDS,
    maxStaleSeconds: config.CATALOG_MAX_STALE_SECONDS,
    onLoaded: (outcome, tookMs) => {
      if (outcome.ok) {
        outages.worked('the catalog')
        log.events.debug({ revision: outcome.value.commit, tookMs }, 'catalog loaded')
      } else {
        const { error: failure } = outcome
        const facts = { failure, tookMs }
        outages.failed('the catalog', causeOf(failure), facts, 'catalog not loaded', 'error')
      }
    },
  })

export const makeInvalidation = (
  { database, outages }: PartOptions,
  name: ReplicatedInvalidationOptions['name'],
  invalidate: () => void,
): ReplicatedInvalidation =>
  createReplicatedInvalidation({
    name,
    cache: { invalidate },
    generations: database.generations,
    onNotAnnounced: (failure) => noDatabase({ outages }, `invalidation of ${name}`, failure),
  })

/** A failure of the database is the same for everybody; other events concern one session. */
const sessionLog =
  ({ log, outages }: Pick<PartOptions, 'log' | 'outages'>) =>
  (event: SessionEvent): void => {
    if (event.kind !== 'store_unavailable') log.events.warn(event, 'session')
    else noDatabase({ outages }, `${event.during} of a session`, event)
  }

export const makeSessions = ({ database, keyring, clock, config, ...logs }: PartOptions) =>
  createSessions({
    store: database.sessions,
    grantTokens: database.grantTokens,
    keyring,
    clock,
    log: sessionLog(logs),
    idleSeconds: config.SESSION_IDLE_SECONDS,
    absoluteSeconds: config.SESSION_ABSOLUTE_SECONDS,
  })

export function makeGrants(
  { identity, database, keyring, clock, publicUrl, log, config, workloads }: PortalOptions,
  sessions: Sessions,
  claims: SessionClaims,
  audit: Audit,
) {
  const { origin } = publicUrl
  const resources = [origin, `${origin}/mcp`] as const
  const consents = createConsents(keyring, clock)
  const grants = createGrants({
    sessions,
    tokens: database.grantTokens,
    usedTokens: database.usedTokens,
    consents,
    claims,
    identity,
    audit,
    clock,
    findClient: createGrantClients(
      `${origin}/oauth/code`,
      config.OAUTH_CLIENTS,
      async (address) => {
        const { readPublicDocument } = await import('../lib/outbound/public-document.ts')
        const read = await readPublicDocument(address)
        if (!read.ok) log.events.warn({ address, reason: read.error }, 'client metadata')
        return read
      },
      clock,
    ),
    issuer: origin,
    resources,
  })
  return {
    consents,
    grants,
    workloads:
      workloads === undefined
        ? null
        : createWorkloads({
            ...workloads,
            usedTokens: database.usedTokens,
            grants,
            resources,
            onRefused: (rule, why) => log.events.warn({ rule, ...why }, 'workload refused'),
          }),
  }
}

export function makeSignIn(
  options: PortalOptions,
  sessions: Sessions,
  audit: Audit,
  grants: Grants,
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
      transactions: createTransactionCookies(keyring, clock, secure),
      readReturnTo: createReturnTo(publicUrl, config.UI_ORIGINS),
      audit,
      grants,
      failures: failures.signIns,
      log: (event) => log.warn(event, 'sign-in'),
    }),
    signOuts: createSignOuts({
      identity,
      sessions,
      usedTokens,
      audit,
      endsGrants: config.LOGOUT_ENDS_GRANTS,
      failures: failures.signOuts,
      log: (event) => log.warn(event, 'sign-out'),
    }),
  }
}

export function makeSessionCredentials(options: PartOptions, sessions: Sessions, audit: Audit) {
  const { database, keyring, identity, clock, outages, config, workloads } = options
  const renew = createSessionRenewal({
    store: database.sessions,
    sessions,
    keyring,
    identity: {
      async renew(tokens) {
        const renewed = await identity.renew(tokens)
        if (renewed.ok) outages.worked(IDENTITY)
        return renewed
      },
    },
    audit,
    clock,
    log(event) {
      const { failure } = event
      // Other failures may come from the token of one person, and are no outage.
      const isOutage =
        failure.kind === 'identity_unreachable' || failure.kind === 'identity_timeout'
      outages[isOutage ? 'failed' : 'refused'](IDENTITY, causeOf(failure), event, 'session')
    },
  })
  return createSessionCredentials(renew, clock, config.CLAIMS_MAX_AGE_SECONDS, (grant) =>
    isGivenBy(workloads?.rules() ?? [], grant),
  )
}

export const makePersonSessions = ({ config }: PortalOptions, sessions: Sessions, audit: Audit) =>
  createPersonSessions(sessions, audit, config.PLATFORM_GROUP)

export const makeAudit = ({ database, clock, log }: PortalOptions) =>
  createAudit(database.audit, clock, (line) =>
    log.events[line.recorded ? 'info' : 'error'](line, 'audit'),
  )

export const makeReadiness = (
  { gitHost, database, secretStore, clock, outages, config }: PartOptions,
  catalog: Pick<Catalog, 'read' | 'state'>,
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
    catalog: catalog.state,
    async database() {
      const ping = await database.ping()
      if (ping.ok) outages.worked(DATABASE)
      else noDatabase({ outages }, 'ping', ping.error)
      return ping.ok
    },
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

export const makeRuns = ({ database, log, config }: PortalOptions): Runs =>
  createRuns({
    store: database.runs,
    platformGroup: config.PLATFORM_GROUP,
    onBug: (run, bug) => log.events.error({ run, bug }, 'run'),
  })

export function makeScaffold(
  options: PortalOptions,
  {
    requesters,
    pulls,
    ...parts
  }: {
    readonly catalog: Catalog
    readonly audit: Audit
    readonly runs: Runs
  } & Pick<StepPorts, 'requesters' | 'pulls'>,
) {
  const { gitHost, secretStore, database, clock, config, onRunEnded } = options
  const { events: log } = options.log
  const { GITOPS_REPOSITORY: gitops } = config
  return createScaffold({
    ports: { gitHost, secretStore, requesters, pulls },
    ...parts,
    store: database.runs,
    clock,
    gitopsRepository: gitops,
    templatesRepository: templatesRepository(config),
    catalogDirectory: config.CATALOG_DIRECTORY,
    platformGroup: config.PLATFORM_GROUP,
    pipeline: config.ENVIRONMENTS,
    clusterRegistry: options.clusterRegistry,
    reservedNamespaces: config.RESERVED_NAMESPACES,
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
  createSecretActors(secretStore, sessionTokens)

export function makeClusters(
  options: PartOptions,
  sessions: Sessions,
  sessionTokens: SessionTokens,
  audit: Audit,
  catalog: Pick<Catalog, 'peek'>,
) {
  const { kubernetes, identity, clock, outages, config } = options
  return createClusters({
    registry: options.clusterRegistry,
    kubernetes: {
      ...kubernetes,
      async probe(cluster) {
        const probed = await kubernetes.probe(cluster)
        if (probed.kind === 'ready') outages.worked(clusterNamed(cluster.id))
        return probed
      },
    },
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
    log(event) {
      if ('bug' in event) return options.log.events.error(event, 'cluster')
      outages.failed(clusterNamed(event.cluster), JSON.stringify(event.failure), event, 'cluster')
    },
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
