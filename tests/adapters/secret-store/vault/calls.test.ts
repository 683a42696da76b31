import { expect, test } from 'bun:test'
import { createVaultClient } from '#src/lib/adapters/secret-store/vault/api/create-client.ts'
import { createVaultCalls } from '#src/lib/adapters/secret-store/vault/login/calls.ts'
import { systemClock } from '#src/lib/ports/clock.ts'
import { SERVICE } from '#src/lib/ports/secret-store.ts'

test('requests carry the token of the service, and a 403 is a refusal of the right', async () => {
  using server = Bun.serve({
    port: 0,
    fetch: ({ headers, url }) =>
      Response.json(
        { errors: ['permission denied'], token: headers.get('x-vault-token') },
        { status: url.endsWith('/free') ? 200 : 403 },
      ),
  })
  const log = { info: () => {}, warn: () => {}, error: () => {} }
  const means = { clock: systemClock, log }
  const client = createVaultClient({
    ...means,
    addresses: [server.url],
    namespace: null,
    authority: null,
  })
  const calls = createVaultCalls({
    ...means,
    client,
    service: { kind: 'token', token: 's.given' },
  })
  const get = (path: string) =>
    calls.call(SERVICE, { method: 'GET', path, repeatable: true }, `read on ${path}`)
  expect(await get('free')).toMatchObject({ ok: true, value: { json: { token: 's.given' } } })
  expect(await get('closed')).toStrictEqual({
    ok: false,
    error: { kind: 'secret_store_denied', what: 'read on closed' },
  })
})
