import { openSync } from 'node:fs'
import pino, { type Logger } from 'pino'
import { type AccessLog, createAccessLog } from './access-log.ts'
import { createLineWriter } from './line-writer.ts'

/** JSON lines: events of the service, and one line per request. */
export interface Log {
  readonly events: Logger
  readonly access: AccessLog
  /** Writes the buffered lines, within a deadline. For the end of the process. */
  close(): Promise<void>
}

const STDOUT = 1
/** Members of events that are errors: without a serializer an error is `{}`. pino itself has one for `err`. */
const serializers = { bug: pino.stdSerializers.err, error: pino.stdSerializers.err }

export interface LogOptions {
  readonly level: string
  /** A file to append to, instead of standard output. */
  readonly path?: string
}

export function createLog({ level, path }: LogOptions): Log {
  const writer = createLineWriter(path === undefined ? STDOUT : openSync(path, 'a'))
  const timestamp = pino.stdTimeFunctions.epochTime
  const events = pino({ level, base: null, timestamp, serializers }, writer)
  return { events, access: createAccessLog(writer), close: () => writer.close() }
}
