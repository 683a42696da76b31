import { expect, test } from 'bun:test'
import { type AnswerParts, answers, startRawHost } from '#tests/peers/raw-host.ts'
import { freePort } from '#tests/support/free-port.ts'
import { openClient, READ, TOKEN, WRITE } from './open-client.ts'

const OK: AnswerParts = { json: { data: { version: 1 } } }
const to = (location: string, status = 307): AnswerParts => ({
  status,
  headers: { location },
  body: '',
})
const error = (reason: string) =>
  ({ ok: false, error: { kind: 'secret_store_error', reason } }) as const
const FOREIGN = error('redirects to an address that VAULT_ADDR does not name')

test.each([301, 302, 303, 307, 308])(
  'of a standby, %i, is followed to another address with method, body and token',
  async (status) => {
    using active = await startRawHost(answers(OK))
    using standby = await startRawHost(answers(to(`${active.url}/v1/${WRITE.path}`, status)))
    const { client } = openClient([standby.url, active.url])
    expect(await client.send(WRITE)).toMatchObject({ ok: true })
    const [request] = active.requests
    expect(request?.method).toBe('POST')
    expect(request?.target).toBe(`/v1/${WRITE.path}`)
    expect(request?.body).toBe(JSON.stringify(WRITE.body))
    expect(request?.headers.get('x-vault-token')).toBe(TOKEN)

    await client.send(READ)
    expect([standby.requests.length, active.requests.length]).toStrictEqual([1, 2])
  },
)

test('to another host gets no request and no token', async () => {
  using other = await startRawHost(answers(OK))
  using standby = await startRawHost(answers(to(`${other.url}/v1/a`)))
  for (const request of [READ, WRITE]) {
    const { client, logged } = openClient([standby.url])
    expect(await client.send(request)).toStrictEqual(FOREIGN)
    expect(logged).toStrictEqual([
      `an address of the secret store fails {"address":"${standby.url}","code":"redirect"}`,
    ])
  }
  expect(other.requests).toHaveLength(0)
})

test('to another host, scheme or port is none to the same address', async () => {
  const port = freePort()
  for (const location of [
    `https://127.0.0.1:${port}/v1/a`,
    '//attacker.invalid/v1/a',
    'https://vault.invalid/v1/a',
  ]) {
    using standby = await startRawHost(answers(to(location)))
    expect(await openClient([standby.url]).client.send(READ)).toStrictEqual(FOREIGN)
  }
})

test('to a name that is not configured leaves the request to the next address', async () => {
  using active = await startRawHost(answers(OK))
  using standby = await startRawHost(answers(to('https://10.0.0.7:8200/v1/a')))
  const { client } = openClient([standby.url, active.url])
  expect(await client.send(WRITE)).toMatchObject({ ok: true })
})

test('to an active node that has just died leaves the request to the next address', async () => {
  using next = await startRawHost(answers(OK))
  const dead = `http://127.0.0.1:${freePort()}`
  using standby = await startRawHost(answers(to(`${dead}/v1/a`)))
  const { client } = openClient([standby.url, dead, next.url])
  expect(await client.send(WRITE)).toMatchObject({ ok: true })
})

test.each([
  ['within one host', '/v1/other', undefined],
  ['in a circle', `/v1/${READ.path}`, 'too many redirects'],
  ['with credentials', 'http://a:canary@127.0.0.1/', 'a redirect with credentials'],
  ['nowhere', '', 'a redirect without a target'],
])('%s', async (_, location, reason) => {
  const redirect = location === '' ? { status: 307, body: '' } : to(location)
  using host = await startRawHost((socket, request, index) =>
    answers(request.target === '/v1/other' ? OK : redirect)(socket, request, index),
  )
  const outcome = await openClient([host.url]).client.send(READ)
  if (reason === undefined) expect(outcome).toMatchObject({ ok: true })
  else expect(outcome).toStrictEqual(error(reason))
  expect(host.requests.length).toBeLessThan(5)
})
