import { heapStats } from 'bun:jsc'

/** How many objects there are that something still refers to. */
export function liveObjects(): number {
  Bun.gc(true)
  return heapStats().objectCount
}
