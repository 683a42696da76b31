import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { createClientAddress } from '#src/lib/http/client-address.ts'
import { type Network, parseIpAddress, parseNetwork } from '#src/lib/text/ip-address.ts'

const networks = (...texts: readonly string[]): readonly Network[] =>
  texts.map((text) => parseNetwork(text)).filter((network) => network !== undefined)

const PROXIES = networks('10.0.0.0/8', '192.0.2.10', 'fd00::/8')

function clientOf(
  peer: string | null,
  forwardedFor: string | null,
  trustedProxies: readonly Network[] = PROXIES,
): string | null {
  const request = new Request('http://portal.test/')
  if (forwardedFor !== null) request.headers.set('x-forwarded-for', forwardedFor)
  const peers = { requestIP: () => (peer === null ? null : { address: peer }) }
  return createClientAddress(trustedProxies)(request, peers)
}

describe('the address of the client', () => {
  test.each<[string, string, string | null, string]>([
    ['without a proxy is the peer', '203.0.113.7', null, '203.0.113.7'],
    ['is the peer, whatever an untrusted one claims', '203.0.113.7', '10.0.0.1', '203.0.113.7'],
    ['is what a trusted proxy appended', '10.0.0.1', '203.0.113.7', '203.0.113.7'],
    ['is the last entry, not a claimed one', '10.0.0.1', '127.0.0.1, 203.0.113.7', '203.0.113.7'],
    ['lies behind two proxies', '10.0.0.1', '203.0.113.7, 192.0.2.10', '203.0.113.7'],
    ['is the first untrusted hop', '10.0.0.1', '10.9.9.9, 198.51.100.1, 10.0.0.2', '198.51.100.1'],
    ['may be inside the trusted network', '10.0.0.1', '10.0.0.9, 10.0.0.2', '10.0.0.9'],
    ['is the proxy without a header', '10.0.0.1', null, '10.0.0.1'],
    ['is the proxy with an empty header', '10.0.0.1', '', '10.0.0.1'],
    ['ends at an unreadable entry', '10.0.0.1', '203.0.113.7, unknown, 10.0.0.2', '10.0.0.2'],
    ['ends at an empty entry', '10.0.0.1', '203.0.113.7,,10.0.0.2', '10.0.0.2'],
    ['ends at a trailing comma', '10.0.0.1', '203.0.113.7,', '10.0.0.1'],
    ['has no port', '10.0.0.1', '203.0.113.7:4711', '203.0.113.7'],
    ['has no brackets', '10.0.0.1', '[2001:DB8::7]', '2001:db8::7'],
    ['has neither brackets nor port', '10.0.0.1', '[2001:db8::7]:4711', '2001:db8::7'],
    ['of IPv6 is canonical', '10.0.0.1', '2001:db8:0:0::7', '2001:db8::7'],
    ['with an unreadable port is unreadable', '10.0.0.1', '203.0.113.7:x', '10.0.0.1'],
    ['IPv4-mapped is IPv4', '::ffff:203.0.113.7', null, '203.0.113.7'],
    ['behind an IPv4-mapped proxy', '::ffff:10.0.0.1', '203.0.113.7', '203.0.113.7'],
    ['behind an IPv4-mapped hop', '10.0.0.1', '203.0.113.7, ::ffff:10.0.0.2', '203.0.113.7'],
    ['behind an IPv6 proxy', 'fd12::1', '203.0.113.7', '203.0.113.7'],
    ['beside a network is a client', '11.0.0.1', '203.0.113.7', '11.0.0.1'],
    ['beside a single proxy is a client', '192.0.2.11', '203.0.113.7', '192.0.2.11'],
  ])('%s', (_, peer, forwardedFor, client) => {
    expect(clientOf(peer, forwardedFor)).toBe(client)
  })

  test('is null without a TCP connection, whatever a header says', () => {
    expect(clientOf(null, '203.0.113.7')).toBeNull()
    const request = new Request('http://portal.test/')
    expect(createClientAddress(PROXIES)(request, undefined)).toBeNull()
  })

  test('SEC-R3 Forwarded, X-Real-IP and the like are never read', () => {
    const request = new Request('http://portal.test/', {
      headers: {
        forwarded: 'for=203.0.113.7',
        'x-real-ip': '203.0.113.7',
        'true-client-ip': '203.0.113.7',
        'cf-connecting-ip': '203.0.113.7',
        x_forwarded_for: '203.0.113.7',
      },
    })
    const peers = { requestIP: () => ({ address: '10.0.0.1' }) }
    expect(createClientAddress(PROXIES)(request, peers)).toBe('10.0.0.1')
  })
})

const trusted = fc.tuple(fc.nat(255), fc.nat(255)).map(([a, b]) => `10.1.${a}.${b}`)
const untrusted = fc
  .oneof(fc.ipV4(), fc.ipV6())
  .map((address) => parseIpAddress(address) ?? '')
  .filter((address) => !/^(?:10\.|192\.0\.2\.10$|f[cd]|$)/.test(address))
/** What a client may send as its own header. */
const claims = fc.oneof(
  fc.constant(null),
  fc.array(fc.oneof(trusted, untrusted, fc.constant('unknown'), fc.constant(''))).map(String),
  fc.stringMatching(/^[\x20-\x7e]*$/),
)

describe('for every chain of proxies', () => {
  const withClaim = (claim: string | null, chain: readonly string[]) =>
    [...(claim === null ? [] : [claim]), ...chain].join(', ')

  test("SEC-R3 an attacker's own header never changes the outcome", () => {
    fc.assert(
      fc.property(untrusted, fc.array(trusted), trusted, claims, (client, hops, proxy, claim) => {
        const honest = clientOf(proxy, [client, ...hops].join(', '))
        expect(clientOf(proxy, withClaim(claim, [client, ...hops]))).toBe(honest)
      }),
    )
  })

  test('SEC-R3 an untrusted peer is the client, whatever it sends', () => {
    fc.assert(
      fc.property(untrusted, claims, (client, claim) => {
        expect(clientOf(client, claim)).toBe(clientOf(client, null))
      }),
    )
  })

  test('no untrusted hop is ever skipped', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(trusted, untrusted), { minLength: 1 }),
        trusted,
        (hops, proxy) => {
          const found = clientOf(proxy, hops.join(', '))
          const isOurs = (hop: string) => hop.startsWith('10.')
          const last = hops.findLast((hop) => !isOurs(hop)) ?? hops[0] ?? proxy
          expect(found).toBe(last)
        },
      ),
    )
  })
})
