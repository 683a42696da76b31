import { lookup as lookUp, type LookupAddress } from 'node:dns'
import { get, type RequestOptions } from 'node:https'
import { BlockList, type LookupFunction } from 'node:net'
import { familyOf, parseIpAddress } from '../text/ip-address.ts'
import { parseJson } from '../text/json.ts'
import { err, ok, type Result } from '../result.ts'

const MAX_BYTES = 5 * 1024
const DEADLINE_MS = 5_000

/** Not reachable from the internet, or special (RFC 6890). A server of ours may be there. */
const special = new BlockList()
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['224.0.0.0', 3],
] as const) {
  special.addSubnet(network, prefix, 'ipv4')
}

/** Of IPv6 only global unicast counts, without the ranges that carry an IPv4 address (6to4, Teredo, NAT64). */
export function isPublicAddress(text: string): boolean {
  const address = parseIpAddress(text)
  if (address === undefined) return false
  if (familyOf(address) === 'ipv4') return !special.check(address, 'ipv4')
  return /^[23][0-9a-f]{3}:/.test(address) && !/^(?:2002|2001:0?|2001::)(?::|$)/.test(address)
}

export interface PublicDocumentSource {
  /** For tests: where addresses come from, and which of them may be asked. */
  readonly resolve?: typeof lookUp
  readonly isAllowed?: (address: string) => boolean
  readonly ca?: string
}

/**
 * Reads a JSON document of a stranger over https: at most 5 KB, within 5 s. Follows no redirect, and connects to the very address that was checked: a name may change between
 * a check and a connection.
 */
export function readPublicDocument(
  address: string,
  { resolve = lookUp, isAllowed = isPublicAddress, ca }: PublicDocumentSource = {},
): Promise<Result<unknown, string>> {
  const checked: LookupFunction = (host, options, give) => {
    resolve(host, { ...options, all: true }, (failure, found: LookupAddress[]) => {
      if (failure !== null) return give(failure, [])
      const allowed = found.every(({ address: one }) => isAllowed(one)) ? found : []
      if (allowed.length === 0) return give(new Error('the address is not a public one'), [])
      give(null, allowed)
    })
  }
  const options: RequestOptions = {
    lookup: checked,
    agent: false,
    headers: { accept: 'application/json' },
    signal: AbortSignal.timeout(DEADLINE_MS),
    ...(ca !== undefined && { ca }),
  }
  return new Promise((settle) => {
    const host = URL.parse(address)?.hostname.replaceAll(/^\[|\]$/g, '') ?? ''
    // An address in place of a name is not looked up.
    if (parseIpAddress(host) !== undefined && !isAllowed(host)) {
      return settle(err('the address is not a public one'))
    }
    const request = get(address, options, (response) => {
      const parts: Buffer[] = []
      let bytes = 0
      if (response.statusCode !== 200) {
        request.destroy()
        return settle(err(`status ${response.statusCode}`))
      }
      response.on('data', (part: Buffer) => {
        bytes += part.length
        if (bytes <= MAX_BYTES) return parts.push(part)
        request.destroy()
        return settle(err('more than 5 KB'))
      })
      response.on('end', () => {
        const document = parseJson(Buffer.concat(parts).toString('utf8'))
        settle(document === undefined ? err('not JSON') : ok(document))
      })
      response.on('error', (error) => settle(err(error.message)))
    })
    request.on('error', (error) => settle(err(error.message)))
  })
}
