import pino, { type Logger } from 'pino'
import { type AccessLog, createAccessLog } from './http/access-log.ts'

/** JSON lines: what happens in the service, and one line for each request. */
export interface Log {
  readonly events: Logger
  readonly access: AccessLog
  /** Writes what is still collected. For the end of the process. */
  flush(): void
}

const COLLECT_BYTES = 4_096
const FLUSH_EVERY_MS = 200

export interface LogOptions {
  readonly level: string
  /** A file to append to; standard output without it. */
  readonly path?: string
}

/** Lines are collected for a moment, so that no request waits for them. */
export function createLog({ level, path }: LogOptions): Log {
  const destination = pino.destination({
    dest: path ?? 1,
    sync: false,
    minLength: COLLECT_BYTES,
    periodicFlush: FLUSH_EVERY_MS,
  })
  const events = pino(
    { level, base: null, timestamp: pino.stdTimeFunctions.epochTime },
    destination,
  )
  const access = createAccessLog((lines) => {
    if (events.isLevelEnabled('info')) destination.write(lines)
  })
  return {
    events,
    access,
    flush() {
      access.flush()
      destination.flushSync()
    },
  }
}
