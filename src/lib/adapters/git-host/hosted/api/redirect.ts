import { ok, type Result } from '../../../../result.ts'
import { type HostError, hostError } from './client.ts'
import { isIP } from 'node:net'
import { isLoopback } from '../../../../text/ip-address.ts'

/** Statuses of a redirect that names its target. */
export const MOVED: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/** The URL that a redirect leads to, relative or absolute. No failure contains a URL, which may carry a signature. */
export function redirectTarget(from: string, location: string | null): Result<URL, HostError> {
  const to = location === null ? null : URL.parse(location, from)
  if (to === null) return hostError('a redirect without a target')
  if (to.username !== '' || to.password !== '') return hostError('a redirect with credentials')
  return ok(to)
}

/**
 * Decides whether a URL that a git host at `api` redirects to or names may be its storage: over TLS and at a host with a name, never an
 * address or a service of our own network; beside an `api` on this machine, this machine.
 */
export function mayBeStorage(api: URL, { protocol, hostname }: URL): boolean {
  const isHere = isLoopback(api.hostname) && isLoopback(hostname)
  if (isHere) return protocol === api.protocol || protocol === 'https:'
  const isAddress = isIP(hostname.replaceAll(/[[\]]/g, '')) !== 0
  return protocol === 'https:' && !isAddress && hostname.includes('.')
}
