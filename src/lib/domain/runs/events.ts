import {
  createLatestState,
  type LatestState,
  type Revised,
} from '../../concurrency/latest-state.ts'
import type { RunId } from '../../names.ts'
import type { RunEventRow, RunStore } from '../../ports/database/runs.ts'
import type { RunEvent } from './state.ts'

const FAILED = 'failed' satisfies RunEvent['event']

/** Pause between two reads when this process hears nothing: another replica may be working on the run. */
const POLL_MS = 500

interface FollowedEvent {
  /** They count from 1. */
  readonly id: number
  readonly event: string
  readonly data: string
}

/** The journal of a run as far as it was read. */
interface Journal extends Revised {
  readonly events: readonly RunEventRow[]
  readonly hasEnded: boolean
}

export interface RunEventsOptions {
  readonly store: Pick<RunStore, 'events' | 'find'>
  /** Receives exceptions of the store; the run is read again. */
  readonly onBug: (id: RunId, bug: unknown) => void
}

/** Everybody who follows a run shares one reader, which reads each event once. */
export function createRunEvents({ store, onBug }: RunEventsOptions) {
  const followed = new Map<RunId, { readonly journal: LatestState<Journal>; followers: number }>()

  function openJournal(id: RunId): LatestState<Journal> {
    let known: readonly RunEventRow[] = []
    return createLatestState({
      everyMs: POLL_MS,
      onBug: (bug) => onBug(id, bug),
      async read() {
        // The run first: the read of the events then includes those written together with its end.
        const run = await store.find(id)
        const events = run.ok ? await store.events(id, known.at(-1)?.seq ?? 0) : run
        if (!run.ok || !events.ok) return undefined
        known = [...known, ...events.value]
        const hasEnded = run.value?.status !== 'running'
        // A later follower reads anew: the run may be retried.
        if (hasEnded) followed.delete(id)
        return { revision: `${known.length} ${hasEnded}`, events: known, hasEnded }
      },
    })
  }

  function join(id: RunId) {
    const known = followed.get(id) ?? { journal: openJournal(id), followers: 0 }
    followed.set(id, known)
    known.followers += 1
    return {
      journal: known.journal,
      leave: () => {
        known.followers -= 1
        if (known.followers === 0 && followed.get(id) === known) followed.delete(id)
      },
    }
  }

  /**
   * The events of a run after `after`, past and future, until the run has ended. A `failed` event before a retry is left out. Ends
   * quietly when `signal` aborts. Outlives an outage of the database: the run goes on after it too.
   */
  async function* follow(
    id: RunId,
    after: number,
    signal: AbortSignal,
  ): AsyncGenerator<FollowedEvent, void, void> {
    let seq = after
    let failed: FollowedEvent | undefined
    const { journal, leave } = join(id)
    try {
      for await (const { events, hasEnded } of journal.follow(signal)) {
        for (const event of events.filter((each) => each.seq > seq)) {
          if (signal.aborted) return
          seq = event.seq
          const followed = { id: seq, event: event.event, data: event.data }
          failed = event.event === FAILED ? followed : undefined
          if (failed === undefined) yield followed
        }
        if (!hasEnded) continue
        if (failed !== undefined) yield failed
        return
      }
    } finally {
      leave()
    }
  }

  return {
    follow,

    /** Wakes the followers of a run. */
    wakeFollowers: (id: RunId): void => followed.get(id)?.journal.refresh(),
  }
}
