import { ok, type Result } from '../result.ts'
import { broken, type BrokenAnswer } from './exchange.ts'

/** Statuses of a redirect that names its target. */
export const MOVED: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/** The URL that a redirect leads to, relative or absolute. No fault contains a URL, which may carry a signature. */
export function redirectTarget(from: string, location: string | null): Result<URL, BrokenAnswer> {
  const to = location === null ? null : URL.parse(location, from)
  if (to === null) return broken('a redirect without a target')
  if (to.username !== '' || to.password !== '') return broken('a redirect with credentials')
  return ok(to)
}
