import { onNobodysBehalf } from './on-behalf-of.ts'

/** One state of something that changes. Equal revisions mean equal states. */
export interface Revised {
  readonly revision: string
}

export interface LatestStateOptions<State> {
  /** The state now; `undefined` while it cannot be read. */
  readonly read: () => Promise<State | undefined>
  /** Pause between two reads while somebody follows. */
  readonly everyMs: number
  /** Receives exceptions of `read`. */
  readonly onBug: (bug: unknown) => void
}

export interface LatestState<State> {
  /** Reads at once if somebody follows. For callers that know of a change. */
  refresh(): void
  /** The state, as soon as it is known, and every later one. A slow reader gets the last of several. */
  follow(signal: AbortSignal): AsyncGenerator<State, void, void>
}

/** One reader of a state for all who follow it. Without them nothing is read. */
export function createLatestState<State extends Revised>({
  read,
  everyMs,
  onBug,
}: LatestStateOptions<State>): LatestState<State> {
  let latest: State | undefined
  const followers = new Set<{ wake: () => void }>()
  let isReading = false
  /** A read that began before the last refresh may have missed the change. */
  let isDue = false
  let timer: Timer | undefined

  const isFollowed = () => followers.size > 0

  async function readAll(): Promise<void> {
    clearTimeout(timer)
    isReading = true
    while (isDue && isFollowed()) {
      isDue = false
      const state = await read().catch(onBug)
      if (state === undefined || state.revision === latest?.revision) continue
      latest = state
      for (const { wake } of followers) wake()
    }
    isReading = false
    if (isFollowed()) timer = setTimeout(refresh, everyMs).unref()
  }

  function refresh(): void {
    isDue = true
    if (!isReading && isFollowed()) void onNobodysBehalf(readAll)
  }

  return {
    refresh,
    async *follow(signal) {
      const follower: { wake: () => void } = { wake: () => undefined }
      const onAbort = () => follower.wake()
      signal.addEventListener('abort', onAbort)
      followers.add(follower)
      // The last state may be old: nobody has followed it.
      if (followers.size === 1) {
        latest = undefined
        refresh()
      }
      try {
        let seen: State | undefined
        while (!signal.aborted) {
          if (latest !== undefined && latest.revision !== seen?.revision) {
            seen = latest
            yield latest
          } else await new Promise<void>((resolve) => (follower.wake = resolve))
        }
      } finally {
        signal.removeEventListener('abort', onAbort)
        followers.delete(follower)
        if (!isFollowed()) clearTimeout(timer)
      }
    },
  }
}
