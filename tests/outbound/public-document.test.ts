import { afterAll, describe, expect, test } from 'bun:test'
import type { LookupAddress, LookupOptions } from 'node:dns'
import {
  isPublicAddress,
  type PublicDocumentSource,
  readPublicDocument,
} from '#src/lib/outbound/public-document.ts'
import { ok } from '#src/lib/result.ts'
import { makeAuthority } from '#tests/support/certificates.ts'

const authority = await makeAuthority()
const asked: string[] = []
const server = Bun.serve({
  hostname: '127.0.0.1',
  port: 0,
  tls: await authority.issue(['agent.example']),
  fetch(request) {
    const { pathname } = new URL(request.url)
    asked.push(pathname)
    if (pathname === '/moved') return Response.redirect('https://169.254.169.254/', 302)
    if (pathname === '/large') return new Response(`"${'x'.repeat(6 * 1024)}"`)
    if (pathname === '/endless') return new Response(new ReadableStream({ pull: endless }))
    return pathname === '/client.json' ? Response.json({ a: 1 }) : new Response('no')
  },
})
afterAll(() => server.stop(true))

function endless(controller: ReadableStreamDefaultController) {
  controller.enqueue(new TextEncoder().encode(' '.repeat(1024)))
}

const at = (path: string) => `https://agent.example:${server.port}${path}`

/** Names lead to the addresses, and the loopback address counts as public. */
const leadingTo = (...addresses: readonly string[]): PublicDocumentSource => ({
  ca: authority.pem,
  isAllowed: (address) => address === '127.0.0.1' || isPublicAddress(address),
  resolve: ((
    _host: string,
    _options: LookupOptions,
    give: (failure: null, found: LookupAddress[]) => void,
  ) =>
    give(
      null,
      addresses.map((address) => ({ address, family: 4 })),
    )) as unknown as NonNullable<PublicDocumentSource['resolve']>,
})

test('a document is read', async () => {
  expect(await readPublicDocument(at('/client.json'), leadingTo('127.0.0.1'))).toStrictEqual(
    ok({ a: 1 }),
  )
})

test.each([
  ['a redirect inward (CVE-2026-32236)', '/moved'],
  ['more than 5 KB', '/large'],
  ['an answer without an end', '/endless'],
  ['other text', '/text'],
])('%s is refused', async (_, path) => {
  expect((await readPublicDocument(at(path), leadingTo('127.0.0.1'))).ok).toBeFalse()
  expect(asked).not.toContain('/')
})

test.each([
  ['one inside', ['10.0.0.1']],
  ['one inside beside one outside', ['127.0.0.1', '169.254.169.254']],
  ['none', []],
])('a name with the addresses %s is not asked', async (_, addresses) => {
  const before = asked.length
  expect((await readPublicDocument(at('/client.json'), leadingTo(...addresses))).ok).toBeFalse()
  expect(asked).toHaveLength(before)
})

test('an address inside in place of a name is not asked', async () => {
  const before = asked.length
  for (const host of ['127.0.0.1', '[::1]', '[::ffff:7f00:1]', '2130706433']) {
    const read = await readPublicDocument(`https://${host}:${server.port}/client.json`)
    expect(read.ok).toBeFalse()
  }
  expect(asked).toHaveLength(before)
})

describe('addresses', () => {
  test.each(['8.8.8.8', '192.0.2.1', '172.15.0.1', '2606:4700::1111'])(
    '%s is public',
    (address) => {
      expect(isPublicAddress(address)).toBeTrue()
    },
  )
  test.each([
    '0.0.0.0',
    '10.1.2.3',
    '100.64.0.1',
    '127.0.0.1',
    '169.254.169.254',
    '172.31.255.255',
    '192.168.1.1',
    '224.0.0.1',
    '255.255.255.255',
    '::1',
    '::',
    '::ffff:10.0.0.1',
    '64:ff9b::a00:1',
    '2002:a00:1::',
    'fc00::1',
    'fe80::1',
    'ff02::1',
    'localhost',
  ])('%s is not', (address) => {
    expect(isPublicAddress(address)).toBeFalse()
  })
})
