import type { RunId } from '../../names.ts'
import type { DatabaseFailure, RunEventRow, RunStore } from '../../ports/database.ts'
import { ok, type Result } from '../../result.ts'
import type { RunEvent } from './run.ts'

const FAILED = 'failed' satisfies RunEvent['event']

/** How long a reader that hears nothing waits before it looks: another replica may be at work. */
const LOOK_EVERY_MS = 500

export interface FollowedEvent {
  readonly seq: number
  readonly event: string
  readonly data: string
}

export interface RunEvents {
  /**
   * The events of a run after `after`, those to come included, until the run has ended. Of a run that was tried again only the
   * last end. Ends quietly when `signal` does; a failing database ends it with an error, after which a reader comes again.
   */
  readonly follow: (
    id: RunId,
    after: number,
    signal: AbortSignal,
  ) => AsyncGenerator<FollowedEvent, void, void>
  /** Says that there is news of a run. */
  readonly changed: (id: RunId) => void
}

/**
 * Readers of one run share what was read: a thousand of them cost one look. Each goes through it at its own speed, so that no
 * slow one holds up the run or another.
 */
export function createRunEvents(store: Pick<RunStore, 'events' | 'find'>): RunEvents {
  const topics = new Map<RunId, Topic>()

  function join(id: RunId): Topic {
    const topic = topics.get(id) ?? createTopic(store, id)
    topics.set(id, topic)
    topic.readers += 1
    return topic
  }
  function leave(id: RunId, topic: Topic): void {
    topic.readers -= 1
    if (topic.readers > 0) return
    topic.close()
    topics.delete(id)
  }

  return {
    changed: (id) => void topics.get(id)?.look(),

    async *follow(id, after, signal) {
      const topic = join(id)
      try {
        let next = 0
        await topic.look()
        while (!signal.aborted) {
          const known = topic.read()
          if (!known.ok) throw new Error(known.error.reason)
          const { events, isRunning } = known.value
          for (; next < events.length && !signal.aborted; next++) {
            const event = events[next]
            if (event !== undefined && event.seq > after && event.event !== FAILED) yield event
          }
          if (topic.read() !== known) continue
          if (isRunning) await topic.news(signal)
          else {
            const last = events.at(-1)
            if (last !== undefined && last.seq > after && last.event === FAILED) yield last
            return
          }
        }
      } finally {
        leave(id, topic)
      }
    },
  }
}

interface Known {
  readonly events: readonly RunEventRow[]
  readonly isRunning: boolean
}

interface Topic {
  readers: number
  read(): Result<Known, DatabaseFailure>
  look(): Promise<void>
  news(signal: AbortSignal): Promise<void>
  close(): void
}

function createTopic(store: Pick<RunStore, 'events' | 'find'>, id: RunId): Topic {
  let known: Result<Known, DatabaseFailure> = ok({ events: [], isRunning: true })
  let looking: Promise<void> | undefined
  let isLookDue = false
  const waiting = new Set<() => void>()
  const timer = setInterval(() => void look(), LOOK_EVERY_MS)

  const tellAll = () => {
    for (const wake of waiting) wake()
  }

  async function lookOnce(): Promise<void> {
    // The run first: events that are written together with its end are then seen too.
    const run = await store.find(id)
    const before = known.ok ? known.value.events : []
    const more = await store.events(id, before.at(-1)?.seq ?? 0)
    if (!run.ok) known = run
    else if (!more.ok) known = more
    else {
      const isRunning = run.value?.status === 'running'
      const isNews = !known.ok || more.value.length > 0 || known.value.isRunning !== isRunning
      if (!isNews) return
      known = ok({ events: [...before, ...more.value], isRunning })
    }
    tellAll()
  }

  async function lookUntilDone(): Promise<void> {
    do {
      isLookDue = false
      await lookOnce()
    } while (isLookDue)
    // In the same turn as the last question whether a look is due: nobody can come in between.
    looking = undefined
  }

  /** One at a time; who comes while one is under way gets one that begins after they came. */
  async function look(): Promise<void> {
    if (looking !== undefined) {
      isLookDue = true
      return looking
    }
    looking = lookUntilDone()
    return looking
  }

  return {
    readers: 0,
    read: () => known,
    look,
    news: (signal) =>
      new Promise((resolve) => {
        const wake = () => {
          waiting.delete(wake)
          signal.removeEventListener('abort', wake)
          resolve()
        }
        waiting.add(wake)
        signal.addEventListener('abort', wake)
      }),
    close: () => clearInterval(timer),
  }
}
