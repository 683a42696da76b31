/** One answered request. Never a query, a header or a body: they may hold what does not belong in a log. */
export interface AccessEntry {
  readonly requestId: string
  readonly method: string
  readonly path: string
  readonly status: number
  readonly ms: number
  readonly subject: string | null
}

export interface AccessLog {
  record(entry: AccessEntry): void
  flush(): void
}

const COLLECT_LINES = 256
const FLUSH_AFTER_MS = 100
const INFO = 30

/**
 * Lines in the form of the event log's. They are put together and collected here, because a general logger takes longer for
 * a line than most answers take: `docs/decisions/access-log.md`.
 */
export function createAccessLog(write: (lines: string) => void): AccessLog {
  let lines = ''
  let count = 0
  let timer: Timer | undefined

  function flush() {
    clearTimeout(timer)
    timer = undefined
    if (count > 0) write(lines)
    lines = ''
    count = 0
  }
  return {
    record({ requestId, method, path, status, ms, subject }) {
      lines += `{"level":${INFO},"time":${Date.now()},"requestId":"${requestId}","method":"${method}","path":${quoted(path)},"status":${status},"ms":${ms.toFixed(2)},"subject":${subject === null ? 'null' : quoted(subject)}}\n`
      if (++count >= COLLECT_LINES) flush()
      else timer ??= setTimeout(flush, FLUSH_AFTER_MS)
    },
    flush,
  }
}

const PLAIN = /^[\x20\x21\x23-\x5b\x5d-\x7e]*$/

/** `JSON.stringify`, at a fraction of its price for ordinary text. */
const quoted = (text: string): string => (PLAIN.test(text) ? `"${text}"` : JSON.stringify(text))
