import { linesOf, type LogLine } from '../logs/lines.ts'
import { type ContainerRun, currentRun, findRun } from '../logs/container-run.ts'
import type { Pod } from '../objects.ts'
import { ok } from '../../../lib/result.ts'
import { type LogOptions, parseLogOptions } from './log-options.ts'
import type { Outcome } from './refusal.ts'
import type { ClusterParts } from './watch.ts'

const FOLLOW_MS = 1_000
const CONTENT_TYPE = 'text/plain'

/** Answers with the log of a container. With `follow` new lines are streamed until the run ends. */
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
  const text = printer.print(tail)
  if (!follow || run.value.endedAt !== undefined) {
    return ok(new Response(text, { headers: { 'content-type': CONTENT_TYPE } }))
  }
  return followRun(parts, { pod, container, run: run.value, text, printer, now, signal })
}

interface FollowedLog {
  readonly pod: Pod
  readonly container: string
  readonly run: ContainerRun
  readonly text: string
  readonly printer: LogPrinter
  /** Lines up to this time are in `text`. */
  readonly now: number
  readonly signal: AbortSignal
}

function followRun(
  { store, timeline, streams }: ClusterParts,
  log: FollowedLog,
): Outcome<Response> {
  const { pod, container, run, text, printer, now, signal } = log
  return streams.open(CONTENT_TYPE, signal, ({ write, end }) => {
    if (text !== '') write(text)
    let printedUntil = now
    let cancel = timeline.after(FOLLOW_MS, function poll() {
      const found = store.get('pods', pod.metadata)
      const current = found?.metadata.uid === pod.metadata.uid ? found : undefined
      const next = currentRun(current, container, run)
      const latest = next ?? run
      const until = latest.endedAt ?? timeline.now()
      const newText = printer.print(linesOf(latest, printedUntil, until))
      if (newText !== '') write(newText)
      printedUntil = until
      if (next !== run || printer.isFull()) end()
      else cancel = timeline.after(FOLLOW_MS, poll)
    })
    return () => cancel()
  })
}

interface LogPrinter {
  print(lines: readonly LogLine[]): string
  isFull(): boolean
}

/** Formats lines, and stops after `limitBytes` in total. */
function createPrinter({
  timestamps,
  limitBytes = Number.POSITIVE_INFINITY,
}: LogOptions): LogPrinter {
  let remaining = limitBytes
  return {
    print(lines) {
      const text = lines
        .map((line) => (timestamps ? `${nanoseconds(line.at)} ${line.text}\n` : `${line.text}\n`))
        .join('')
      const bytes = Buffer.from(text)
      const shown = bytes.length <= remaining ? text : bytes.subarray(0, remaining).toString('utf8')
      remaining -= Math.min(bytes.length, remaining)
      return shown
    },
    isFull: () => remaining === 0,
  }
}

const nanoseconds = (at: number): string => new Date(at).toISOString().replace('Z', '000000Z')
