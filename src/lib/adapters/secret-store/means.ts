import type { Log } from '../../logging/log.ts'
import type { EnvironmentName } from '../../names.ts'
import type { Clock } from '../../ports/clock.ts'
import type { SecretVersionStore } from '../../ports/database/secret-versions.ts'

/** The means that every secret store is opened with, besides its own settings. */
export interface SecretStoreMeans {
  /** The sealed rows of the database, which is open at the first call of the store. */
  readonly secretVersions: () => SecretVersionStore
  /** In the order of promotion, for the connection check. */
  readonly environments: readonly EnvironmentName[]
  readonly clock: Clock
  readonly log: Pick<Log['events'], 'info' | 'warn' | 'error'>
}
