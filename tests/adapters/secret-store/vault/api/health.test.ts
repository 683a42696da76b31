import { expect, test } from 'bun:test'
import { type AnswerParts, answers, startRawHost } from '#tests/peers/raw-host.ts'
import type { AddressHealth } from '#src/lib/adapters/secret-store/vault/api/client.ts'
import { freePort } from '#tests/support/free-port.ts'
import { openClient } from './open-client.ts'

const ACTIVE = {
  initialized: true,
  sealed: false,
  standby: false,
  performance_standby: false,
  replication_performance_mode: 'disabled',
  replication_dr_mode: 'disabled',
  server_time_utc: 1_795_405_560,
  version: '2.7.2',
}

test.each<[string, AnswerParts]>([
  ['active', { json: ACTIVE }],
  ['standby', { status: 429, json: { ...ACTIVE, standby: true } }],
  ['standby', { status: 473, json: { ...ACTIVE, standby: true, performance_standby: true } }],
  [
    'standby',
    { status: 472, json: { ...ACTIVE, standby: true, replication_dr_mode: 'secondary' } },
  ],
  ['sealed', { status: 503, json: { ...ACTIVE, sealed: true, standby: true } }],
  [
    'not_initialised',
    { status: 501, json: { ...ACTIVE, initialized: false, sealed: true, standby: true } },
  ],
])('tells a node that is %s', async (state, answer) => {
  using host = await startRawHost(answers(answer))
  const { client } = openClient([host.url], { namespace: 'team-a' })
  expect(await client.health()).toMatchObject([{ address: host.url, state, version: '2.7.2' }])
  const [request] = host.requests
  expect(request?.target).toBe('/v1/sys/health')
  expect(request?.headers.has('x-vault-namespace')).toBe(false)
  expect(request?.headers.has('x-vault-token')).toBe(false)
})

test('tells that Vault is the Community Edition', async () => {
  for (const health of [ACTIVE, { ...ACTIVE, enterprise: true }]) {
    using host = await startRawHost(answers({ json: health }))
    const [told] = await openClient([host.url]).client.health()
    expect(told).not.toHaveProperty('isCommunityEdition')
  }
  using host = await startRawHost(answers({ json: { ...ACTIVE, enterprise: false } }))
  const [told] = await openClient([host.url]).client.health()
  expect(told).toMatchObject({ isCommunityEdition: true })
})

test.each<[AddressHealth['state'], string, AnswerParts]>([
  [
    'no_store',
    'answered with 200 and a page',
    { headers: { 'content-type': 'text/html' }, body: '<p>' },
  ],
  ['no_store', 'answered with 502, not as documented', { status: 502, body: '' }],
  [
    'no_store',
    'answered with 307, not as documented',
    { status: 307, headers: { location: 'http://attacker.invalid/' } },
  ],
  ['no_store', 'answered with 200, not as documented', { json: { sealed: 'no' } }],
  [
    'unreachable',
    'an answer of more than 65536 bytes',
    { json: { ...ACTIVE, version: 'x'.repeat(70_000) } },
  ],
])('tells an address that is %s: %s', async (state, reason, answer) => {
  using host = await startRawHost(answers(answer))
  expect(await openClient([host.url]).client.health()).toStrictEqual([
    { address: host.url, state, version: null, reason },
  ])
})

test('tells all addresses, in order, also silent ones', async () => {
  using silent = await startRawHost(() => {})
  using odd = await startRawHost(answers({ json: { ...ACTIVE, version: 's.canary-token' } }))
  const refused = `http://127.0.0.1:${freePort()}`
  const { client } = openClient([silent.url, refused, odd.url], { deadlineMs: 3_000 })
  expect(await client.health()).toStrictEqual([
    { address: silent.url, state: 'unreachable', version: null, reason: 'no answer in time' },
    { address: refused, state: 'unreachable', version: null, reason: 'ECONNREFUSED' },
    { address: odd.url, state: 'active', version: null },
  ])
})
