import { discovery } from './discovery.ts'

const HEALTH_PATHS: ReadonlySet<string> = new Set(['/readyz', '/livez', '/healthz'])

export const isHealthPath = (path: string): boolean => HEALTH_PATHS.has(path)

/** Paths that are no resources, which every user may get. */
export const isOpenPath = (path: string): boolean =>
  isHealthPath(path) || path === '/version' || discovery.has(path)
