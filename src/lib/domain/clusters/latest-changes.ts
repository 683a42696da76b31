import { setTimeout as sleep } from 'node:timers/promises'
import type { ClusterFailure, Watch, WatchStart } from '../../ports/clusters.ts'

const UNTOLD_MAX = 5_000

export interface Change<Shown> {
  readonly kind: 'set' | 'removed'
  readonly item: Shown
}

interface Watched {
  readonly metadata: { readonly uid: string }
}

export interface ChangesOptions<Item, Shown> {
  readonly watch: (from: WatchStart) => Watch<Item>
  readonly from: WatchStart
  /** What is told of an object, and all that is kept of it. */
  readonly show: (item: Item) => Shown
  readonly signal: AbortSignal
  /** How often one object is told of at most. */
  readonly pauseMs: number
}

/**
 * The changes of watched objects until the signal ends, or the failure that the watch cannot go on after. A watch that the API
 * server ends is begun again where it ended. Of several changes of an object between two looks only the last is told, so that
 * a slow reader holds no more than the objects that there are.
 */
export async function* latestChanges<Item extends Watched, Shown>({
  watch,
  from,
  show,
  signal,
  pauseMs,
}: ChangesOptions<Item, Shown>): AsyncGenerator<Change<Shown>, ClusterFailure | null, void> {
  const untold = new Map<string, Change<Shown>>()
  let wake = Promise.withResolvers<void>()
  const reading = readAll()
  // Its failure is met where it is awaited below.
  reading.catch(() => undefined)

  for (;;) {
    if (untold.size === 0) {
      const ended = await Promise.race([reading, wake.promise])
      if (ended !== undefined && untold.size === 0) return ended
    }
    wake = Promise.withResolvers<void>()
    const told = [...untold.values()]
    untold.clear()
    yield* told
    await pause(pauseMs, signal)
  }

  async function readAll(): Promise<ClusterFailure | null> {
    let { resourceVersion } = from
    while (!signal.aborted) {
      for await (const change of watch({ ...from, resourceVersion })) {
        if (!change.ok) return change.error
        ;({ resourceVersion } = change.value)
        if (change.value.kind === 'bookmark') continue
        const { kind, item } = change.value
        untold.set(item.metadata.uid, { kind, item: show(item) })
        // More than a list shows: a new list costs less than to tell of them all.
        if (untold.size > UNTOLD_MAX) return { kind: 'cluster_expired' }
        wake.resolve()
      }
      await pause(pauseMs, signal)
    }
    return null
  }
}

export const pause = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  sleep(milliseconds, undefined, { signal }).catch(() => undefined)
