import type { Log } from '../../logging/log.ts'
import type { Clock } from '../../ports/clock.ts'
import type { WriteTurnStore } from '../../ports/database/write-turns.ts'

/** The clock, log, stores and places that every git host is opened with, besides its own settings. */
export interface GitHostContext {
  /** Folder of this instance, which need not exist. */
  readonly dataDirectory: string
  /** Origin of the portal, for links to repositories that the portal serves itself. */
  readonly publicOrigin: string
  readonly clock: Clock
  readonly log: Pick<Log['events'], 'info' | 'warn' | 'error'>
  /** Called when the host has told how many requests are left. Must not throw. */
  readonly onRateLimit: (left: RateLimitLeft) => void
  /** Turns of writes, of the database, which is opened later. */
  readonly writeTurns: () => WriteTurnStore
}

export interface RateLimitLeft {
  readonly remaining: number
  /** Milliseconds since the Unix epoch. */
  readonly resetsAt: number
}
