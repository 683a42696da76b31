import type { LineWriter } from './line-writer.ts'

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

/** The level `info` of pino. */
const INFO = 30

/** Writes every entry, whatever the level of the events. By hand, because pino takes as long for a line as the catalog for an answer. */
export const createAccessLog = (writer: Pick<LineWriter, 'write'>): AccessLog => ({
  record({ requestId, method, path, status, ms, address, subject }) {
    const roundedMs = Math.round(ms * 100) / 100
    const line = {
      level: INFO,
      time: Date.now(),
      requestId,
      method,
      path,
      status,
      ms: roundedMs,
      address,
      subject,
    }
    writer.write(`${JSON.stringify(line)}\n`)
  },
})
