import { isIP } from 'node:net'

/** A range of addresses. `prefix` is the number of leading bits that they share. */
export interface Network {
  readonly family: 'ipv4' | 'ipv6'
  readonly address: string
  readonly prefix: number
}

const BITS = { ipv4: 32, ipv6: 128 }
/** Leading bits of `::ffff:0:0/96`, where IPv6 has the IPv4 addresses. */
const MAPPED_BITS = 96
const MAPPED = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/

/** Whether a host of a URL, or its address without brackets, is this machine. */
export const isLoopback = (host: string): boolean =>
  /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/.test(host)

export const familyOf = (address: string): Network['family'] =>
  address.includes(':') ? 'ipv6' : 'ipv4'

/**
 * The canonical text of an IP address (RFC 5952): equal addresses are equal texts, and an IPv4-mapped IPv6 address is the IPv4
 * address. Zones (`fe80::1%eth0`) have a meaning on one machine only and are refused.
 */
export function parseIpAddress(text: string): string | undefined {
  const family = isIP(text)
  if (family !== 6) return family === 4 ? text : undefined
  const address = URL.parse(`http://[${text}]/`)?.hostname.slice(1, -1)
  const [, high, low] = MAPPED.exec(address ?? '') ?? []
  return high === undefined || low === undefined ? address : ipv4Of(high, low)
}

function ipv4Of(high: string, low: string): string {
  const bits = (Number.parseInt(high, 16) << 16) | Number.parseInt(low, 16)
  return [24, 16, 8, 0].map((shift) => (bits >>> shift) & 0xff).join('.')
}

/** Reads `10.0.0.0/8`, `2001:db8::/32`, or one address. A network of all addresses is refused. */
export function parseNetwork(text: string): Network | undefined {
  const [, given = '', length] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? []
  const address = parseIpAddress(given)
  if (address === undefined) return undefined
  const family = familyOf(address)
  const mappedBits = familyOf(given) === family ? 0 : MAPPED_BITS
  const prefix = length === undefined ? BITS[family] : Number(length) - mappedBits
  return prefix >= 1 && prefix <= BITS[family] ? { family, address, prefix } : undefined
}

const GROUPS = 8
const SUBSCRIBER_GROUPS = 4

/** The addresses that one subscriber has: an IPv4 address, or the /64 of a canonical IPv6 address (RFC 6177). */
export function subscriberOf(address: string): string {
  if (familyOf(address) === 'ipv4') return address
  const [left = [], right = []] = address
    .split('::')
    .map((part) => part.split(':').filter((group) => group !== ''))
  const zeros = Array.from({ length: GROUPS - left.length - right.length }, () => '0')
  const groups = [...left, ...zeros, ...right].slice(0, SUBSCRIBER_GROUPS)
  // The other half is zeros, so that the last zeros are the longest ones.
  const end = groups.findLastIndex((group) => group !== '0') + 1
  return `${groups.slice(0, end).join(':')}::/64`
}
