import { expect, test } from 'bun:test'
import { vaultPath } from '#src/lib/adapters/secret-store/vault/api/client.ts'
import { createVaultClient } from '#src/lib/adapters/secret-store/vault/api/create-client.ts'
import { systemClock } from '#src/lib/ports/clock.ts'
import { reasonOf } from '#src/lib/adapters/secret-store/vault/api/reason.ts'
import { answers, startRawHost } from '#tests/peers/raw-host.ts'

const silent = () => {}
const log = { info: silent, warn: silent, error: silent }

test('a request carries the token, the namespace and a merge patch', async () => {
  using host = await startRawHost(answers({ status: 403, json: { errors: ['permission denied'] } }))
  const client = createVaultClient({
    addresses: [new URL(host.url)],
    namespace: 'team-a',
    authority: null,
    log,
    clock: systemClock,
  })
  const path = vaultPath`${'secret'}/data/${'a/b c/env'}`
  const body = { data: { A: 'x' } }
  const request = { method: 'PATCH', path, body, token: 's.x', repeatable: false } as const

  expect(await client.send(request)).toStrictEqual({
    ok: true,
    value: { status: 403, json: { errors: ['permission denied'] } },
  })
  const [sent] = host.requests
  expect(sent?.target).toBe('/v1/secret/data/a/b%20c/env')
  expect(sent?.body).toBe('{"data":{"A":"x"}}')
  expect(sent?.headers.get('content-type')).toBe('application/merge-patch+json')
  expect(sent?.headers.get('x-vault-token')).toBe('s.x')
  expect(sent?.headers.get('x-vault-namespace')).toBe('team-a')
})

test.each(['..', 'a/../b', 'a//b', ''])('a path never contains %p', (value) => {
  expect(() => vaultPath`secret/data/${value}`).toThrow()
})

test.each([
  ['check-and-set parameter did not match the current version', 'check_and_set_mismatch'],
  ['check-and-set parameter required for this call', 'check_and_set_required'],
  ['no handler for route "x/subkeys/a". route entry not found.', 'no_such_mount'],
  ['namespace not found', 'no_such_namespace'],
  ['something else', null],
] as const)('%s is recognised', (text, reason) => {
  expect(reasonOf({ json: { errors: [text] } })).toStrictEqual(reason)
})
