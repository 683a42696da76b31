import type { ClusterFailure, Watch, WatchStart } from '../../ports/clusters.ts'
import { wait } from './wait.ts'

/** Of what was not told yet: as much as a client may leave lying. */
const UNTOLD_MAX_CHARACTERS = 8 * 1024 * 1024

export interface Change {
  readonly kind: 'set' | 'removed'
  readonly item: string
}

export interface Watched {
  readonly metadata: { readonly uid: string }
}

export interface ChangesOptions<Item> {
  readonly watch: (from: WatchStart) => Watch<Item>
  readonly from: WatchStart
  /** What is told of an object, and all that is kept of it. */
  readonly show: (item: Item) => string
  readonly signal: AbortSignal
  /** How often one object is told of at most. */
  readonly pauseMs: number
}

/**
 * The changes of watched objects until the signal ends, or the failure that the watch cannot go on after. A watch that the API
 * server ends is begun again where it ended. Of several changes of an object between two looks only the last is told. What a
 * reader leaves lying is bounded: when it is too much the watch has expired, and everything is told anew.
 */
export async function* latestChanges<Item extends Watched>({
  watch,
  from,
  show,
  signal,
  pauseMs,
}: ChangesOptions<Item>): AsyncGenerator<Change, ClusterFailure | null, void> {
  const untold = createUntold()
  let wake = Promise.withResolvers<void>()
  let isOver = false
  const over = () => {
    isOver = true
    wake.resolve()
  }
  const reading = readAll()
  // No race: for as long as a watch goes on, its promise would keep every one that it was in.
  reading.then(over, over)

  for (;;) {
    if (untold.isEmpty()) {
      if (!isOver) await wake.promise
      if (isOver && untold.isEmpty()) return reading
    }
    wake = Promise.withResolvers<void>()
    yield* untold.take()
    await wait(pauseMs, signal)
  }

  async function readAll(): Promise<ClusterFailure | null> {
    let { resourceVersion } = from
    while (!signal.aborted) {
      for await (const change of watch({ ...from, resourceVersion })) {
        if (!change.ok) return change.error
        ;({ resourceVersion } = change.value)
        if (change.value.kind === 'bookmark') continue
        const { kind, item } = change.value
        untold.add(item.metadata.uid, { kind, item: show(item) })
        if (untold.characters() > UNTOLD_MAX_CHARACTERS) {
          untold.take()
          return { kind: 'cluster_expired' }
        }
        wake.resolve()
      }
      await wait(pauseMs, signal)
    }
    return null
  }
}

/** The last change of each object, in the order of the first. */
function createUntold() {
  let changes = new Map<string, Change>()
  let characters = 0
  return {
    isEmpty: () => changes.size === 0,
    characters: () => characters,
    add(uid: string, change: Change): void {
      characters += change.item.length - (changes.get(uid)?.item.length ?? 0)
      changes.set(uid, change)
    },
    take(): Iterable<Change> {
      const taken = changes.values()
      changes = new Map()
      characters = 0
      return taken
    },
  }
}
