import { isIP } from 'node:net'
import { isLoopback } from '../../../../text/ip-address.ts'

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
