import type { SQL } from 'bun'
import { createPauses } from '../../concurrency/pauses.ts'
import { refuse } from './engine.ts'

const PROBE_EVERY_MS = 20_000
const ANSWER_TIMEOUT_MS = 5000
const PROBE = 'probe/'

export interface NoticesOptions {
  readonly connect: (onclose: () => void) => SQL
  readonly channel: string
  readonly onNotice: (text: string) => void
  /** Called after every (re)connection, with `null`, and with the reason why one ended. */
  readonly onListening: (failure: string | null) => void
  /** Sends a notice on another connection, and answers whether the server took it. */
  readonly send: (text: string) => Promise<boolean>
  readonly probeEveryMs?: number
}

/**
 * Listens on a channel and reconnects, until the returned function is called. `onNotice('')` follows every (re)connection. A
 * connection that was lost without a word is found by a probe that does not come back.
 */
export function listenForNotices({
  connect,
  channel,
  onNotice,
  onListening,
  send,
  probeEveryMs = PROBE_EVERY_MS,
}: NoticesOptions): () => void {
  const stopping = new AbortController()
  const stopped = new Promise<'stopped'>((resolve) => {
    stopping.signal.addEventListener('abort', () => resolve('stopped'))
  })

  /** Answers why the connection ended. */
  async function listenOnce(onConnected: () => void): Promise<string> {
    const closed = Promise.withResolvers<'closed'>()
    const sql = connect(() => closed.resolve('closed'))
    const arrived = new Set<string>()
    const ending = Promise.race([closed.promise, stopped])
    try {
      const listening = sql.listen(channel, (text) => {
        if (text.startsWith(PROBE)) arrived.add(text)
        else onNotice(text)
      })
      const first = await Promise.race([listening, ending, after(ANSWER_TIMEOUT_MS)])
      if (typeof first === 'string') return first
      onConnected()
      onNotice('')
      for (;;) {
        const end = await Promise.race([ending, after(probeEveryMs)])
        if (end !== 'timeout') return end
        const probe = `${PROBE}${crypto.randomUUID()}`
        arrived.clear()
        if (!(await send(probe))) continue
        await Promise.race([ending, after(Math.min(ANSWER_TIMEOUT_MS, probeEveryMs))])
        if (!arrived.has(probe)) return 'silent'
      }
    } catch (error) {
      return refuse(error).error.reason
    } finally {
      await sql.close({ timeout: 0 }).catch(() => undefined)
    }
  }

  async function listen(): Promise<void> {
    const pauses = createPauses()
    while (!stopping.signal.aborted) {
      const reason = await listenOnce(() => {
        pauses.reset()
        onListening(null)
      })
      if (stopping.signal.aborted) return
      onListening(reason)
      await Promise.race([stopped, after(pauses.next())])
    }
  }

  void listen()
  return () => stopping.abort()
}

const after = (ms: number): Promise<'timeout'> =>
  new Promise((resolve) => {
    setTimeout(() => resolve('timeout'), ms).unref()
  })
