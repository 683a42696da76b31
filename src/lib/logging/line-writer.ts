import { write } from 'node:fs'
import { promisify } from 'node:util'

/** Lines are buffered for this long, or until they have this many characters, and written together. */
const FLUSH_AFTER_MS = 100
const FLUSH_CHARACTERS = 65_536
/** Upper bound of the buffer while the reader stalls or the disk is full. Lines beyond it are dropped and counted. */
const BUFFER_MAX_CHARACTERS = 8 * 1024 * 1024
const CLOSE_DEADLINE_MS = 500

export interface LineWriter {
  /** Takes text that ends with a line break. Never waits and never fails. */
  write(lines: string): void
  close(): Promise<void>
}

/**
 * Writes lines to a file descriptor, off the event loop. A log that cannot be written neither stops the service nor delays
 * its end: such lines are dropped, and the next line that can be written says how many characters are missing. Pino's own
 * destination gives neither guarantee: it blocks the exit of the process until a stalled reader has taken everything.
 */
export function createLineWriter(fileDescriptor: number): LineWriter {
  let buffer = ''
  let dropped = 0
  let timer: Timer | undefined
  let writing: Promise<void> | undefined

  function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    writing ??= buffer === '' ? undefined : writeBuffer()
    return writing ?? Promise.resolve()
  }

  async function writeBuffer(): Promise<void> {
    const lines = buffer
    buffer = ''
    const notice = dropped === 0 ? '' : droppedLine(dropped)
    const isWritten = await writeAll(fileDescriptor, Buffer.from(notice + lines))
    dropped = isWritten ? 0 : dropped + lines.length
    writing = undefined
    schedule()
  }

  function schedule() {
    if (buffer.length >= FLUSH_CHARACTERS) void flush()
    else if (buffer !== '') timer ??= setTimeout(() => void flush(), FLUSH_AFTER_MS)
  }

  return {
    write(lines) {
      if (buffer.length + lines.length > BUFFER_MAX_CHARACTERS) {
        dropped += lines.length
        return
      }
      buffer += lines
      schedule()
    },
    async close() {
      // The second flush takes the lines that came during a write.
      await Promise.race([flush().then(flush), Bun.sleep(CLOSE_DEADLINE_MS)])
      clearTimeout(timer)
    },
  }
}

const droppedLine = (characters: number): string =>
  `${JSON.stringify({ level: 40, time: Date.now(), droppedCharacters: characters, msg: 'log lines were dropped' })}\n`

const writeSome = promisify(write)

/** Returns whether all bytes were written. */
async function writeAll(fileDescriptor: number, bytes: Uint8Array): Promise<boolean> {
  let length = 0
  try {
    while (length < bytes.length) {
      const { bytesWritten } = await writeSome(fileDescriptor, bytes.subarray(length))
      if (bytesWritten === 0) return false
      length += bytesWritten
    }
    return true
  } catch {
    return false
  }
}
