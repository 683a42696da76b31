import type { Cluster } from '../../../ports/clusters.ts'

export interface TurnLimits {
  /** Requests in flight to all API servers together. */
  readonly all: number
  readonly perServer: number
  /** Per token and API server. */
  readonly perPerson: number
}

export interface Turn {
  readonly cluster: Pick<Cluster, 'apiServer'>
  readonly token: string
  /** Ends the waiting, with its reason. */
  readonly signal: AbortSignal
}

interface WaitingTurn {
  readonly keys: readonly string[]
  readonly go: () => void
}

/**
 * Bun limits the number of requests in flight for the whole process. An API server that does not answer must not occupy all of
 * them, nor one person all of an API server's share. A request over a limit waits; requests behind it that are under their
 * limits overtake it.
 */
export function createTurns({ all, perServer, perPerson }: TurnLimits) {
  const limits = [all, perServer, perPerson]
  const inFlight = new Map<string, number>()
  const waiting = new Set<WaitingTurn>()

  const count = (key: string): number => inFlight.get(key) ?? 0
  const mayGo = (keys: readonly string[]): boolean =>
    keys.every((key, index) => count(key) < (limits[index] ?? 0))

  function begin(keys: readonly string[]): void {
    for (const key of keys) inFlight.set(key, count(key) + 1)
  }

  function end(keys: readonly string[]): void {
    for (const key of keys) {
      if (count(key) === 1) inFlight.delete(key)
      else inFlight.set(key, count(key) - 1)
    }
    for (const { keys, go } of waiting) if (mayGo(keys)) go()
  }

  async function wait(keys: readonly string[], signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const turn = {
      keys,
      go() {
        waiting.delete(turn)
        begin(keys)
        resolve()
      },
    }
    const leave = () => {
      waiting.delete(turn)
      reject(signal.reason)
    }
    waiting.add(turn)
    signal.addEventListener('abort', leave, { once: true })
    try {
      await promise
    } finally {
      signal.removeEventListener('abort', leave)
    }
  }

  return async function inTurn<Value>(
    { cluster: { apiServer }, token, signal }: Turn,
    work: () => Promise<Value>,
  ): Promise<Value> {
    const keys = ['all', apiServer, `${apiServer} ${token}`]
    signal.throwIfAborted()
    if (mayGo(keys)) begin(keys)
    else await wait(keys, signal)
    try {
      return await work()
    } finally {
      end(keys)
    }
  }
}

export type InTurn = ReturnType<typeof createTurns>
