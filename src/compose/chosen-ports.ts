import type { Config } from '../config/config.ts'
import { databaseUrl, readDatabaseAuthority } from '../config/database.ts'
import { checkDatabaseUrls } from '../lib/adapters/database/check/index.ts'
import type { GitHostContext } from '../lib/adapters/hosts/index.ts'
import {
  parseWorkloadRules,
  type WorkloadRule,
  type WorkloadRuleSettings,
} from '../lib/domain/access/grants/workload-rule.ts'
import { createLog, type Log } from '../lib/logging/log.ts'
import type { EnvironmentName } from '../lib/names.ts'
import { systemClock } from '../lib/ports/clock.ts'
import type { ConnectionFinding } from '../lib/ports/connection-finding.ts'
import type { GitHost } from '../lib/ports/git-host.ts'
import type { Cluster } from '../lib/ports/clusters.ts'
import type { IdentityProvider } from '../lib/ports/identity.ts'
import type { SecretVersionStore } from '../lib/ports/database/secret-versions.ts'
import type { SecretStore } from '../lib/ports/secret-store.ts'
import { err, ok, type Result } from '../lib/result.ts'
import { openClusterRegistry } from './cluster-registry.ts'
import { type OpenEntries, openEntryFile } from './entry-file.ts'

/** The ports that the settings choose. Nobody was asked over the network yet. */
export interface ChosenPorts {
  readonly gitHost: GitHost
  readonly secretStore: SecretStore
  readonly identity: IdentityProvider
  readonly registry: OpenEntries<Cluster>
  readonly workloads: OpenEntries<WorkloadRule>
  /** Certificates in PEM. */
  readonly databaseAuthority: string | null
  /** The TLS of each connection to the database. */
  readonly databaseUrls: readonly ConnectionFinding[]
}

export interface ChoiceMeans {
  readonly log: Pick<Log['events'], 'info' | 'warn' | 'error'>
  readonly onRateLimit: GitHostContext['onRateLimit']
  readonly writeTurns: GitHostContext['writeTurns']
  /** The sealed rows of the database, which is opened later. */
  readonly secretVersions: () => SecretVersionStore
  /** Aborted when the ports are not needed any more. */
  readonly signal: AbortSignal
}

/** Opens what the given settings choose, and reads the files that they name. */
async function openEach(
  config: Partial<Config>,
  { log, onRateLimit, writeTurns, secretVersions, signal }: ChoiceMeans,
) {
  const { DATA_DIR: dataDirectory, PUBLIC_URL: publicUrl, CLUSTERS_FILE: clusters } = config
  const means = { clock: systemClock, log }
  const environments = config.ENVIRONMENTS?.stages.map(({ environment }) => environment)
  const { DATABASE_CA_FILE, DATABASE_URL, DATABASE_LISTEN_URL: listenUrl } = config
  const [gitHost, secretStore, identity] = await Promise.all([
    dataDirectory === undefined
      ? undefined
      : publicUrl &&
        config.openGitHost?.({
          ...means,
          dataDirectory,
          publicOrigin: publicUrl.origin,
          onRateLimit,
          writeTurns,
        }),
    environments && config.openSecretStore?.({ ...means, environments, secretVersions }),
    publicUrl && config.openIdentity?.({ ...means, publicUrl, signal }),
  ])
  const authority =
    DATABASE_CA_FILE === undefined ? undefined : readDatabaseAuthority({ DATABASE_CA_FILE })
  const urls =
    DATABASE_URL === undefined || dataDirectory === undefined
      ? undefined
      : checkDatabaseUrls({
          url: databaseUrl({ DATABASE_URL, DATA_DIR: dataDirectory }),
          listenUrl: listenUrl ?? null,
          authority: authority?.ok === true ? authority.value : null,
        })
  const registry =
    clusters === undefined || environments === undefined
      ? undefined
      : openRegistry(clusters, environments, log)
  const workloads =
    publicUrl === undefined || environments === undefined
      ? undefined
      : openWorkloads(config, { origin: publicUrl.origin, environments, log })
  return { gitHost, secretStore, identity, authority, urls, registry, workloads }
}

type Opened = Awaited<ReturnType<typeof openEach>>

const mistakesOf = (opened: Opened): readonly string[] =>
  Object.values(opened).flatMap((part) => {
    if (!part || part.ok) return []
    return typeof part.error === 'string' ? part.error.split('\n') : part.error
  })

/**
 * Opens what the settings choose, and reads the files that they name.
 * @returns every mistake, as sentences for the operator without a full stop
 */
export async function openChosenPorts(
  config: Config,
  means: ChoiceMeans,
): Promise<Result<ChosenPorts, readonly string[]>> {
  const opened = await openEach(config, means)
  const { gitHost, secretStore, identity, registry, workloads, authority, urls } = opened
  if (
    !gitHost?.ok ||
    !secretStore?.ok ||
    !identity?.ok ||
    !registry?.ok ||
    !workloads?.ok ||
    !authority?.ok ||
    !urls?.ok
  ) {
    return err(mistakesOf(opened))
  }
  return ok({
    gitHost: gitHost.value,
    secretStore: secretStore.value,
    identity: identity.value,
    registry: registry.value,
    workloads: workloads.value,
    databaseAuthority: authority.value,
    databaseUrls: urls.value,
  })
}

/** The mistakes in the files that the settings without mistakes name. */
export async function fileMistakes(config: Partial<Config>): Promise<readonly string[]> {
  const closing = new AbortController()
  const opened = await openEach(config, {
    ...withoutCalls,
    signal: closing.signal,
  })
  closing.abort()
  if (opened.registry?.ok === true) opened.registry.value.close()
  if (opened.workloads?.ok === true) opened.workloads.value.close()
  if (opened.secretStore?.ok === true) await opened.secretStore.value.close()
  return mistakesOf(opened)
}

function noDatabase(): never {
  throw new Error('the database is not open')
}

/** Means of ports that only check their settings and peers: their log is silent, and their store fails. */
export const withoutCalls: Omit<ChoiceMeans, 'signal'> = {
  log: createLog({ level: 'silent' }).events,
  onRateLimit() {},
  writeTurns: noDatabase,
  secretVersions: noDatabase,
}

function openRegistry(
  path: string,
  environments: readonly EnvironmentName[],
  log: ChoiceMeans['log'],
): Result<OpenEntries<Cluster>, readonly string[]> {
  if (path === '') return ok({ entries: () => [], close() {} })
  const registry = openClusterRegistry({ path, environments, clock: systemClock, log })
  return registry.ok ? registry : err(registry.error.map((mistake) => `CLUSTERS_FILE: ${mistake}`))
}

function openWorkloads(
  { WORKLOADS_FILE: path, PLATFORM_GROUP: platformGroup }: Partial<Config>,
  {
    log,
    ...settings
  }: Pick<ChoiceMeans, 'log'> & Pick<WorkloadRuleSettings, 'origin' | 'environments'>,
): Result<OpenEntries<WorkloadRule>, readonly string[]> | undefined {
  if (path === undefined || platformGroup === undefined) return undefined
  if (path === '') return ok({ entries: () => [], close() {} })
  const opened = openEntryFile({
    path,
    name: 'workload rules',
    parse: (text, readFile) => parseWorkloadRules(text, { ...settings, readFile, platformGroup }),
    facts: (rules) => ({ rules: rules.map(({ name }) => name) }),
    log,
  })
  return opened.ok ? opened : err(opened.error.map((mistake) => `WORKLOADS_FILE: ${mistake}`))
}
