import { expect, test } from 'bun:test'
import { createVaultClient } from '#src/lib/adapters/secret-store/vault/api/create-client.ts'
import { systemClock } from '#src/lib/ports/clock.ts'
import { createStorageIndex } from '#src/lib/adapters/secret-store/vault/api/storage-index.ts'
import { silentLog } from '#tests/adapters/hosts/github/silent-log.ts'
import { startFront } from './front.ts'

/** Sends requests that are answered with these indexes, and tells which indexes the requests had. */
async function sentWith(answers: readonly (readonly [method: 'GET' | 'POST', index?: string])[]) {
  await using front = startFront('http://127.0.0.1:9')
  const client = createVaultClient({
    addresses: [new URL(front.url)],
    namespace: null,
    authority: null,
    log: silentLog,
    clock: systemClock,
  })
  const sent: (string | null)[] = []
  for (const [method, index] of answers) {
    front.intervene(async (_, __, headers) => {
      const name = headers.get('x-vault-inconsistent')
      const known = headers.get('x-vault-index')
      sent.push(known === null ? name : `${name} ${known}`)
      return Response.json({}, index === undefined ? {} : { headers: { 'x-vault-index': index } })
    })
    expect((await client.send({ method, path: 'a', token: 't', repeatable: true })).ok).toBe(true)
  }
  return sent
}

test('vault: a request must see what the writes and logins before it have seen', async () => {
  const forward = 'forward-active-node'
  expect(
    await sentWith([
      ['GET', 'b2xk'],
      ['POST', 'bmV3'],
      ['GET', 'b2xk'],
      ['GET'],
      ['POST'],
      ['GET'],
    ]),
  ).toStrictEqual([null, null, ...Array.from({ length: 4 }, () => `${forward} bmV3`)])
})

test('vault: an index that is none is not sent back, for it would be refused', async () => {
  expect(
    await sentWith([['POST', 'no base64'], ['POST', 'A'.repeat(1025)], ['GET']]),
  ).toStrictEqual([null, null, null])
})

test('vault: an index is sent for five minutes, since a store that was restored may never reach it', () => {
  let now = 0
  const index = createStorageIndex(() => now)
  index.note(new Headers({ 'x-vault-index': 'b2xk' }))
  now = 5 * 60_000
  expect(index.headers()).toHaveProperty('x-vault-index', 'b2xk')
  now += 1
  expect(index.headers()).toStrictEqual({})
})
