import { describe, expect, test } from 'bun:test'
import {
  isRedirectUri,
  readClientMetadata,
  createGrantClients,
} from '#src/lib/domain/access/grants/clients.ts'
import { systemClock } from '#src/lib/ports/clock.ts'
import { err, ok } from '#src/lib/result.ts'

const ADDRESS = 'https://agent.example/client.json'
const DOCUMENT = {
  client_id: ADDRESS,
  client_name: 'Agent',
  redirect_uris: ['http://127.0.0.1/callback', 'https://agent.example/back'],
}

describe('a client metadata document', () => {
  test('is read', () => {
    expect(readClientMetadata(ADDRESS, { ...DOCUMENT, more: 1 })).toStrictEqual(
      ok({ id: ADDRESS, name: 'Agent', kind: 'agent', redirectUris: DOCUMENT.redirect_uris }),
    )
  })

  test.each([
    ['of another address', { client_id: 'https://agent.example/other.json' }],
    ['of a client with a secret', { token_endpoint_auth_method: 'client_secret_basic' }],
    ['with a redirect URI on another host', { redirect_uris: ['https://evil.example/back'] }],
    ['with a redirect URI without TLS', { redirect_uris: ['http://agent.example/back'] }],
    ['with a redirect URI of a program', { redirect_uris: ['agent:/back'] }],
    ['with a script', { redirect_uris: ['javascript:alert(1)//agent.example'] }],
    ['with a fragment', { redirect_uris: ['https://agent.example/back#x'] }],
    ['with user information', { redirect_uris: ['https://x@agent.example/back'] }],
    ['without a redirect URI', { redirect_uris: [] }],
    ['with a name that turns text around', { client_name: 'A\u202Egent' }],
    ['with a name of two lines', { client_name: 'A\nPortico' }],
  ])('%s is refused', (_, over) => {
    expect(readClientMetadata(ADDRESS, { ...DOCUMENT, ...over }).ok).toBeFalse()
  })
})

test('redirect URIs that cannot be used are left out', () => {
  const redirect_uris = ['cursor://back', 'https://evil.example/back', ...DOCUMENT.redirect_uris]
  expect(readClientMetadata(ADDRESS, { ...DOCUMENT, redirect_uris })).toMatchObject({
    ok: true,
    value: { redirectUris: DOCUMENT.redirect_uris },
  })
})

test('agents register the loopback address by its name too, and come with another port', () => {
  const redirect_uris = ['http://localhost/callback', 'http://127.0.0.1/callback']
  expect(readClientMetadata(ADDRESS, { ...DOCUMENT, redirect_uris }).ok).toBeTrue()
  expect(isRedirectUri('http://localhost:58135/callback', redirect_uris)).toBeTrue()
  for (const given of [
    'http://localhost.evil.example/callback',
    'http://localhost:58135/callback/x',
    'http://localhost@evil.example/callback',
    'http://LOCALHOST:58135/callback',
    'http://localhost.:58135/callback',
  ]) {
    expect([given, isRedirectUri(given, redirect_uris)]).toStrictEqual([given, false])
  }
  expect(
    isRedirectUri('http://localhost:58135/callback', ['http://127.0.0.1/callback']),
  ).toBeFalse()
})

test('a redirect URI off the loopback has the registered port', () => {
  expect(isRedirectUri('https://agent.example/back', DOCUMENT.redirect_uris)).toBeTrue()
  expect(isRedirectUri('https://agent.example:8443/back', DOCUMENT.redirect_uris)).toBeFalse()
  expect(isRedirectUri('https://agent.example/back/', DOCUMENT.redirect_uris)).toBeFalse()
})

test('only listed documents are asked for, and each once', async () => {
  const asked: string[] = []
  const find = createGrantClients(
    'https://portal.example/oauth/code',
    [ADDRESS],
    async (address) => {
      asked.push(address)
      return ok(DOCUMENT)
    },
    systemClock,
  )
  expect(await find('portico')).toMatchObject({ ok: true, value: { kind: 'cli' } })
  for (const id of [
    '',
    `${ADDRESS}?x`,
    'https://agent.example/',
    'HTTPS://agent.example/client.json',
  ]) {
    expect(await find(id)).toStrictEqual(err({ kind: 'client_unknown' }))
  }
  expect(asked).toStrictEqual([])
  await find(ADDRESS)
  expect(await find(ADDRESS)).toMatchObject({ ok: true, value: { name: 'Agent' } })
  expect(asked).toStrictEqual([ADDRESS])
})
