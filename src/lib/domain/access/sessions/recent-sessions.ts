import { createLru } from '../../../concurrency/lru.ts'
import type { Session } from './session.ts'

interface RecentSession {
  readonly session: Session
  readonly askedAt: number
}

/** How long an answer of the store is reused. A logout on another replica takes effect within this time. */
const RECHECK_MS = 1000

/** How long it is good for reading while the store does not answer. */
const UNCONFIRMED_MS = 30_000

/** A clock that was set back must not make an answer last longer. */
const isYounger = ({ askedAt }: RecentSession, now: number, maxMs: number): boolean =>
  now >= askedAt && now - askedAt < maxMs

/** Sessions by their token as the store confirmed them a moment ago. */
export function createRecentSessions() {
  const recent = createLru<string, RecentSession>()

  function dropWhere(isDropped: (entry: RecentSession) => boolean): void {
    const dropped = Array.from(recent.entries()).filter(([, entry]) => isDropped(entry))
    for (const [token] of dropped) recent.delete(token)
  }

  function find(token: string, now: number, maxMs: number): Session | undefined {
    const entry = recent.peek(token)
    return entry !== undefined && isYounger(entry, now, maxMs) ? entry.session : undefined
  }

  return {
    get: (token: string, now: number) => find(token, now, RECHECK_MS),
    /** Including those that are to be confirmed again. */
    getUnconfirmed: (token: string, now: number) => find(token, now, UNCONFIRMED_MS),
    set: (token: string, session: Session, askedAt: number): void =>
      void recent.set(token, { session, askedAt }),
    drop: (token: string): void => void recent.delete(token),
    dropSession: (idHash: string): void => dropWhere(({ session }) => session.idHash === idHash),
    dropOld: (now: number): void => dropWhere((entry) => !isYounger(entry, now, UNCONFIRMED_MS)),
    clear: (): void => recent.clear(),
  }
}
