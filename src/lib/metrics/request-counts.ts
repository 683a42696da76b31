import { createRouteFinder } from './route-finder.ts'

/** One answered request. */
export interface Answer {
  readonly method: string
  readonly path: string
  readonly status: number
  /** Until the answer began. */
  readonly ms: number
}

/** The requests to one route that were answered with one status. */
export interface RequestCount {
  readonly method: string
  readonly route: string
  readonly status: number
  /** How many took at most each of `DURATION_BOUNDS_MS` and more than the one before; the last took longer than all. */
  readonly byDuration: readonly number[]
  readonly totalMs: number
}

/** From what memory answers to what a git host takes for its worst. */
export const DURATION_BOUNDS_MS = [
  0.1, 0.5, 1, 5, 10, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000,
] as const

/** What any method that is not of these is called: a client can make up names. */
const OTHER = 'other'
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']
const METHOD_INDEX = new Map(METHODS.map((method, index) => [method, index]))
/** For everything that is no route. */
const NO_ROUTE = 'none'
const STATUSES = 1_000

export interface RequestCounts {
  record(answer: Answer): void
  counts(): readonly RequestCount[]
}

type Cell = RequestCount & { totalMs: number; readonly byDuration: number[] }
interface Route {
  readonly pattern: string
  readonly cells: Map<number, Cell>
}

/**
 * Counts answers. On the way of every request, and therefore nothing but a few look-ups and additions; what Prometheus
 * calls them is made when it asks.
 */
export function createRequestCounts(patterns: readonly string[]): RequestCounts {
  const routeOf = (pattern: string): Route => ({ pattern, cells: new Map() })
  const routes = patterns.map(routeOf)
  const none = routeOf(NO_ROUTE)
  const find = createRouteFinder(routes)

  return {
    record({ method, path, status, ms }) {
      const { pattern, cells } = find(path) ?? none
      const index = METHOD_INDEX.get(method) ?? METHODS.length
      const key = index * STATUSES + status
      let cell = cells.get(key)
      if (cell === undefined) {
        cell = newCell(METHODS[index] ?? OTHER, pattern, status)
        cells.set(key, cell)
      }
      const bucket = bucketOf(ms)
      cell.byDuration[bucket] = (cell.byDuration[bucket] ?? 0) + 1
      cell.totalMs += ms
    },
    counts: () => [...routes, none].flatMap(({ cells }) => [...cells.values()]),
  }
}

function bucketOf(ms: number): number {
  let bucket = 0
  for (const bound of DURATION_BOUNDS_MS) {
    if (ms <= bound) return bucket
    bucket++
  }
  return bucket
}

const newCell = (method: string, route: string, status: number): Cell => ({
  method,
  route,
  status,
  byDuration: Array.from({ length: DURATION_BOUNDS_MS.length + 1 }, () => 0),
  totalMs: 0,
})
