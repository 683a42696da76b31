import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { parseIpAddress, parseNetwork } from '#src/lib/text/ip-address.ts'

describe('an address has one text', () => {
  test.each([
    ['203.0.113.7', '203.0.113.7'],
    ['2001:DB8:0:0:0:0:0:7', '2001:db8::7'],
    ['2001:0db8::0007', '2001:db8::7'],
    ['::ffff:203.0.113.7', '203.0.113.7'],
    ['::FFFF:cb00:7107', '203.0.113.7'],
    ['::ffff:255.255.255.255', '255.255.255.255'],
    ['::1', '::1'],
    ['::', '::'],
  ])('%s is %s', (given, canonical) => {
    expect(parseIpAddress(given)).toBe(canonical)
  })

  test.each([
    '',
    'localhost',
    'unknown',
    '_hidden',
    '1.2.3',
    '01.2.3.4',
    '1.2.3.256',
    '1.2.3.4:80',
    '0x7f.0.0.1',
    '2130706433',
    '[::1]',
    '::1]/@evil[',
    'fe80::1%eth0',
    '::ffff:1.2.3.4%x',
    '1.2.3.4\n',
    ' 1.2.3.4',
    '1::2::3',
  ])('%j is no address', (given) => {
    expect(parseIpAddress(given)).toBeUndefined()
  })

  test('IPv4-mapped and plain texts of one address are equal, and canonical texts stay', () => {
    fc.assert(
      fc.property(fc.ipV4(), (ipv4) => {
        expect(parseIpAddress(`::ffff:${ipv4}`)).toBe(ipv4)
      }),
    )
    fc.assert(
      fc.property(fc.oneof(fc.ipV4(), fc.ipV6()), (address) => {
        const canonical = parseIpAddress(address)
        expect(parseIpAddress(canonical ?? '')).toBe(canonical)
        expect(parseIpAddress(address.toUpperCase())).toBe(canonical)
      }),
    )
  })
})

describe('a network', () => {
  test.each([
    ['10.0.0.0/8', { family: 'ipv4', address: '10.0.0.0', prefix: 8 }],
    ['192.0.2.1', { family: 'ipv4', address: '192.0.2.1', prefix: 32 }],
    ['2001:DB8::/32', { family: 'ipv6', address: '2001:db8::', prefix: 32 }],
    ['::1', { family: 'ipv6', address: '::1', prefix: 128 }],
    ['::ffff:10.0.0.0/104', { family: 'ipv4', address: '10.0.0.0', prefix: 8 }],
  ])('%s', (given, network) => {
    expect(parseNetwork(given) as unknown).toStrictEqual(network)
  })

  test.each([
    '',
    '10.0.0.0/',
    '/8',
    '10.0.0.0/33',
    '10.0.0.0/-1',
    '10.0.0.0/8/8',
    '10.0.0/8',
    '2001:db8::/129',
    '0.0.0.0/0',
    '::/0',
    '::ffff:0.0.0.0/96',
    'private',
    '*',
  ])('%j is refused', (given) => {
    expect(parseNetwork(given)).toBeUndefined()
  })
})
