import { type ChosenPorts, openChosenPorts, withoutCalls } from '../compose/chosen-ports.ts'
import type { Config } from '../config/config.ts'
import { databaseUrl } from '../config/database.ts'
import { createKubernetes } from '../lib/adapters/clusters/index.ts'
import { checkDatabase } from '../lib/adapters/database/check/index.ts'
import { findGit } from '../lib/git/version.ts'
import { systemClock } from '../lib/ports/clock.ts'
import { ok, type Result } from '../lib/result.ts'
import { checkClusters } from '../compose/connections/clusters.ts'
import {
  type ConnectionReport,
  type ConnectionSubject,
  checkSubjects,
  reportOf,
} from '../compose/connections/report.ts'
import { checkRepositories } from '../compose/connections/repositories.ts'
import { checkSettings } from '../compose/connections/settings.ts'
import { templatesRepository } from '../compose/parts.ts'

/** A report, or every mistake with which `serve` would not start. */
type Checked = Promise<Result<ConnectionReport, readonly string[]>>

const COMPLETE = 'The configuration is complete. `config check --connect` tries it.'

/** Checks what can be checked without a connection, files that settings name included. */
export const checkConfiguration = (config: Config): Checked =>
  withPorts(config, async ({ identity, databaseUrls }) =>
    reportOf(
      await checkSubjects([
        settingsOf(config),
        // Without a provider the answer needs no connection.
        ...(config.canSignIn ? [] : [{ name: 'identity provider', check: () => identity.check() }]),
        { name: 'database', check: async () => databaseUrls },
        { name: 'git', check: findGit },
      ]),
      COMPLETE,
    ),
  )

/** Tries everything that `serve` would use with this configuration, and changes nothing there. */
export const checkConnections = (config: Config): Checked =>
  withPorts(config, async ({ identity, gitHost, secretStore, databaseAuthority }) =>
    reportOf(
      await checkSubjects([
        settingsOf(config),
        { name: 'identity provider', check: () => identity.check() },
        {
          name: 'database',
          check: () =>
            checkDatabase({
              url: databaseUrl(config),
              listenUrl: config.DATABASE_LISTEN_URL,
              authority: databaseAuthority,
            }),
        },
        { name: 'git', check: findGit },
        {
          name: 'git host',
          check: () =>
            checkRepositories({
              gitHost,
              gitops: config.GITOPS_REPOSITORY,
              catalogDirectory: config.CATALOG_DIRECTORY,
              filesMax: config.CATALOG_FILES_MAX,
              templates: templatesRepository(config),
              isTemplatesGiven: config.TEMPLATES_REPOSITORY !== null,
              cli: config.CLI_REPOSITORY,
            }),
        },
        { name: 'secret store', check: () => secretStore.check() },
        {
          name: 'clusters',
          check: () =>
            checkClusters({
              path: config.CLUSTERS_FILE,
              environments: config.ENVIRONMENTS.stages.map(({ environment }) => environment),
              kubernetes: createKubernetes({ requestsAtOnce: config.BUN_CONFIG_MAX_HTTP_REQUESTS }),
              clock: systemClock,
            }),
        },
      ]),
    ),
  )

const settingsOf = (config: Config): ConnectionSubject => ({
  name: 'settings',
  check: async () => checkSettings(config),
})

async function withPorts(
  config: Config,
  report: (ports: ChosenPorts) => Promise<ConnectionReport>,
): Checked {
  const closing = new AbortController()
  const opened = await openChosenPorts(config, {
    ...withoutCalls,
    signal: closing.signal,
  })
  if (!opened.ok) return opened
  const reported = await report(opened.value)
  closing.abort()
  opened.value.registry.close()
  opened.value.workloads.close()
  await opened.value.secretStore.close()
  return ok(reported)
}
