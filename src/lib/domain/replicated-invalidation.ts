import { createPauses } from '../concurrency/pauses.ts'
import { createQueue } from '../concurrency/queue.ts'
import type { DatabaseFailure } from '../ports/database/failure.ts'
import type { Generations } from '../ports/database/generations.ts'

export interface ReplicatedInvalidationOptions {
  /** Name of the counter by which replicas tell each other. */
  readonly name: 'catalog' | 'overview'
  readonly cache: { invalidate(): void }
  readonly generations: Generations
  readonly onNotAnnounced: (failure: DatabaseFailure) => void
}

/** Invalidation of a cache on every replica. */
export interface ReplicatedInvalidation {
  /**
   * Invalidates at once here, and announces it to the other replicas. Resolves when the announcement is written, or when it failed and
   * will be tried again until it is.
   */
  invalidate(): Promise<void>
  /** Invalidates here what other replicas announce. */
  start(): void
  /** Tries once more to write an announcement that failed. */
  close(): Promise<void>
}

export function createReplicatedInvalidation({
  name,
  cache,
  generations,
  onNotAnnounced,
}: ReplicatedInvalidationOptions): ReplicatedInvalidation {
  const inTurn = createQueue()
  /** An announcement that has not begun also stands for the invalidations until then. */
  let next: Promise<void> | undefined
  const pauses = createPauses()
  let retry: Timer | undefined
  let stopFollowing = () => {}

  async function advance(): Promise<void> {
    next = undefined
    clearTimeout(retry)
    retry = undefined
    const advanced = await generations.advance(name)
    if (advanced.ok) {
      pauses.reset()
      return
    }
    onNotAnnounced(advanced.error)
    retry = setTimeout(() => void announce(), pauses.next())
    retry.unref()
  }

  function announce(): Promise<void> {
    next ??= inTurn(name, advance)
    return next
  }

  return {
    invalidate() {
      cache.invalidate()
      return announce()
    },
    start() {
      stopFollowing = generations.follow(name, () => cache.invalidate())
    },
    async close() {
      stopFollowing()
      if (retry !== undefined) await announce()
      clearTimeout(retry)
    },
  }
}
