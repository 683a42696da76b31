import type { Logger } from 'pino'

/** One answered request. Never a query, a header or a body, which may hold secrets. */
export interface AccessEntry {
  readonly requestId: string
  readonly method: string
  readonly path: string
  readonly status: number
  /** Time until the answer began. */
  readonly ms: number
  readonly subject: string | null
}

export interface AccessLog {
  record(entry: AccessEntry): void
}

/** Writes every entry, whatever the level of the events. */
export function createAccessLog(events: Logger): AccessLog {
  const log = events.child({}, { level: 'info' })
  return {
    record({ requestId, method, path, status, ms, subject }) {
      log.info({ requestId, method, path, status, ms: Math.round(ms * 100) / 100, subject })
    },
  }
}
