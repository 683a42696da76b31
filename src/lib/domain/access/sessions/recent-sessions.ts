import { LRUCache } from 'lru-cache'
import type { Session } from './session.ts'

interface RecentSession {
  readonly session: Session
  readonly askedAt: number
}

/** How long an answer of the store is reused. A logout on another replica takes effect within this time. */
const RECHECK_MS = 1000
export const RECENT_MAX = 10_000

/** A clock that was set back must not make an answer last longer. */
const isFresh = ({ askedAt }: RecentSession, now: number): boolean =>
  now >= askedAt && now - askedAt < RECHECK_MS

/** Sessions by their token as the store confirmed them a moment ago. */
export function createRecentSessions() {
  const recent = new LRUCache<string, RecentSession>({ max: RECENT_MAX })

  function dropWhere(isDropped: (entry: RecentSession) => boolean): void {
    const dropped = Array.from(recent.entries()).filter(([, entry]) => isDropped(entry))
    for (const [token] of dropped) recent.delete(token)
  }

  return {
    get(token: string, now: number): Session | undefined {
      const entry = recent.peek(token)
      return entry !== undefined && isFresh(entry, now) ? entry.session : undefined
    },
    set: (token: string, session: Session, askedAt: number): void =>
      void recent.set(token, { session, askedAt }),
    drop: (token: string): void => void recent.delete(token),
    dropSession: (idHash: string): void => dropWhere(({ session }) => session.idHash === idHash),
    dropOld: (now: number): void => dropWhere((entry) => !isFresh(entry, now)),
    clear: (): void => recent.clear(),
  }
}
