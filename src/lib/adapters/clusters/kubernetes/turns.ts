import type { Cluster } from '../../../ports/clusters.ts'

export interface TurnLimits {
  /** Requests to all API servers together that may be under way. */
  readonly all: number
  readonly perServer: number
  /** Of one person to one API server. */
  readonly perPerson: number
}

/** Whose turn it is, and until when it is waited for. */
export interface Turn {
  readonly cluster: Pick<Cluster, 'apiServer'>
  /** The person's token. */
  readonly token: string
  readonly signal: AbortSignal
}

interface Waiting {
  readonly keys: Keys
  readonly go: () => void
}

interface Keys {
  readonly server: string
  readonly person: string
}

/**
 * Bun makes only so many requests at once, to everybody together. Those to an API server that does not answer must not take the
 * places of all others, nor those of one person the places of the others at an API server. Who has to wait does so in line, past
 * which whoever need not wait goes; the signal ends the waiting with its reason.
 */
export function createTurns({ all, perServer, perPerson }: TurnLimits) {
  const underWay = new Map<string, number>()
  let total = 0
  const line = new Set<Waiting>()

  const count = (key: string): number => underWay.get(key) ?? 0
  const add = (key: string, more: 1 | -1): void => {
    const now = count(key) + more
    if (now === 0) underWay.delete(key)
    else underWay.set(key, now)
  }
  const mayGo = ({ server, person }: Keys): boolean =>
    total < all && count(server) < perServer && count(person) < perPerson

  function begin({ server, person }: Keys): void {
    total++
    add(server, 1)
    add(person, 1)
  }

  function end({ server, person }: Keys): void {
    total--
    add(server, -1)
    add(person, -1)
    for (const waiting of line) {
      if (total === all) return
      if (mayGo(waiting.keys)) waiting.go()
    }
  }

  async function wait(keys: Keys, signal: AbortSignal): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const waiting = {
      keys,
      go() {
        line.delete(waiting)
        begin(keys)
        resolve()
      },
    }
    const leave = () => {
      line.delete(waiting)
      reject(signal.reason)
    }
    line.add(waiting)
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
    const keys = { server: apiServer, person: `${apiServer} ${token}` }
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
