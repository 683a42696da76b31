import type { Cluster } from '../../ports/clusters.ts'
import { err, ok, type Result } from '../../result.ts'
import type { Asking } from './access.ts'

export interface TooManyStreams {
  readonly kind: 'too_many_streams'
}

export interface OpenStreamsOptions {
  /** Of everybody together. */
  readonly all: number
  readonly perPerson?: number
  /** Whether who opened a stream might open it now, to the same cluster. */
  readonly mayGoOn: (asking: Asking, cluster: Cluster) => Promise<boolean>
  /** Told of a bug in looking, after which streams go on. */
  readonly onBug: (asking: Asking, bug: unknown) => void
  readonly lookEveryMs?: number
}

/** What was opened, at which cluster, and the signal that it ends with. */
export interface Opened<Value> {
  readonly value: Value
  readonly cluster: Cluster
  readonly signal: AbortSignal
}

export interface Held<Value> extends Opened<Value> {
  /** Gives the place back. May be called more than once, and is by the end of the signal. */
  readonly end: () => void
}

/** Several tabs of several pods each. */
const PER_PERSON = 20
/** How long somebody who signed out, or was put out of a group, sees on. */
const LOOK_EVERY_MS = 10_000

export type OpenStreams = ReturnType<typeof createOpenStreams>

/** The streams that are open. Each holds a connection to an API server, and a right that may be withdrawn. */
export function createOpenStreams({
  all,
  perPerson = PER_PERSON,
  mayGoOn,
  onBug,
  lookEveryMs = LOOK_EVERY_MS,
}: OpenStreamsOptions) {
  const places = new Set<Place>()
  let timer: Timer | undefined

  async function look(): Promise<void> {
    timer = undefined
    for (const { asking, cluster, withdrawn } of places) {
      if (cluster !== undefined && !(await stays(asking, cluster))) withdrawn.abort()
    }
    if (places.size > 0) lookLater()
  }

  async function stays(asking: Asking, cluster: Cluster): Promise<boolean> {
    try {
      return await mayGoOn(asking, cluster)
    } catch (bug) {
      onBug(asking, bug)
      return true
    }
  }

  /** As long as there is something to look at. */
  function lookLater(): void {
    timer ??= setTimeout(() => void look(), lookEveryMs).unref()
  }

  function leave(place: Place): void {
    places.delete(place)
    if (places.size > 0) return
    clearTimeout(timer)
    timer = undefined
  }

  function enter(asked: Asking): Place | undefined {
    const person = personOf(asked)
    const theirs = [...places].filter(({ asking }) => personOf(asking) === person)
    if (theirs.length >= perPerson || places.size >= all) return undefined
    const withdrawn = new AbortController()
    const signal = AbortSignal.any([asked.signal, withdrawn.signal])
    const place: Place = { asking: { ...asked, signal }, withdrawn, cluster: undefined }
    places.add(place)
    lookLater()
    return place
  }

  return {
    /**
     * Takes a place and opens a stream, whose asking also ends when the person may not see the cluster any more. The place is
     * given back when it cannot be opened, or when the signal of what was opened ends.
     */
    async open<Value, Failure>(
      asked: Asking,
      act: (asking: Asking) => Promise<Result<Opened<Value>, Failure>>,
    ): Promise<Result<Held<Value>, Failure | TooManyStreams>> {
      const place = enter(asked)
      if (place === undefined) return err({ kind: 'too_many_streams' })
      let held: Held<Value> | undefined
      try {
        const opened = await act(place.asking)
        if (!opened.ok) return opened
        held = hold(opened.value, () => leave(place))
        place.cluster = held.cluster
        return ok(held)
      } finally {
        if (held === undefined) leave(place)
      }
    },
  }
}

interface Place {
  readonly asking: Asking
  readonly withdrawn: AbortController
  /** Once it is open. */
  cluster: Cluster | undefined
}

/** A signal keeps who listens to it until it ends, which may be hours after the stream did. */
function hold<Value>(opened: Opened<Value>, leave: () => void): Held<Value> {
  const { signal } = opened
  const end = () => {
    signal.removeEventListener('abort', end)
    leave()
  }
  signal.addEventListener('abort', end)
  if (signal.aborted) end()
  return { ...opened, end }
}

const personOf = ({ session: { principal } }: Asking): string =>
  `${principal.issuer} ${principal.subject}`
