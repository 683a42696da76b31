import type { Log } from '../../logging/log.ts'
import type { EnvironmentName } from '../../names.ts'
import type { Clock } from '../../ports/clock.ts'

/** The means that every secret store is opened with, besides its own settings. */
export interface SecretStoreMeans {
  /** Folder of this instance, which need not exist. */
  readonly dataDirectory: string
  /** In the order of promotion, for the connection check. */
  readonly environments: readonly EnvironmentName[]
  readonly clock: Clock
  readonly log: Pick<Log['events'], 'info' | 'warn' | 'error'>
}
