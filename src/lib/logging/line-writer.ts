import { write } from 'node:fs'

/** Lines are collected for this long, or until there are this many characters, and then written in one piece. */
const COLLECT_MS = 100
const COLLECT_CHARACTERS = 16_384
/** What a reader that has stalled, or a disk that is full, may keep waiting. Lines beyond that are dropped and counted. */
const PENDING_CHARACTERS_MAX = 8 * 1024 * 1024
const CLOSE_DEADLINE_MS = 500

export interface LineWriter {
  /** Text that ends with a line end. Never waits and never fails. */
  write(lines: string): void
  close(): Promise<void>
}

/**
 * Writes lines to a file descriptor, off the event loop. A log that cannot be written must neither stop the service nor keep
 * it from ending: what cannot be written is dropped, and how much that was is the next line that can.
 */
export function createLineWriter(fileDescriptor: number): LineWriter {
  let pending = ''
  let dropped = 0
  let timer: Timer | undefined
  let writing: Promise<void> | undefined

  function flush(): Promise<void> {
    clearTimeout(timer)
    timer = undefined
    writing ??= pending === '' ? undefined : writePending()
    return writing ?? Promise.resolve()
  }

  async function writePending(): Promise<void> {
    const lines = pending
    pending = ''
    const notice = dropped === 0 ? '' : droppedLine(dropped)
    const isWritten = await writeAll(fileDescriptor, Buffer.from(notice + lines))
    dropped = isWritten ? 0 : dropped + lines.length
    writing = undefined
    if (pending.length >= COLLECT_CHARACTERS) void flush()
    else schedule()
  }

  function schedule() {
    if (pending !== '') timer ??= setTimeout(() => void flush(), COLLECT_MS)
  }

  return {
    write(lines) {
      if (pending.length + lines.length > PENDING_CHARACTERS_MAX) {
        dropped += lines.length
        return
      }
      pending += lines
      if (pending.length >= COLLECT_CHARACTERS) void flush()
      else schedule()
    },
    async close() {
      const flushed = flush().then(flush)
      await Promise.race([flushed, Bun.sleep(CLOSE_DEADLINE_MS)])
      clearTimeout(timer)
    },
  }
}

const droppedLine = (characters: number): string =>
  `${JSON.stringify({ level: 40, time: Date.now(), droppedCharacters: characters, msg: 'log lines were dropped' })}\n`

/** Whether all of it was written. */
async function writeAll(fileDescriptor: number, bytes: Uint8Array): Promise<boolean> {
  let written = 0
  while (written < bytes.length) {
    const count = await writeSome(fileDescriptor, bytes.subarray(written))
    if (count === 0) return false
    written += count
  }
  return true
}

const writeSome = (fileDescriptor: number, bytes: Uint8Array): Promise<number> =>
  new Promise((resolve) => {
    write(fileDescriptor, bytes, (error, count) => resolve(error === null ? count : 0))
  })
