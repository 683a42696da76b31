import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { checkEach } from '../compose/connections/clusters.ts'
import { repositoriesOf } from '../compose/connections/subjects.ts'
import { openPortalMetrics } from '../compose/metrics.ts'
import { diskFailure } from '../compose/disk-failure.ts'
import { createPortal } from '../compose/portal.ts'
import { moveSecretFolder } from '../compose/secret-folder.ts'
import { type Service, StartFailure } from '../compose/server.ts'
import { createDiskAssetCache } from '../lib/adapters/asset-cache/disk.ts'
import { openDatabase } from '../lib/adapters/database/index.ts'
import { createKubernetes } from '../lib/adapters/clusters/index.ts'
import { createLocalGitHost } from '../lib/adapters/hosts/forge/index.ts'
import { checkGit } from '../lib/git/version.ts'
import { createFileSecretStore } from '../lib/adapters/secret-store/file/index.ts'
import { createLog } from '../lib/logging/log.ts'
import { systemClock } from '../lib/ports/clock.ts'
import { startClusters } from './demo-clusters.ts'
import { createImages } from './clusters/images.ts'
import { createDelivery } from './delivery/delivery.ts'
import { createPipelines } from './delivery/pipelines.ts'
import { createDemoIdentity } from './identity.ts'
import { lockInstance } from './instance-lock.ts'
import { keepKeys, keepSigningKey } from './keys.ts'
import { personOfPassword } from './people.ts'
import { withReleases } from './releases.ts'
import { routes } from './routes.gen.ts'
import { seed } from './seed/seed.ts'
import type { PortalConfig } from '../compose/options.ts'
import { WEBHOOK_TOKEN } from './settings.ts'
import { createWebhook } from './webhook.ts'

const DEFAULT_BRANCH_REF = 'refs/heads/main'

/** Builds the portal with adapters that keep their state in the data directory. */
export async function prepareDemo(config: PortalConfig, publicUrl: URL): Promise<Service> {
  const { DATA_DIR: directory } = config
  mkdirSync(directory, { recursive: true })
  const git = await checkGit()
  if (!git.ok) throw new StartFailure(git.error)
  const lock = lockInstance(directory)
  if (lock.kind === 'taken') {
    throw new StartFailure(
      `another demo (process ${lock.pid}) uses ${directory}; end it, or choose another DATA_DIR`,
    )
  }
  const metrics = await openPortalMetrics(config, systemClock)
  const repositories = join(directory, 'git')
  await seed(repositories, systemClock.now())

  const log = createLog({ level: config.LOG_LEVEL, path: join(directory, 'portico.log') })
  const webhook = createWebhook({
    repository: config.GITOPS_REPOSITORY,
    ref: DEFAULT_BRANCH_REF,
    url: new URL('/api/v1/webhooks/catalog/refresh', publicUrl),
    token: config.WEBHOOK_TOKEN[0] ?? WEBHOOK_TOKEN,
    log: log.events,
  })
  let delivery: ReturnType<typeof createDelivery> | undefined
  const local = createLocalGitHost({
    directory: repositories,
    publicUrl: publicUrl.origin,
    // Teams merge in the repositories of their applications, the platform team in all.
    policy: { role: 'member', gitopsRole: 'platform', approvals: 0 },
    onRefsChanged: (repository, changes) => {
      webhook.onRefsChanged(repository, changes)
      delivery?.onRefsChanged(repository, changes)
    },
  })
  const gitHost = withReleases(local, repositories)
  const url = `sqlite:${join(directory, 'portico.sqlite')}`
  const database = await openDatabase(url)
  if (!database.ok) {
    const { reason } = database.error
    throw diskFailure(directory, reason) ?? new StartFailure(`${directory}: ${reason}`)
  }
  const secretKeyring = keepKeys(join(directory, 'secret-store-keys'))
  await moveSecretFolder(directory, url, database.value.secretVersions, secretKeyring)
  const identity = createDemoIdentity(
    keepSigningKey(join(directory, 'identity-signing-key')),
    systemClock,
  )
  const registry = config.IMAGE_REGISTRY || undefined
  const images = createImages(registry)
  const clusters = await startClusters({
    kubeconfig: join(directory, 'kubeconfig'),
    identity,
    images,
    pipeline: config.ENVIRONMENTS,
    clock: systemClock,
    onBug: (error) => log.events.error({ err: error }, 'simulated cluster'),
  })
  delivery = createDelivery({
    gitHost,
    gitops: config.GITOPS_REPOSITORY,
    build: createPipelines({
      directory: repositories,
      images,
      imageOf: ({ owner, name }) => `${registry ?? `ghcr.io/${owner}`}/${name}`,
      clock: systemClock,
    }),
    clusters,
    log: log.events,
  })
  await delivery.start()
  const secretStore = createFileSecretStore({
    versions: () => database.value.secretVersions,
    keyring: secretKeyring,
  })
  const kubernetes = createKubernetes({ requestsAtOnce: config.BUN_CONFIG_MAX_HTTP_REQUESTS })
  const portal = createPortal({
    gitHost: metrics.port('git_host', gitHost),
    secretStore: metrics.port('secret_store', secretStore),
    identity: metrics.port('identity', identity),
    kubernetes: metrics.port('clusters', kubernetes),
    clusterRegistry: () => clusters.registry,
    connections: [
      repositoriesOf(config, gitHost),
      { name: 'secret_store', check: () => secretStore.check() },
      { name: 'clusters', check: () => checkEach(clusters.registry, kubernetes) },
    ],
    assetCache: createDiskAssetCache({
      directory: join(directory, 'cli-assets'),
      maxBytes: config.CLI_CACHE_MEGABYTES * 1e6,
    }),
    database: metrics.port('database', database.value),
    keyring: keepKeys(join(directory, 'session-keys')),
    digestKeyring: keepKeys(join(directory, 'secret-digest-keys')),
    clock: systemClock,
    log: { ...log, access: metrics.access(log.access) },
    publicUrl,
    config: {
      ...config,
      ALLOWED_HOSTS: [`localhost:${publicUrl.port || '80'}`, ...config.ALLOWED_HOSTS],
    },
    onRunEnded: metrics.runEnded,
    startPage: '/dev',
    forge: {
      host: gitHost,
      personOf: personOfPassword,
      changed: async () => {
        await Promise.all([webhook.delivered(), delivery.settled()])
      },
    },
    extraRoutes: ({ sessions, audit }) =>
      routes({
        sessions,
        audit,
        identity,
        hasConsole: config.CONSOLE === 'on',
        origin: publicUrl.origin,
      }),
  })
  metrics.observe(portal, database.value)
  return {
    started: portal.start(),
    fetch: portal.app.fetch,
    drain: () => portal.drain(),
    async close() {
      await portal.close()
      await clusters.close()
      await log.close()
      lock.release()
    },
  }
}
