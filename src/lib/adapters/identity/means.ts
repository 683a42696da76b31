import type { Log } from '../../logging/log.ts'
import type { Clock } from '../../ports/clock.ts'

/** The means that every identity provider is opened with, besides its own settings. */
export interface IdentityMeans {
  /** The portal's own URL, where the provider leads people back to. */
  readonly publicUrl: URL
  readonly clock: Clock
  readonly log: Pick<Log['events'], 'info' | 'warn' | 'error'>
  /** Aborted when the service closes. */
  readonly signal: AbortSignal
}
