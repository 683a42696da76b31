import { heapStats } from 'bun:jsc'

/** Number of reachable objects. */
export function liveObjects(): number {
  Bun.gc(true)
  return heapStats().objectCount
}

/** Number of objects of a class, and their bytes in total. */
export function liveObjectsOf(className: string): {
  readonly count: number
  readonly bytes: number
} {
  Bun.gc(true)
  const { nodes, nodeClassNames } = Bun.generateHeapSnapshot()
  const wanted = nodeClassNames.indexOf(className)
  let count = 0
  let bytes = 0
  for (let node = 0; node < nodes.length; node += NODE_FIELDS) {
    if (nodes[node + 2] !== wanted) continue
    count += 1
    bytes += nodes[node + 1] ?? 0
  }
  return { count, bytes }
}

/** Identifier, size, class and flags (WebKit's heap snapshot format, version 3). */
const NODE_FIELDS = 4
