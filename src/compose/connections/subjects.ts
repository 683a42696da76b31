import type { Config } from '../../config/config.ts'
import { databaseUrl } from '../../config/database.ts'
import { createKubernetes } from '../../lib/adapters/clusters/index.ts'
import { checkDatabase } from '../../lib/adapters/database/check/index.ts'
import type { ConnectionSubject } from '../../lib/domain/connections.ts'
import { findGit } from '../../lib/git/version.ts'
import { systemClock } from '../../lib/ports/clock.ts'
import { isForge } from '../../lib/ports/forge.ts'
import type { GitHost } from '../../lib/ports/git-host.ts'
import type { ChosenPorts } from '../chosen-ports.ts'
import { templatesRepository } from '../parts.ts'
import { checkClusters } from './clusters.ts'
import { checkRepositories } from './repositories.ts'
import { checkSettings, type SettingsToCheck } from './settings.ts'

/** Everything that `serve` uses. Checks change nothing there. */
export const connectionSubjects = (
  config: Config,
  {
    identity,
    gitHost,
    secretStore,
    databaseAuthority,
  }: Pick<ChosenPorts, 'identity' | 'gitHost' | 'secretStore' | 'databaseAuthority'>,
): readonly ConnectionSubject[] => [
  settingsOf(config),
  { name: 'identity_provider', check: () => identity.check() },
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
  repositoriesOf(config, gitHost),
  { name: 'secret_store', check: () => secretStore.check() },
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
]

export const settingsOf = (config: SettingsToCheck): ConnectionSubject => ({
  name: 'settings',
  check: async () => checkSettings(config),
})

export const repositoriesOf = (
  config: Pick<
    Config,
    | 'GITOPS_REPOSITORY'
    | 'CATALOG_DIRECTORY'
    | 'CATALOG_FILES_MAX'
    | 'TEMPLATES_REPOSITORY'
    | 'CLI_REPOSITORY'
  >,
  gitHost: GitHost,
): ConnectionSubject => ({
  name: 'git_host',
  check: () =>
    checkRepositories({
      gitHost,
      isEmbedded: isForge(gitHost),
      gitops: config.GITOPS_REPOSITORY,
      catalogDirectory: config.CATALOG_DIRECTORY,
      filesMax: config.CATALOG_FILES_MAX,
      templates: templatesRepository(config),
      isTemplatesGiven: config.TEMPLATES_REPOSITORY !== null,
      cli: config.CLI_REPOSITORY,
    }),
})
