/** How long the store's word is taken without asking again. Another replica's logout takes at most this long. */
const RECHECK_MS = 1000
export const RECENT_MAX = 10_000

interface RecentSessions<Answer> {
  find(token: string, now: number): Answer | undefined
  /** Keeps an answer that the store gave at `askedAt` or later. */
  keep(token: string, answer: Answer, askedAt: number): void
  drop(token: string): void
  dropWhere(isGone: (answer: Answer) => boolean): void
  /** Frees what is too old to be found. */
  dropStale(now: number): void
}

/** The sessions that the store confirmed within a second. When they are too many, the longest unconfirmed goes. */
export function createRecentSessions<Answer>(): RecentSessions<Answer> {
  const entries = new Map<string, { readonly answer: Answer; readonly askedAt: number }>()

  /** A clock that was set back must not make an answer last longer. */
  const isFresh = (askedAt: number, now: number) => now >= askedAt && now - askedAt < RECHECK_MS

  return {
    find(token, now) {
      const entry = entries.get(token)
      return entry !== undefined && isFresh(entry.askedAt, now) ? entry.answer : undefined
    },

    keep(token, answer, askedAt) {
      // A map iterates in the order of insertion: deleting first moves the token to the end.
      entries.delete(token)
      if (entries.size >= RECENT_MAX) {
        const oldest = entries.keys().next()
        if (oldest.done === false) entries.delete(oldest.value)
      }
      entries.set(token, { answer, askedAt })
    },

    drop(token) {
      entries.delete(token)
    },

    dropWhere(isGone) {
      for (const [token, { answer }] of entries) {
        if (isGone(answer)) entries.delete(token)
      }
    },

    dropStale(now) {
      for (const [token, { askedAt }] of entries) {
        if (!isFresh(askedAt, now)) entries.delete(token)
      }
    },
  }
}
