import type { WriteTurn, WriteTurnStore } from '#src/lib/ports/database/write-turns.ts'
import { ok } from '#src/lib/result.ts'

/** Turns in memory. */
export function memoryTurns(): WriteTurnStore {
  const last = new Map<string, WriteTurn>()
  return {
    async take(host, next) {
      const turn = next(last.get(host) ?? null)
      if (turn !== null) last.set(host, turn)
      return ok(turn)
    },
  }
}

/** The options of a client whose writes need not wait. */
export const unpaced = {
  writeTurns: memoryTurns,
  writeRate: { intervalMs: 0, burst: 1, refillMs: 0 },
}
