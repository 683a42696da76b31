import { describe, expect, test } from 'bun:test'
import { identityFailure } from '#src/lib/adapters/identity/oidc/failure.ts'
import { makeAuthority } from '#tests/support/certificates.ts'
import { failed, unreachable } from './fake-issuer.ts'
import { openRawIssuer, providerAt } from './raw-issuer.ts'
import { tokensWith } from '#tests/contracts/identity.ts'

describe('who cannot be reached', () => {
  test('refuses connections', async () => {
    const server = Bun.listen({ hostname: '127.0.0.1', port: 0, socket: { data() {} } })
    const identity = providerAt(`http://127.0.0.1:${server.port}`)
    server.stop(true)
    expect(await identity.renew(tokensWith('x'))).toStrictEqual(unreachable)
    expect(await identity.exchange('x', 'y')).toStrictEqual(unreachable)
  })

  test('has no address', async () => {
    const identity = providerAt('https://no-such-host.invalid')
    expect(await identity.renew(tokensWith('x'))).toStrictEqual(unreachable)
  })

  const HEAD = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n'
  test.each([
    ['says nothing', ''],
    ['says half of what it announced', `${HEAD}content-length: 100\r\n\r\n{"access_token":`],
    ['does not end what it says', `${HEAD}transfer-encoding: chunked\r\n\r\n2\r\n{}\r\n`],
  ])('%s and closes the connection', async (_, bytes) => {
    using raw = openRawIssuer(bytes)
    expect(await raw.identity.renew(tokensWith('x'))).toStrictEqual(unreachable)
    const transaction = { state: 's', nonce: 'n', codeVerifier: 'v'.repeat(43) }
    const callback = new URLSearchParams({ code: 'c', state: 's' })
    expect(await raw.identity.signIn(callback, transaction)).toStrictEqual(unreachable)
    expect(await raw.identity.exchange('x', 'y')).toStrictEqual(unreachable)
  })

  test('is not one whose certificate nobody vouches for: that is told by its code', async () => {
    const { key, cert } = await (await makeAuthority()).issue()
    using server = Bun.serve({ port: 0, tls: { key, cert }, fetch: () => new Response('') })
    const identity = providerAt(`https://127.0.0.1:${server.port}`)
    expect(await identity.renew(tokensWith('x'))).toStrictEqual(
      failed('UNABLE_TO_VERIFY_LEAF_SIGNATURE'),
    )
  })

  test.each([
    'ECONNREFUSED',
    'ConnectionRefused',
    'ECONNRESET',
    'ConnectionClosed',
    'ENOTFOUND',
    'EAI_AGAIN',
    'DNSResolveFailed',
    'EHOSTUNREACH',
    'ENETUNREACH',
    'ETIMEDOUT',
  ])('is what %s says, however deep down', (code) => {
    const thrown = Object.assign(new TypeError('x'), { code })
    expect(identityFailure(thrown)).toStrictEqual({ kind: 'identity_unreachable' })
    const wrapped = new Error('y', { cause: new Error('z', { cause: thrown }) })
    expect(identityFailure(wrapped)).toStrictEqual({ kind: 'identity_unreachable' })
  })
})
