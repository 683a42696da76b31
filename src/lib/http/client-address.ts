import { BlockList } from 'node:net'
import { familyOf, type Network, parseIpAddress } from '../text/ip-address.ts'

/** Knows the other end of a request's connection: Bun's server. */
export interface PeerSource {
  requestIP(request: Request): { readonly address: string } | null
}

export type ClientAddress = (request: Request, peers: PeerSource | undefined) => string | null

/**
 * Finds the address of the client behind trusted proxies. Each proxy appends the address of its own peer to `X-Forwarded-For`,
 * so the header is read from right to left, for as long as the address so far is a trusted proxy. The first other address is
 * the client; what stands to the left of it is the client's own claim. An entry that is not an address ends the walk.
 * `null` without a TCP connection.
 */
export function createClientAddress(trustedProxies: readonly Network[]): ClientAddress {
  const trusted = new BlockList()
  for (const { address, prefix, family } of trustedProxies) {
    trusted.addSubnet(address, prefix, family)
  }
  const isTrusted = (address: string) => trusted.check(address, familyOf(address))

  function clientBehind(proxy: string, forwardedFor: string): string {
    let address = proxy
    for (const entry of forwardedFor.split(',').toReversed()) {
      const hop = hopAddress(entry.trim())
      if (hop === undefined) return address
      address = hop
      if (!isTrusted(address)) return address
    }
    return address
  }

  return (request, peers) => {
    const peer = peers?.requestIP(request)?.address
    if (peer === undefined) return null
    // A socket for both families shows IPv4 clients as IPv6 addresses. One with a zone (`fe80::1%eth0`) stays as it is.
    const address = parseIpAddress(peer) ?? peer
    const forwardedFor = request.headers.get('x-forwarded-for')
    return forwardedFor !== null && isTrusted(address)
      ? clientBehind(address, forwardedFor)
      : address
  }
}

const WITH_PORT = /^(?:(\d{1,3}(?:\.\d{1,3}){3})|\[([^\]]+)\])(?::\d{1,5})?$/

/** Reads `203.0.113.7`, `203.0.113.7:4711`, `2001:db8::7`, `[2001:db8::7]` and `[2001:db8::7]:4711`. */
function hopAddress(entry: string): string | undefined {
  const [, ipv4, ipv6] = WITH_PORT.exec(entry) ?? []
  return parseIpAddress(ipv4 ?? ipv6 ?? entry)
}
