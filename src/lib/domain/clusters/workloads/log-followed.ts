import { pause } from '../../../concurrency/pauses.ts'
import type { Output } from './log-output.ts'
import { failureText, isSilent, type LogSource, type Read } from './log-source.ts'

/** Lines of a container that starts while the log is followed. */
const LATER_LINES_MAX = 10_000
/** Before a log that has ended is asked for again. */
const AGAIN_MS = 1_000
const AGAIN_AFTER_FAILURE_MS = 10_000

/** Follows each run of each source, while there are slots. */
export function createFollowed({
  sources,
  read,
  output,
  signal,
  tailLines,
  take,
}: {
  readonly sources: Map<string, LogSource>
  readonly read: Read
  readonly output: Output
  readonly signal: AbortSignal
  readonly tailLines: number
  /** A slot for one more than are open; `undefined` when there is none. */
  readonly take: (open: number) => (() => void) | undefined
}) {
  let open = 0
  let told = 0
  let isFirst = true

  const isDue = ({ isFollowed, isGone, latest, readRun }: LogSource): boolean =>
    !isFollowed && !isGone && (latest.run ?? -1) > readRun

  function begin(source: LogSource): void {
    const release = take(open)
    if (release === undefined) return
    open += 1
    source.isFollowed = true
    void followRuns(source, isFirst ? tailLines : LATER_LINES_MAX).finally(() => {
      open -= 1
      source.isFollowed = false
      release()
      if (!signal.aborted) update()
    })
  }

  async function followRuns(source: LogSource, tailLines: number): Promise<void> {
    while (!signal.aborted) {
      const { run } = source.latest
      const outcome = await read(source, {
        follow: true,
        previous: false,
        tailLines: source.position === null ? tailLines : null,
        add: (line) => output.add(line),
        signal,
      })
      if (signal.aborted) return
      if (!outcome.ok && outcome.error.kind === 'cluster_object_not_found') {
        // A new list, after changes were missed, does not tell of it.
        source.isGone = true
        return
      }
      if (!outcome.ok && !isSilent(outcome.error)) output.note(failureText(source, outcome.error))
      await pause(outcome.ok ? AGAIN_MS : AGAIN_AFTER_FAILURE_MS, signal)
      const { latest } = source
      if (source.isGone || run === null || latest.run === null) return
      if (latest.run === run && latest.state === 'running') continue
      source.readRun = run
      if (latest.run === run) return
    }
  }

  function update(): void {
    for (const [key, source] of sources) {
      if (source.isGone && !source.isFollowed) sources.delete(key)
      else if (isDue(source)) begin(source)
    }
    isFirst = false
    const left = [...sources.values()].filter(isDue).length
    if (left > told) output.note(`${left} containers are not followed: too many streams`)
    told = left
  }

  return { update }
}
