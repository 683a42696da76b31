import { isIP } from 'node:net'
import { isLoopback } from '../../../text/ip-address.ts'

/**
 * Whether a URL may be storage of a git host at `api`, which it redirects to or names: over TLS and at a host with a name, never an
 * address or a service of our own network; beside an `api` on this machine, this machine.
 */
export function mayBeStorage(api: URL, { protocol, hostname }: URL): boolean {
  const isHere = isLoopback(api.hostname) && isLoopback(hostname)
  if (isHere) return protocol === api.protocol || protocol === 'https:'
  const isAddress = isIP(hostname.replaceAll(/[[\]]/g, '')) !== 0
  return protocol === 'https:' && !isAddress && hostname.includes('.')
}
