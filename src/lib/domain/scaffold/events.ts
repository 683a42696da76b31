import { EventEmitter, once } from 'node:events'
import type { RunId } from '../../names.ts'
import type { RunStore } from '../../ports/database/runs.ts'
import type { RunEvent } from './run.ts'

const FAILED = 'failed' satisfies RunEvent['event']

/** Pause between two reads when this process hears nothing: another replica may be working on the run. */
const POLL_MS = 500

export interface FollowedEvent {
  /** They count from 1. */
  readonly id: number
  readonly event: string
  readonly data: string
}

export interface RunEvents {
  /**
   * The events of a run after `after`, past and future, until the run has ended. A `failed` event before a retry is left out. Ends
   * quietly when `signal` aborts. Outlives an outage of the database: the run goes on after it too.
   */
  readonly follow: (
    id: RunId,
    after: number,
    signal: AbortSignal,
  ) => AsyncGenerator<FollowedEvent, void, void>
  /** Wakes the followers of a run. */
  readonly wakeFollowers: (id: RunId) => void
}

export function createRunEvents(store: Pick<RunStore, 'events' | 'find'>): RunEvents {
  const changes = new EventEmitter().setMaxListeners(0)

  /** Resolves at the next change, after a pause, or when `signal` aborts. */
  async function nextChange(id: RunId, signal: AbortSignal): Promise<void> {
    const pause = AbortSignal.timeout(POLL_MS)
    await once(changes, id, { signal: AbortSignal.any([signal, pause]) }).catch(() => undefined)
  }

  return {
    wakeFollowers: (id) => void changes.emit(id),

    async *follow(id, after, signal) {
      let seq = after
      let failed: FollowedEvent | undefined
      while (!signal.aborted) {
        const change = nextChange(id, signal)
        // The run first: the read of the events then includes those written together with its end.
        const run = await store.find(id)
        const events = run.ok ? await store.events(id, seq) : run
        if (!run.ok || !events.ok) {
          await change
          continue
        }
        for (const event of events.value) {
          if (signal.aborted) return
          seq = event.seq
          const followed = { id: seq, event: event.event, data: event.data }
          failed = event.event === FAILED ? followed : undefined
          if (failed === undefined) yield followed
        }
        if (run.value?.status !== 'running') {
          if (failed !== undefined) yield failed
          return
        }
        await change
      }
    },
  }
}
