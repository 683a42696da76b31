import type { Logger } from 'pino'

/** One answered request. Never a query, a header or a body, which may hold secrets. */
export interface AccessEntry {
  readonly requestId: string
  readonly method: string
  readonly path: string
  readonly status: number
  /** Time until the answer began. */
  readonly ms: number
  /** Address of the client. */
  readonly address: string | null
  readonly subject: string | null
}

export interface AccessLog {
  record(entry: AccessEntry): void
}

/** Writes every entry, whatever the level of the events. */
export function createAccessLog(events: Logger): AccessLog {
  const log = events.child({}, { level: 'info' })
  return {
    record({ requestId, method, path, status, ms, address, subject }) {
      const roundedMs = Math.round(ms * 100) / 100
      log.info({ requestId, method, path, status, ms: roundedMs, address, subject })
    },
  }
}
