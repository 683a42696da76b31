import { pause } from '../../../concurrency/pauses.ts'
import type { GrantedAccess } from '../access.ts'
import { createLogMerge, type LogLine } from './log-merge.ts'

/** Unsent text; the same again may be read before the oldest goes. */
export const UNSENT_MAX_BYTES = 8 * 1024 * 1024
/** Lines of this time are put in order together. */
const MERGE_MS = 250

export type Output = ReturnType<typeof createOutput>

/** Text for the client, as it asks for it. `onEnd` is called when all is read, and when the client leaves. */
export function createOutput(
  { now, signal }: Pick<GrantedAccess, 'now' | 'signal'>,
  history: readonly LogLine[],
  onEnd: () => void,
) {
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
  /** Text that has come since the call before; `null` at the end. */
  async function next(): Promise<string | null> {
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
      const gap = dropped === 0 ? [] : [noteAt(now(), `${dropped} lines were dropped`)]
      if (lines.length > 0) return textOf([...gap, ...lines])
      if (isLast) return null
    }
  }
  const encoder = new TextEncoder()
  return {
    add,
    note: (text: string) => add(noteAt(now(), text)),
    end(): void {
      isOver = true
      wake()
    },
    stream: new ReadableStream<Uint8Array>(
      {
        async pull(controller) {
          const text = await next()
          if (text !== null) return controller.enqueue(encoder.encode(text))
          controller.close()
          onEnd()
        },
        cancel: onEnd,
      },
      { highWaterMark: 0 },
    ),
  }
}

const textOf = (lines: readonly { readonly text: string }[]): string =>
  lines.map(({ text }) => `${text}\n`).join('')

function noteAt(now: number, text: string) {
  const at = new Date(now).toISOString().replace('Z', '000000Z')
  return { at, text: `${at} - ${text}` }
}
