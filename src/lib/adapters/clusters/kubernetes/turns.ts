import type { Cluster } from '../../../ports/clusters.ts'
import { createTurnstile } from '../../../turnstile.ts'

/**
 * So many requests at a time to one API server; the others wait. Bun makes only so many at once, to everybody together: those of
 * a cluster that does not answer must not take the places of all others.
 */
export function createTurns(atOnce: number) {
  const turnstiles = new Map<Cluster['apiServer'], ReturnType<typeof createTurnstile>>()
  return function inTurn<Value>(
    { apiServer }: Pick<Cluster, 'apiServer'>,
    work: () => Promise<Value>,
  ): Promise<Value> {
    let turnstile = turnstiles.get(apiServer)
    if (turnstile === undefined) {
      turnstile = createTurnstile(atOnce)
      turnstiles.set(apiServer, turnstile)
    }
    return turnstile(work)
  }
}

export type InTurn = ReturnType<typeof createTurns>
