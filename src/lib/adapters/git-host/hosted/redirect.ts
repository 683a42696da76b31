import { ok, type Result } from '../../../result.ts'
import { type HostError, hostError } from './client.ts'

/** Statuses of a redirect that names its target. */
export const MOVED: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/** The URL that a redirect leads to, relative or absolute. No failure contains a URL, which may carry a signature. */
export function redirectTarget(from: string, location: string | null): Result<URL, HostError> {
  const to = location === null ? null : URL.parse(location, from)
  if (to === null) return hostError('a redirect without a target')
  if (to.username !== '' || to.password !== '') return hostError('a redirect with credentials')
  return ok(to)
}
