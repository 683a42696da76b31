import type { Config } from './config.ts'
import { databaseUrl, readDatabaseAuthority } from './installation.ts'
import { createKubernetes } from './lib/adapters/clusters/index.ts'
import { checkDatabase } from './lib/adapters/database/check/index.ts'
import { createLog } from './lib/logging/log.ts'
import { systemClock } from './lib/ports/clock.ts'
import { type ConnectionFinding, fails } from './lib/ports/connection-finding.ts'
import type { Result } from './lib/result.ts'
import { checkClusters } from './portal/connections/clusters.ts'
import { type ConnectionReport, checkSubjects, reportOf } from './portal/connections/report.ts'
import { checkRepositories } from './portal/connections/repositories.ts'
import { checkSettings } from './portal/connections/settings.ts'
import { templatesRepository } from './portal/parts.ts'

/** Tries everything that `serve` would use with this configuration, and changes nothing there. */
export async function checkConnections(config: Config): Promise<ConnectionReport> {
  const { DATA_DIR: dataDirectory, PUBLIC_URL, GITOPS_REPOSITORY: gitops } = config
  const findings = await checkSubjects([
    { name: 'settings', check: async () => checkSettings(config) },
    {
      name: 'identity provider',
      check: async () =>
        checkOpened(
          await config.openIdentity({
            publicUrl: PUBLIC_URL,
            clock: systemClock,
            log: createLog({ level: 'silent' }).events,
            signal: new AbortController().signal,
          }),
          (identity) => identity.check(),
        ),
    },
    {
      name: 'database',
      check: async () => {
        const authority = readDatabaseAuthority(config)
        if (!authority.ok) return [fails(`${authority.error}.`)]
        return checkDatabase({
          url: databaseUrl(config),
          listenUrl: config.DATABASE_LISTEN_URL,
          authority: authority.value,
        })
      },
    },
    {
      name: 'git host',
      check: async () =>
        checkOpened(
          await config.openGitHost({
            dataDirectory,
            publicOrigin: PUBLIC_URL.origin,
            clock: systemClock,
            log: createLog({ level: 'silent' }).events,
            onRateLimit() {},
          }),
          (gitHost) =>
            checkRepositories({
              gitHost,
              gitops,
              catalogDirectory: config.CATALOG_DIRECTORY,
              templates: templatesRepository(config),
              isTemplatesGiven: config.TEMPLATES_REPOSITORY !== null,
              cli: config.CLI_REPOSITORY,
            }),
        ),
    },
    {
      name: 'secret store',
      check: async () =>
        checkOpened(
          await config.openSecretStore({
            dataDirectory,
            environments: config.ENVIRONMENTS.stages.map(({ environment }) => environment),
            clock: systemClock,
            log: createLog({ level: 'silent' }).events,
          }),
          async (store) => {
            const findings = await store.check()
            await store.close()
            return findings
          },
        ),
    },
    {
      name: 'clusters',
      check: () =>
        checkClusters({
          path: config.CLUSTERS_FILE,
          kubernetes: createKubernetes({ requestsAtOnce: config.BUN_CONFIG_MAX_HTTP_REQUESTS }),
          clock: systemClock,
        }),
    },
  ])
  return reportOf(findings)
}

/** Findings about an adapter, or why it cannot be opened, a line for each reason. */
const checkOpened = async <Port>(
  opened: Result<Port, string>,
  check: (port: Port) => Promise<readonly ConnectionFinding[]>,
): Promise<readonly ConnectionFinding[]> =>
  opened.ok ? check(opened.value) : opened.error.split('\n').map((line) => fails(`${line}.`))
