import { openSync } from 'node:fs'
import pino, { type Logger } from 'pino'
import { type AccessLog, createAccessLog } from './access-log.ts'
import { createLineWriter } from './line-writer.ts'

/** JSON lines: what happens in the service, and one line for each request. */
export interface Log {
  readonly events: Logger
  readonly access: AccessLog
  /** Writes what is still collected, as far as that is possible soon. For the end of the process. */
  close(): Promise<void>
}

const STDOUT = 1

export interface LogOptions {
  readonly level: string
  /** A file to append to; standard output without it. */
  readonly path?: string
}

export function createLog({ level, path }: LogOptions): Log {
  const writer = createLineWriter(path === undefined ? STDOUT : openSync(path, 'a'))
  const events = pino({ level, base: null, timestamp: pino.stdTimeFunctions.epochTime }, writer)
  const access = createAccessLog((lines) => {
    if (events.isLevelEnabled('info')) writer.write(lines)
  })
  return {
    events,
    access,
    close() {
      access.flush()
      return writer.close()
    },
  }
}
