import { setTimeout as sleep } from 'node:timers/promises'
import type { Clock } from '../../../ports/clock.ts'
import { createLogMerge, type LogLine } from './log-merge.ts'

/** Unsent text; the same again may be read before the oldest goes. */
export const UNSENT_MAX_BYTES = 8 * 1024 * 1024
/** Lines of this time are put in order together. */
const MERGE_MS = 250

export type Output = ReturnType<typeof createOutput>

/** Text for the client, as it asks for it. */
export function createOutput(clock: Clock, signal: AbortSignal, history: readonly LogLine[]) {
  const merge = createLogMerge({ linesMax: Infinity, bytesMax: UNSENT_MAX_BYTES })
  let past = textOf(history)
  let arrival = Promise.withResolvers<void>()
  let isOver = false
  const wake = () => arrival.resolve()
  signal.addEventListener('abort', wake, { once: true })
  function add(line: LogLine): void {
    merge.add(line)
    wake()
  }
  return {
    add,
    note: (text: string) => add(noteAt(clock.now(), text)),
    end(): void {
      isOver = true
      wake()
    },
    /** What came since; `null` at the end. */
    async next(): Promise<string | null> {
      const text = past
      past = ''
      if (text !== '') return text
      for (;;) {
        if (merge.isEmpty() && !isOver && !signal.aborted) await arrival.promise
        if (!isOver) await pause(MERGE_MS, signal)
        arrival = Promise.withResolvers()
        // A slow reader must not get what was read before the right ended.
        if (signal.aborted) return null
        const isLast = isOver
        const { lines, dropped } = merge.take()
        const gap = dropped === 0 ? [] : [noteAt(clock.now(), `${dropped} lines were dropped`)]
        if (lines.length > 0) return textOf([...gap, ...lines])
        if (isLast) return null
      }
    },
  }
}

const textOf = (lines: readonly { readonly text: string }[]): string =>
  lines.map(({ text }) => `${text}\n`).join('')

function noteAt(now: number, text: string) {
  const at = new Date(now).toISOString().replace('Z', '000000Z')
  return { at, text: `${at} - ${text}` }
}

export const pause = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  sleep(milliseconds, undefined, { signal }).catch(() => undefined)
