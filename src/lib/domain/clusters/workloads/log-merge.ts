export interface LogLine {
  /** RFC 3339 in UTC with nanoseconds, so that text sorts by time. Never earlier than the line before it of the same container. */
  readonly at: string
  readonly text: string
}

/** Cost of a line in memory besides its characters. */
const LINE_BYTES = 64

/** Lines of several containers until they are taken. Beyond a limit the oldest are dropped. */
export function createLogMerge({ linesMax, bytesMax }: Record<'linesMax' | 'bytesMax', number>) {
  let lines: LogLine[] = []
  let bytes = 0
  let dropped = 0

  const sizeOf = ({ text }: LogLine): number => text.length + LINE_BYTES
  function dropOldest(): void {
    lines.sort(byTime)
    let excess = 0
    while (lines.length - excess > linesMax || bytes > bytesMax) {
      const oldest = lines[excess]
      if (oldest === undefined) break
      bytes -= sizeOf(oldest)
      excess += 1
    }
    if (excess > 0) lines = lines.slice(excess)
    dropped += excess
  }

  return {
    add(line: LogLine): void {
      lines.push(line)
      bytes += sizeOf(line)
      // At twice the limit: sorting for each line would cost more than the lines.
      if (lines.length > 2 * linesMax || bytes > 2 * bytesMax) dropOldest()
    },
    /** By time, the lines of one container in its own order; and how many had to go, the oldest first, since the last call. */
    take() {
      dropOldest()
      const taken = { lines, dropped }
      lines = []
      bytes = 0
      dropped = 0
      return taken
    },
    isEmpty: () => lines.length === 0,
  }
}

const byTime = (one: LogLine, other: LogLine): number =>
  one.at < other.at ? -1 : one.at > other.at ? 1 : 0

/** Last position that was read in the log of a container. */
export interface LogPosition {
  readonly at: string
  /** Lines of exactly that time that were read. */
  readonly lines: number
}

const TIMED = /^(\S+T\S+) ?(.*)$/s

/**
 * Reads lines with the API server's timestamps, after `from`: an API server begins at a whole second, or at an earlier run. A line
 * without a timestamp has that of the line before it. Returns a reader that gives `null` for lines that were read before.
 */
export function createLogReader(from: LogPosition | null, prefix: string) {
  let position = from
  let repeated = from?.lines ?? 0
  let isCatchingUp = from !== null
  return {
    position: () => position,
    read(raw: string): LogLine | null {
      const [, stamp = '', rest = ''] = TIMED.exec(raw) ?? []
      const time = utc(stamp)
      const text = time === null ? raw : rest
      const last = position?.at ?? ''
      if (isCatchingUp && (time ?? last) < last) return null
      if (isCatchingUp && (time ?? last) === last && repeated > 0) {
        repeated -= 1
        return null
      }
      isCatchingUp = false
      const at = time === null || time < last ? last : time
      position = { at, lines: at === last ? (position?.lines ?? 0) + 1 : 1 }
      return { at, text: `${time ?? (last || EPOCH)} ${prefix} ${text}` }
    },
  }
}

const EPOCH = '1970-01-01T00:00:00.000000000Z'
const PARTS = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/

/** A kubelet writes the offset of its node. `null` for text that is no time. */
function utc(stamp: string): string | null {
  const [, seconds = '', fraction = '', offset = ''] = PARTS.exec(stamp) ?? []
  if (seconds === '') return null
  const nanoseconds = fraction.padEnd(9, '0')
  if (offset === 'Z') return `${seconds}.${nanoseconds}Z`
  const milliseconds = Date.parse(`${seconds}${offset}`)
  if (Number.isNaN(milliseconds)) return null
  return `${new Date(milliseconds).toISOString().slice(0, 19)}.${nanoseconds}Z`
}

/** Longer lines are cut: a program may write without an end. */
const LINE_MAX = 64 * 1024

/** The lines of a log, each when it is complete. */
export async function* logLines(log: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  let unfinished = ''
  for await (const chunk of log) {
    const lines = `${unfinished}${decoder.decode(chunk, { stream: true })}`.split('\n')
    unfinished = (lines.pop() ?? '').slice(0, LINE_MAX)
    for (const line of lines) yield line.slice(0, LINE_MAX)
  }
  if (unfinished !== '') yield unfinished
}
