import { onNobodysBehalf } from '../../../concurrency/on-behalf-of.ts'
import type { DatabaseFailure } from '../../../ports/database/failure.ts'
import type { SessionStore, SessionTimes } from '../../../ports/database/sessions.ts'
import type { Session } from './session.ts'

/** Not the whole session: there are many watches, and they last for hours. */
interface Watch {
  readonly idHash: string
  readonly expiresAt: number
  readonly onEnd: () => void
}

export interface SessionWatchOptions {
  readonly store: Pick<SessionStore, 'living'>
  readonly isOver: (times: SessionTimes) => boolean
  readonly hasExpired: (session: Pick<Session, 'expiresAt'>) => boolean
  /** Called with the first of several failures in a row. */
  readonly onUnavailable: (failure: DatabaseFailure) => void
  /** Receives exceptions; the streams go on. */
  readonly onBug: (bug: unknown) => void
}

/** With the time of the query itself, a stream ends within a second of its session. */
const CHECK_EVERY_MS = 500

/**
 * Tells streams of the end of their session, whichever replica ended it. One query at a time asks for all watched sessions; without
 * any there is none. While the database is away they count as alive until their absolute end.
 */
export function createSessionWatch({
  store,
  isOver,
  hasExpired,
  onUnavailable,
  onBug,
}: SessionWatchOptions) {
  const watches = new Set<Watch>()
  let isRunning = false
  let isAway = false

  function end(isEnded: (watch: Watch) => boolean): void {
    for (const watch of [...watches].filter(isEnded)) {
      watches.delete(watch)
      watch.onEnd()
    }
  }

  async function check(): Promise<void> {
    // Watches that begin during the query are not among its answers.
    const asked = new Set([...watches].map(({ idHash }) => idHash))
    const living = await store.living([...asked])
    if (!living.ok) {
      if (!isAway) onUnavailable(living.error)
      isAway = true
      return end(hasExpired)
    }
    isAway = false
    end(({ idHash }) => {
      if (!asked.has(idHash)) return false
      const times = living.value.get(idHash)
      return times === undefined || isOver(times)
    })
  }

  async function run(): Promise<void> {
    isRunning = true
    for (;;) {
      await new Promise((resolve) => setTimeout(resolve, CHECK_EVERY_MS).unref())
      if (watches.size === 0) break
      await check().catch(onBug)
    }
    isRunning = false
  }

  return {
    /** Calls `onEnd` when the session ends, once. The returned function ends the watch. */
    watch({ idHash, expiresAt }: Session, onEnd: () => void): () => void {
      const watch: Watch = { idHash, expiresAt, onEnd }
      watches.add(watch)
      if (!isRunning) void onNobodysBehalf(run)
      return () => void watches.delete(watch)
    },

    /** For a session that this process ended, whether or not its row is gone. */
    endSession: (ended: string): void => end(({ idHash }) => idHash === ended),

    /** Asks at once, for rows that this process removed. */
    checkNow: async (): Promise<void> => {
      if (watches.size > 0) await check().catch(onBug)
    },
  }
}
