import { expect, test } from 'bun:test'
import { type AnswerParts, answers, rawAnswer, startRawHost } from '#tests/peers/raw-host.ts'
import { freePort } from '#tests/support/free-port.ts'
import { openClient, READ, WRITE } from './open-client.ts'

const OK: AnswerParts = { json: { data: { version: 1 } } }
const SEALED: AnswerParts = { status: 503, json: { errors: ['Vault is sealed'] } }
const STANDBY: AnswerParts = {
  status: 500,
  json: { errors: ['local node not active but active cluster node not found'] },
}
const nowhere = () => `http://127.0.0.1:${freePort()}`
const failure = <Kind extends string>(kind: Kind) => ({ ok: false, error: { kind } }) as const

test('the first address takes all requests while it answers', async () => {
  using first = await startRawHost(answers(OK))
  using second = await startRawHost(answers(OK))
  const { client } = openClient([first.url, second.url])
  expect(await client.send(READ)).toMatchObject({ ok: true })
  expect(await client.send(WRITE)).toMatchObject({ ok: true })
  expect([first.requests.length, second.requests.length]).toStrictEqual([2, 0])
})

test.each<[string, AnswerParts]>([
  ['is sealed', SEALED],
  ['is a standby without an active node', STANDBY],
])('an address that %s leaves reads and writes to the next', async (_, answer) => {
  using first = await startRawHost(answers(answer))
  using second = await startRawHost(answers(OK))
  for (const request of [READ, WRITE]) {
    const { client } = openClient([first.url, second.url])
    expect(await client.send(request)).toMatchObject({ ok: true })
  }
  expect([first.requests.length, second.requests.length]).toStrictEqual([2, 2])
  expect(second.requests[1]?.body).toBe(JSON.stringify(WRITE.body))
})

test('a refused connection leaves reads and writes to the next address', async () => {
  using second = await startRawHost(answers(OK))
  for (const request of [READ, WRITE]) {
    const { client } = openClient([nowhere(), second.url])
    expect(await client.send(request)).toMatchObject({ ok: true })
  }
})

test('the address that answered last is the first to be tried, and an outage is logged once, as is its end', async () => {
  const first = { answer: SEALED }
  const second = { answer: OK }
  using one = await startRawHost((socket) => void socket.write(rawAnswer(first.answer)))
  using two = await startRawHost((socket) => void socket.write(rawAnswer(second.answer)))
  const { client, logged, clock } = openClient([one.url, two.url])
  const counts = () => [one.requests.length, two.requests.length]
  await client.send(READ)
  await client.send(WRITE)
  expect(counts()).toStrictEqual([1, 2])
  expect(logged).toStrictEqual([
    `an address of the secret store fails {"address":"${one.url}","code":"sealed"}`,
  ])

  first.answer = OK
  second.answer = SEALED
  await client.send(READ)
  expect(counts()).toStrictEqual([2, 3])
  second.answer = OK
  clock.nowMs += 60_000
  await client.send(READ)
  expect(counts()).toStrictEqual([3, 3])
  expect(logged.slice(1)).toStrictEqual([
    `an address of the secret store fails {"address":"${two.url}","code":"sealed"}`,
    `the secret store at ${one.url} works again {"lastedMs":0,"failures":1}`,
  ])

  first.answer = SEALED
  await client.send(READ)
  expect(logged.slice(3)).toStrictEqual([
    `an address of the secret store fails {"address":"${one.url}","code":"sealed"}`,
    `the secret store at ${two.url} works again {"lastedMs":60000,"failures":1}`,
  ])
})

test('an address that fails a write is no longer the first to be tried', async () => {
  const first = { answer: SEALED }
  using one = await startRawHost((socket) => void socket.write(rawAnswer(first.answer)))
  using two = await startRawHost((socket, { method }) =>
    method === 'POST' ? void socket.resetAndDestroy() : void socket.write(rawAnswer(OK)),
  )
  const { client } = openClient([one.url, two.url])
  expect(await client.send(READ)).toMatchObject({ ok: true })
  expect(await client.send(WRITE)).toStrictEqual(failure('secret_store_unreachable'))
  first.answer = OK
  expect(await client.send(WRITE)).toMatchObject({ ok: true })
  expect([one.requests.length, two.requests.length]).toStrictEqual([2, 2])
})

test('a store is sealed if every node that can be reached is sealed', async () => {
  using sealed = await startRawHost(answers(SEALED))
  using another = await startRawHost(answers(SEALED))
  using standby = await startRawHost(answers(STANDBY))
  const outcome = async (...urls: readonly string[]) => openClient(urls).client.send(READ)
  expect(await outcome(sealed.url, another.url)).toStrictEqual(failure('secret_store_sealed'))
  expect(await outcome(sealed.url, nowhere())).toStrictEqual(failure('secret_store_sealed'))
  expect(await outcome(nowhere(), sealed.url)).toStrictEqual(failure('secret_store_sealed'))
  expect(await outcome(sealed.url, standby.url)).toStrictEqual(failure('secret_store_unreachable'))
  expect(await outcome(standby.url, sealed.url)).toStrictEqual(failure('secret_store_unreachable'))
  expect(await outcome(nowhere(), nowhere())).toStrictEqual(failure('secret_store_unreachable'))
})

test('a silent address leaves time for the next, and a write at it is not repeated', async () => {
  using silent = await startRawHost(() => {})
  using second = await startRawHost(answers(OK))
  const { client } = openClient([silent.url, second.url], { deadlineMs: 3_000 })
  expect(await client.send(READ)).toMatchObject({ ok: true })

  const other = openClient([silent.url, second.url], { deadlineMs: 200 })
  expect(await other.client.send(WRITE)).toStrictEqual(failure('secret_store_timeout'))
  expect(second.requests).toHaveLength(1)
})

test.each<[string, AnswerParts | null, string]>([
  ['a reset connection', null, 'secret_store_unreachable'],
  ['a gateway without an answer', { status: 504, body: '' }, 'secret_store_unreachable'],
  ['an error', { status: 500, json: { errors: [] } }, 'secret_store_error'],
])('after %s a read goes on at the next address, and a write does not', async (_, answer, kind) => {
  using first = await startRawHost((socket) => {
    if (answer === null) socket.resetAndDestroy()
    else socket.write(rawAnswer(answer))
  })
  using second = await startRawHost(answers(OK))
  const written = await openClient([first.url, second.url]).client.send(WRITE)
  expect(written).toMatchObject(failure(kind))
  expect(second.requests).toHaveLength(0)
  const read = await openClient([first.url, second.url]).client.send(READ)
  expect(read).toMatchObject({ ok: true })
  expect(second.requests).toHaveLength(1)
})

test('a quota counts for all addresses', async () => {
  const limited = { status: 429, headers: { 'retry-after': '9' }, json: { errors: [] } }
  using first = await startRawHost(answers(limited))
  using second = await startRawHost(answers(OK))
  const { client } = openClient([first.url, second.url])
  expect(await client.send(READ)).toMatchObject(failure('secret_store_rate_limited'))
  expect(second.requests).toHaveLength(0)
})

test('an address may have the path of a proxy', async () => {
  using host = await startRawHost(answers(OK))
  for (const path of ['', '/', '/vault', '/vault/']) {
    await openClient([`${host.url}${path}`]).client.send({ ...READ, path: 'a?list=true' })
  }
  expect(host.requests.map(({ target }) => target)).toStrictEqual([
    '/v1/a?list=true',
    '/v1/a?list=true',
    '/vault/v1/a?list=true',
    '/vault/v1/a?list=true',
  ])
})
