import { linesOf, type LogLine } from '../logs/lines.ts'
import { findRun, currentRun, type ContainerRun } from '../logs/container-run.ts'
import type { Pod } from '../objects.ts'
import { ok } from '../../../lib/result.ts'
import { type LogOptions, parseLogOptions } from './log-options.ts'
import type { Outcome } from './refusal.ts'
import type { ClusterParts } from './watch.ts'

const FOLLOW_MS = 1_000
const CONTENT_TYPE = 'text/plain'

/** What a container has written, and with `follow` what it goes on to write. */
export function answerLog(
  parts: ClusterParts,
  pod: Pod,
  query: URLSearchParams,
  signal: AbortSignal,
): Outcome<Response> {
  const now = parts.timeline.now()
  const options = parseLogOptions(pod, query, now)
  if (!options.ok) return options
  const { container, follow, previous, tailLines, since = 0 } = options.value
  const run = findRun(pod, container, previous)
  if (!run.ok) return run

  const lines = linesOf(run.value, since, run.value.endedAt ?? now)
  const tail = tailLines === undefined ? lines : lines.slice(Math.max(lines.length - tailLines, 0))
  const printer = createPrinter(options.value)
  const begin = printer.print(tail)
  if (!follow || run.value.endedAt !== undefined) {
    return ok(new Response(begin, { headers: { 'content-type': CONTENT_TYPE } }))
  }
  return followRun(parts, { pod, container, run: run.value, begin, printer, now, signal })
}

interface FollowedLog {
  readonly pod: Pod
  readonly container: string
  readonly run: ContainerRun
  readonly begin: string
  readonly printer: LogPrinter
  /** Up to where `begin` goes. */
  readonly now: number
  readonly signal: AbortSignal
}

/** New lines every second, until the run is over. */
function followRun(
  { store, timeline, streams }: ClusterParts,
  following: FollowedLog,
): Outcome<Response> {
  const { pod, container, run, begin, printer, now, signal } = following
  return streams.open(CONTENT_TYPE, signal, ({ write, end }) => {
    if (begin !== '') write(begin)
    let seen = now
    let forget = timeline.after(FOLLOW_MS, function goOn() {
      const found = store.get('pods', pod.metadata)
      const current = found?.metadata.uid === pod.metadata.uid ? found : undefined
      const next = currentRun(current, container, run)
      const told = next === 'gone' ? run : next
      const until = told.endedAt ?? timeline.now()
      const text = printer.print(linesOf(told, seen, until))
      if (text !== '') write(text)
      seen = until
      if (next !== run || printer.isFull()) end()
      else forget = timeline.after(FOLLOW_MS, goOn)
    })
    return () => forget()
  })
}

interface LogPrinter {
  print(lines: readonly LogLine[]): string
  isFull(): boolean
}

/** Prints lines as they are asked for, and no more bytes than that altogether. */
function createPrinter({
  timestamps,
  limitBytes = Number.POSITIVE_INFINITY,
}: LogOptions): LogPrinter {
  let left = limitBytes
  return {
    print(lines) {
      const text = lines
        .map((line) => (timestamps ? `${nanoseconds(line.at)} ${line.text}\n` : `${line.text}\n`))
        .join('')
      const bytes = Buffer.from(text)
      const shown = bytes.length <= left ? text : bytes.subarray(0, left).toString('utf8')
      left -= Math.min(bytes.length, left)
      return shown
    },
    isFull: () => left === 0,
  }
}

const nanoseconds = (at: number): string => new Date(at).toISOString().replace('Z', '000000Z')
